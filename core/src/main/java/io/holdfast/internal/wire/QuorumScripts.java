package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The scripts of one node of a quorum, and of a server that may have lost its memory: what is said to each of them, in the
 * order of its header, and what it replies.
 */
public final class QuorumScripts {
    /** Thirty days: far longer than nobody asks, and a bound for what is left behind. */
    private static final Duration MARKER_LIFE = Duration.ofDays(30);

    /**
     * What an acquire asks of a node.
     *
     * @param proposedToken for a grant; may be 0
     * @param quarantine how long a node that has lost its memory grants nothing
     * @param durable whether a restart of the node loses nothing
     * @param agreement on what the clients of the quorum agree, one word
     * @param actor label of the actor
     */
    public record Acquire(
            Keys keys,
            String owner,
            Duration term,
            long proposedToken,
            Duration quarantine,
            boolean durable,
            String agreement,
            String actor) {}

    public enum QuorumWord {
        GRANTED,
        TAKEN,
        FRESH,
        OTHER,
        GONE
    }

    /**
     * What a server knows of what it has granted.
     *
     * @param forgottenMillis for how long it may have forgotten a hold; 0 if it knows all of them
     * @param otherAgreement on what the clients agree that use it as a node; empty if it is that of the present one
     */
    public record Memory(long forgottenMillis, String otherAgreement) {
        private static Memory of(ScriptReply reply) {
            return reply.says("OTHER")
                    ? new Memory(0, reply.text(1))
                    : new Memory(reply.says("KNOWS") ? 0 : reply.number(1), "");
        }
    }

    /**
     * What a node says to a request.
     *
     * @param token of the grant
     * @param holder who holds the lock on the node instead
     * @param remainingMillis the rest of that hold, or of the node's quarantine
     * @param otherAgreement on what those clients agree that use the node instead; empty but for that word
     */
    public record QuorumReply(
            QuorumWord word,
            long timeMicros,
            long token,
            Optional<Holder> holder,
            long remainingMillis,
            String otherAgreement) {
        private static QuorumReply of(ScriptReply reply) {
            QuorumWord word = reply.word(QuorumWord.class);
            long time = reply.timeMicros();
            return switch (word) {
                case GRANTED -> new QuorumReply(word, time, reply.number(1), Optional.empty(), 0, "");
                case TAKEN -> new QuorumReply(word, time, 0, reply.holder(1), reply.remainingMillis(1), "");
                case FRESH -> new QuorumReply(word, time, 0, Optional.empty(), reply.number(1), "");
                case OTHER -> new QuorumReply(word, time, 0, Optional.empty(), 0, reply.text(1));
                case GONE -> new QuorumReply(word, time, 0, Optional.empty(), 0, "");
            };
        }
    }

    private final ScriptCalls calls;
    private final Ticker ticker;
    private final Duration tokenLife;
    private final String label;

    /**
     * The scripts that one client sends to a node.
     *
     * @param label the part that all requests of the client share
     */
    QuorumScripts(ScriptCalls calls, Ticker ticker, Duration tokenLife, String label) {
        this.calls = calls;
        this.ticker = ticker;
        this.tokenLife = tokenLife;
        this.label = label;
    }

    public void acquire(
            Acquire asked, long sentNanos, BiConsumer<@Nullable QuorumReply, @Nullable DriverException> callback) {
        Keys keys = asked.keys();
        calls.call(
                Script.QUORUM_ACQUIRE,
                List.of(keys.hold(), keys.token(), keys.tombstone(asked.owner()), Keys.nodeMarker(keys.prefix())),
                new Arguments()
                        .add(asked.owner())
                        .add(asked.term())
                        .add(asked.proposedToken())
                        .add(asked.quarantine())
                        .add(tokenLife)
                        .add(MARKER_LIFE)
                        .add(label + "/" + asked.actor())
                        .add(asked.durable())
                        .add(asked.agreement()),
                sentNanos,
                QuorumReply::of,
                callback);
    }

    /** The answer is whether the owner holds the lock on this node with the token of the node's own grant. */
    public void raise(
            Keys keys,
            String owner,
            long nodeToken,
            long leaseToken,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        calls.call(
                Script.QUORUM_RAISE,
                List.of(keys.hold(), keys.token()),
                new Arguments()
                        .add(owner)
                        .add(nodeToken)
                        .add(leaseToken)
                        .add(term)
                        .add(tokenLife),
                sentNanos,
                reply -> reply.says("HELD"),
                callback);
    }

    /** The answer is whether the owner held the lock on this node. */
    public void release(
            Keys keys,
            String owner,
            Duration tombstone,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        calls.call(
                Script.QUORUM_RELEASE,
                List.of(keys.hold(), keys.tombstone(owner)),
                new Arguments().add(owner).add(tombstone).add(keys.freedChannel()),
                reply -> reply.says("RELEASED"),
                callback);
    }

    /**
     * Asks whether a server knows all that it has granted.
     *
     * @param to the server that is asked
     * @param marker a key on it
     * @param durable whether a restart of it loses nothing
     * @param agreement on what the clients of its quorum agree; empty if it is no node
     */
    public void memory(
            RedisDriver to,
            String marker,
            Duration quarantine,
            boolean durable,
            String agreement,
            BiConsumer<@Nullable Memory, @Nullable DriverException> callback) {
        calls.call(
                to,
                Script.MEMORY,
                List.of(marker),
                new Arguments().add(quarantine).add(MARKER_LIFE).add(durable).add(agreement),
                ticker.nanoTime(),
                Memory::of,
                callback);
    }
}
