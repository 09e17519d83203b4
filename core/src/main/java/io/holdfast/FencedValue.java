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
 * A text on the server that is changed under fencing tokens: a command with an older token than the newest that was seen
 * is refused, however late it arrives. So the write of a holder that was paused, and lost its lock meanwhile, does no harm.
 *
 * <p>The newest token is remembered as long as the value, its deletion included. When the key has expired, every token
 * passes again: the life has to be longer than the longest pause after which an old holder might still write. Each act
 * that passes makes the key last at least a life from then; the expiry is never moved to an earlier time.
 *
 * <p><b>Read before you write, and read with the token.</b> A new holder that computes what it writes from what it reads
 * begins with {@link #read}, which shuts out older tokens from that instant. After a {@link #get()} an older write could
 * still come in between, and would be lost with the next {@link #set}. Acts with equal tokens pass: they are those of one
 * holder, which does them one after the other.
 *
 * <p>Every method blocks for one round trip, at most the command timeout, and throws {@link ServerUnreachableException}
 * if the server does not answer (it may or may not have acted; to repeat the act is harmless as long as the same holder
 * has done no other since) and {@link ServerRefusedException} if it answers with an error (nothing was done). Thread-safe.
 */
public final class FencedValue {
    /** The longest text, in characters: it shares the connection with the locks. */
    public static final int MAX_LENGTH = 1 << 20;

    private final Client client;
    private final Keys keys;
    private final FenceScript script;

    /** @param life zero for ever */
    FencedValue(Client client, Keys keys, Duration life) {
        this.client = client;
        this.keys = keys;
        this.script = new FenceScript(client.server.calls, keys, life);
    }

    /**
     * The answer to an act under a token.
     *
     * @param name of the value
     * @param token the one that was given
     * @param accepted whether the act was done; if not, nothing was changed
     * @param newest the newest token that the value has seen: greater than the given one if it was refused, else the same
     * @param value what a read found; empty if there is no value, if the read was refused, and for other acts
     */
    public record Answer(String name, long token, boolean accepted, long newest, Optional<String> value) {
        /**
         * What a read found, for callers to whom a refusal is an exception.
         *
         * @throws StaleTokenException if the act was refused
         */
        public Optional<String> orElseThrow() {
            if (!accepted) {
                throw new StaleTokenException(name, token, newest);
            }
            return value;
        }
    }

    /** The name, as it was given. */
    public String name() {
        return keys.name();
    }

    /** The key on the server: a hash with the fields {@code value} and {@code token}, for programs that only read. */
    public String key() {
        return keys.value();
    }

    /**
     * Sets the value unless a newer token was here before.
     *
     * @param token of the lease under which this is done, 1 to 2^53 - 1
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
     * Deletes the value unless a newer token was here before. The token stays for the value's life, so that older ones are
     * still refused.
     *
     * @param token of the lease under which this is done, 1 to 2^53 - 1
     */
    public Answer delete(long token) {
        return act(FenceAct.DELETE, token, "");
    }

    /**
     * Reads the value unless a newer token was here before, and refuses older tokens from now on.
     *
     * @param token of the lease under which this is done, 1 to 2^53 - 1
     */
    public Answer read(long token) {
        return act(FenceAct.READ, token, "");
    }

    /** The value at this instant; empty if there is none. Refuses no later write: for callers that only look. */
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
