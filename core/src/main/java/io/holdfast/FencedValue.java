package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.FenceScript;
import io.holdfast.internal.wire.FenceScript.FenceAct;
import io.holdfast.internal.wire.FenceScript.FenceReply;
import io.holdfast.internal.wire.FenceScript.FenceWord;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A text on the server that is guarded by fencing tokens: a command with a token older than the newest one seen is refused,
 * however late it arrives. So a holder that was paused, and has lost its lock meanwhile, cannot overwrite the value.
 *
 * <p>The newest token is remembered for as long as the value, and after a deletion, too. When the key has expired, every token
 * passes again. So the value's lifetime must be longer than the longest pause after which an old holder might still write. Each
 * command that passes makes the key last for at least one lifetime from then; it never moves the expiry to an earlier time.
 *
 * <p><b>Read before you write, and read with the token.</b> A new holder that computes a new value from the old one must begin
 * with {@link #read}, which refuses older tokens from that instant. After a {@link #get()} an older write could still come in
 * between, and the next {@link #set} would overwrite it. Commands with equal tokens pass: they come from one holder, which
 * sends them one after the other, or from readers that hold a lock together.
 *
 * <p>Every method that asks the server blocks for one round trip, for at most the command timeout. It throws
 * {@link ServerUnreachableException} if the server does not answer: the command may or may not have taken effect. Repeating it
 * is harmless if the same holder has sent no other command since. It throws {@link ServerRefusedException} if the server
 * answers with an error: nothing was changed. Thread-safe.
 */
public final class FencedValue {
    /** The maximum length of the text, in characters. It is limited because the text shares the connection with the locks. */
    public static final int MAX_LENGTH = 1 << 20;

    private final Client client;
    private final Keys keys;
    private final FenceScript script;

    /** @param life the value's lifetime; zero if it lasts for ever */
    FencedValue(Client client, Keys keys, Duration life) {
        this.client = client;
        this.keys = keys;
        this.script = new FenceScript(client.server.calls, keys, life);
    }

    /**
     * The answer to a command with a token.
     *
     * @param name the name of the value
     * @param token the given token
     * @param accepted whether the command was carried out; if not, nothing was changed
     * @param newest the newest token that the value has seen: greater than the given one if it was refused, else equal to it
     * @param value the text that a read found; empty if there is no value, if the read was refused, and for other commands
     */
    public record Answer(String name, long token, boolean accepted, long newest, Optional<String> value) {
        /**
         * Returns the text that a read found, and throws if the command was refused.
         *
         * @throws StaleTokenException if the command was refused
         */
        public Optional<String> orElseThrow() {
            if (!accepted) {
                throw new StaleTokenException(name, token, newest);
            }
            return value;
        }
    }

    /** Returns the name, as it was given. */
    public String name() {
        return keys.name();
    }

    /** Returns the key on the server, for programs that only read: a hash with the fields {@code value} and {@code token}. */
    public String key() {
        return keys.value();
    }

    /**
     * Sets the value, unless the value has seen a newer token.
     *
     * @param token the token of the caller's lease, 1 to 2^53 - 1
     * @param value at most {@link #MAX_LENGTH} characters of well-formed Unicode; may be empty
     */
    public Answer set(long token, String value) {
        if (value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "value has " + value.length() + " characters, must have 0 to " + MAX_LENGTH);
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException("value has half of a surrogate pair, must be well-formed Unicode");
        }
        return act(FenceAct.SET, token, value);
    }

    /**
     * Deletes the value, unless the value has seen a newer token. The token stays for the value's lifetime, so that older ones
     * are still refused.
     *
     * @param token the token of the caller's lease, 1 to 2^53 - 1
     */
    public Answer delete(long token) {
        return act(FenceAct.DELETE, token, "");
    }

    /**
     * Reads the value, unless the value has seen a newer token, and refuses older tokens from now on.
     *
     * @param token the token of the caller's lease, 1 to 2^53 - 1
     */
    public Answer read(long token) {
        return act(FenceAct.READ, token, "");
    }

    /**
     * Returns the current value; empty if there is none. It is for callers that only read: unlike {@link #read}, it does not
     * refuse older tokens from then on.
     */
    public Optional<String> get() {
        Command look = new Command(keys.value(), List.of("HGET", keys.value(), "value"));
        Reply reply = AsyncResults.await(client.server, callback -> client.server.calls.send(look, callback));
        return reply.isNull() ? Optional.empty() : Optional.of(reply.asString());
    }

    private Answer act(FenceAct act, long token, String value) {
        Require.token("token", token);
        FenceReply reply = AsyncResults.await(client.server, callback -> script.act(act, token, value, callback));
        return new Answer(name(), token, reply.word() == FenceWord.PASSED, reply.newest(), reply.value());
    }

    @Override
    public String toString() {
        return "FencedValue[" + LogText.name(name()) + "]";
    }
}
