package io.holdfast;

import io.holdfast.internal.wire.Require;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of a lock that was not obtained, by the last answer of the server, or as this client knows it.
 *
 * @param holder the holder; if there are several, the one whose hold lasts longest; empty if no answer has come, or if the lock
 *     was not held
 * @param remaining how long the hold will last without renewal; zero if unknown, 365 days if it does not expire
 * @param position the request's queue position by that answer, 1 for the next waiter; 0 if it was not queued
 * @param waiters how many requests are queued, including this one if it is queued; 0 if unknown
 * @param sharing how much of a lock that several owners may hold is in use; empty for other locks, and for a free read/write
 *     lock
 * @param heldByCallerSince the time, by the server's clock, since which the requesting actor has itself held the lock, or
 *     permits of the semaphore, for which it waited. Empty if nothing that it held kept it waiting, if the options do not let
 *     an actor wait for itself, or if this is not certain. For a request that does not block, it is certain only if the actor
 *     was named ({@link DistributedLock#withActor}). Always empty for a {@link Quorum}
 */
public record Contention(
        Optional<Holder> holder,
        Duration remaining,
        int position,
        int waiters,
        Optional<Sharing> sharing,
        Optional<Instant> heldByCallerSince) {
    /** A contention about which nothing is known, as if no server had answered. */
    public static final Contention NOTHING_KNOWN =
            new Contention(Optional.empty(), Duration.ZERO, 0, 0, Optional.empty(), Optional.empty());

    /**
     * The use of a lock that several owners may hold.
     *
     * @param mode how it is held: alone by a writer, shared by readers, or as permits
     * @param used how many readers or writers hold it, or how many permits are in use
     * @param wanted how many permits the request asked for; 1 in the other modes
     * @param limit how many permits may be in use, by the request's own limit; 0 in the other modes
     */
    public record Sharing(LockMode mode, int used, int wanted, int limit) implements Serializable {
        private String describe() {
            return switch (mode) {
                case EXCLUSIVE -> "held for writing by ";
                case SHARED ->
                    used > 1 ? "held for reading by " + used + ", for the longest time by " : "held for reading by ";
                case PERMITS ->
                    used + " of " + limit + (limit == 1 ? " permit" : " permits") + (used == 1 ? " is" : " are")
                            + " out, " + wanted + " wanted" + (used > 0 ? "; held for the longest time by " : "");
            };
        }
    }

    /** Creates the contention of a lock that one owner holds at a time. */
    public Contention(Optional<Holder> holder, Duration remaining, int position, int waiters) {
        this(holder, remaining, position, waiters, Optional.empty(), Optional.empty());
    }

    /** Returns a description for people. */
    public String describe() {
        String who = holder.map(this::held).orElse("");
        return sharing.map(use -> use.describe() + who).orElse(who.isEmpty() ? "holder not known" : "held by " + who)
                + (position > 0
                        ? "; position " + position + " of " + waiters
                        : waiters > 0 ? "; " + waiters + " waiting" : "")
                + heldByCallerSince
                        .map(since -> "; the actor that waited has itself been a holder since " + since
                                + ": locks are not re-entrant unless LockOptions.withReentrancy makes them so")
                        .orElse("");
    }

    private String held(Holder by) {
        return by.describe()
                + (by.since().equals(Instant.EPOCH) ? "" : " since " + by.since())
                + (remaining.compareTo(Require.LONGEST) < 0
                        ? ", for another " + remaining.toMillis() + " ms unless renewed"
                        : ", without expiry");
    }

    /** Returns the noun with an open quote, such as {@code semaphore '}; the name follows it. */
    String noun() {
        return sharing.map(use -> use.mode == LockMode.PERMITS ? "semaphore '" : "read/write lock '")
                .orElse("lock '");
    }
}
