package io.holdfast.internal.wire;

import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The script of fenced values: what is said to it, in the order of its header, and what it replies. */
public final class FenceScript {
    public enum FenceAct {
        SET("S"),
        DELETE("D"),
        READ("R");

        private final String letter;

        FenceAct(String letter) {
            this.letter = letter;
        }
    }

    public enum FenceWord {
        PASSED,
        STALE
    }

    /**
     * Whether an act has passed, and the newest token that the value has seen.
     *
     * @param value what a read found
     */
    public record FenceReply(FenceWord word, long newest, Optional<String> value) {}

    private final ScriptCalls calls;
    private final Keys keys;
    private final Duration life;

    /**
     * The script of one value.
     *
     * @param life of the value, zero for ever
     */
    public FenceScript(ScriptCalls calls, Keys keys, Duration life) {
        this.calls = calls;
        this.keys = keys;
        this.life = life;
    }

    /**
     * Sets, deletes or reads the value under a token.
     *
     * @param value what to set; empty for other acts
     */
    public void act(
            FenceAct act,
            long token,
            String value,
            BiConsumer<@Nullable FenceReply, @Nullable DriverException> callback) {
        calls.call(
                Script.FENCE,
                List.of(keys.value()),
                new Arguments().add(act.letter).add(token).add(life).add(value),
                reply -> new FenceReply(
                        reply.word(FenceWord.class),
                        reply.number(1),
                        reply.flag(2) ? Optional.of(reply.text(3)) : Optional.empty()),
                callback);
    }
}
