package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A lock of any kind as it stands on the server at one instant.
 *
 * @param name the lock's name
 * @param kind what the name is the name of
 * @param holder who holds it; of several, the one whose hold lasts longest; empty if it is free
 * @param confirmed whether the holder has taken up the lock; false for the short time after it was handed to a waiter
 * @param leaseDuration the lease duration that the holder asked for; zero if it is free
 * @param remaining how long the hold will last without renewal
 * @param waiters how many requests are queued, also where not all are listed; 0 if there is no queue
 * @param callers how many calls wait for it: more than requests where callers of one client share one, or wait inside of the holder's
 *     process; as far as is known, and {@code waiters} at least
 * @param queue the queued requests in the server's order, as far as they were asked for
 * @param used how many leases hold it, or, of a semaphore, how many permits are out
 * @param shares all that hold it, the one first that ends first, as far as they were asked for
 * @param limit an operator's limit of a semaphore; see {@link Admin#limit}
 * @param pause an operator's pause, which also a lock has that is still held; see {@link Admin#pause}
 */
public record LockInfo(
        String name,
        Kind kind,
        Optional<Holder> holder,
        boolean confirmed,
        Duration leaseDuration,
        Duration remaining,
        int waiters,
        int callers,
        List<Waiter> queue,
        int used,
        List<Share> shares,
        Optional<Limit> limit,
        Optional<Pause> pause) {
    /** What a name is the name of. Names of different kinds have nothing to do with each other. */
    public enum Kind {
        /** A lock that one holds at a time. */
        LOCK,
        /** An election. */
        ELECTION,
        /** Work that is done once, see {@link Once}. */
        ONCE,
        /** A read/write lock. */
        READ_WRITE,
        /** A semaphore. */
        SEMAPHORE;

        /** As it is typed, and as documents have it: {@code lock}, {@code election}, {@code once}, {@code read-write}, {@code semaphore}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** For people: {@code read/write lock}. */
        public String noun() {
            return this == READ_WRITE ? "read/write lock" : word();
        }
    }

    /** A name and its kind, ordered by the name first. */
    public record Named(String name, Kind kind) implements Comparable<Named> {
        @Override
        public int compareTo(Named other) {
            int order = name.compareTo(other.name);
            return order == 0 ? kind.compareTo(other.kind) : order;
        }
    }

    /**
     * One of those that hold a lock.
     *
     * @param mode what else may be held beside it
     * @param permits how many it has of a semaphore; 1 in the other modes
     * @param slots which of them, from 0 on; empty unless they were asked for, see {@link DistributedSemaphore#withSlots()}
     * @param confirmed whether the holder has taken up the lock
     * @param leaseDuration the lease duration that the holder asked for
     * @param remaining how long the hold will last without renewal
     */
    public record Share(
            Holder holder,
            LockMode mode,
            int permits,
            List<Integer> slots,
            boolean confirmed,
            Duration leaseDuration,
            Duration remaining) {}

    /**
     * How many permits of a semaphore may be out at present, whatever requests say.
     *
     * @param permits 0 if none is granted
     * @param application of the operator
     * @param host where that ran
     * @param pid its process id
     * @param remaining for how long yet
     */
    public record Limit(int permits, String application, String host, String pid, Duration remaining) {}

    /**
     * An operator keeps the lock from being granted.
     *
     * @param reason that the operator gave; empty for none
     * @param application of the operator
     * @param host where that ran
     * @param pid its process id
     * @param remaining for how long yet
     */
    public record Pause(String reason, String application, String host, String pid, Duration remaining) {
        /** That an operator has begun. */
        public Pause(Holder by, Duration remaining) {
            this(by.metadata().getOrDefault(Holder.REASON, ""), by.application(), by.host(), by.pid(), remaining);
        }
    }

    /**
     * Something that would free a lock, or, where several may hold it and a request waits, serve the next in line.
     *
     * @param by what it is
     * @param after in what time, if nothing comes between; empty if that is unknown
     * @param words the same for people, without the time
     * @param condition for people, on what condition; empty if on none
     */
    public record Way(By by, Optional<Duration> after, String words, String condition) {
        /** What it is. */
        public enum By {
            /** The holder releases it. */
            RELEASE,
            /** The lease expires without a renewal. */
            EXPIRY,
            /** It was handed to a waiter that does not confirm in time: {@link LockOptions#withHandoffTimeout}. */
            HANDOFF_TIMEOUT,
            /** It rests, and the rest ends. */
            REST,
            /** An operator's limit of a semaphore ends. */
            LIMIT,
            /** An operator's pause ends. */
            PAUSE,
            /** The next in line is heard of again. */
            WAITER_AWAY,
            /** Nothing, and nothing has to: no waiter is there any more. */
            WAITERS_GONE,
            /** An operator releases it: {@link Admin#release(String, long, Admin.Waiters)}. */
            OPERATOR_RELEASE,
            /** An operator ends the limit: {@link Admin#unlimit}. */
            OPERATOR_UNLIMIT,
            /** An operator ends the pause: {@link Admin#resume}. */
            OPERATOR_RESUME;

            /** As documents have it: {@code waiter} for both that are about waiters, {@code operator} for all that an operator does. */
            public String word() {
                return switch (this) {
                    case WAITER_AWAY, WAITERS_GONE -> "waiter";
                    case OPERATOR_RELEASE, OPERATOR_UNLIMIT, OPERATOR_RESUME -> "operator";
                    case RELEASE, EXPIRY, HANDOFF_TIMEOUT, REST, LIMIT, PAUSE ->
                        name().toLowerCase(Locale.ROOT).replace('_', '-');
                };
            }
        }
    }

    /** Copies the lists. */
    public LockInfo {
        queue = List.copyOf(queue);
        shares = List.copyOf(shares);
    }

    /** A lock that one holds at a time, or an election. */
    public LockInfo(
            String name,
            Kind kind,
            Optional<Holder> holder,
            boolean confirmed,
            Duration term,
            Duration remaining,
            int waiters,
            List<Waiter> queue) {
        this(name, kind, holder, confirmed, term, remaining, waiters, queue, Optional.empty());
    }

    /** A copy with a pause that is to begin when it is free. */
    public LockInfo(
            String name,
            Kind kind,
            Optional<Holder> holder,
            boolean confirmed,
            Duration term,
            Duration remaining,
            int waiters,
            List<Waiter> queue,
            Optional<Pause> noted) {
        this(
                name,
                kind,
                holder,
                confirmed,
                term,
                remaining,
                waiters,
                waiters,
                queue,
                holder.isPresent() ? 1 : 0,
                holder.map(has -> new Share(has, LockMode.EXCLUSIVE, 1, List.of(), confirmed, term, remaining)).stream()
                        .toList(),
                Optional.empty(),
                noted.or(() -> holder.filter(Holder::isPause).map(by -> new Pause(by, remaining))));
    }

    /** A copy with what clients have reported of those who wait. */
    LockInfo withCallers(int reported) {
        return new LockInfo(
                name,
                kind,
                holder,
                confirmed,
                leaseDuration,
                remaining,
                waiters,
                Math.max(waiters, reported),
                queue,
                used,
                shares,
                limit,
                pause);
    }

    /** A copy some time later, if nothing has happened meanwhile. */
    LockInfo after(Duration time) {
        return withRemaining(left -> less(left, time), time);
    }

    /** Where one holds it: the same some time later, held for so long yet. */
    LockInfo lasting(Duration remains, Duration time) {
        return withRemaining(left -> remains, time);
    }

    private static Duration less(Duration left, Duration time) {
        return left.compareTo(time) > 0 ? left.minus(time) : Duration.ZERO;
    }

    private LockInfo withRemaining(UnaryOperator<Duration> change, Duration time) {
        return new LockInfo(
                name,
                kind,
                holder,
                confirmed,
                leaseDuration,
                change.apply(remaining),
                waiters,
                callers,
                queue,
                used,
                shares.stream()
                        .map(share -> new Share(
                                share.holder,
                                share.mode,
                                share.permits,
                                share.slots,
                                share.confirmed,
                                share.leaseDuration,
                                change.apply(share.remaining)))
                        .toList(),
                limit.map(set -> new Limit(set.permits, set.application, set.host, set.pid, less(set.remaining, time))),
                pause.map(set -> new Pause(set.reason, set.application, set.host, set.pid, less(set.remaining, time))));
    }

    /** Its name and kind. */
    public Named named() {
        return new Named(name, kind);
    }

    /** Whether the lock is held, or rests (see {@link Holder#resting()}). */
    public boolean isLocked() {
        return holder.isPresent();
    }

    /** Whether a request waits for the lock. */
    public boolean isQueued() {
        return waiters > 0;
    }

    /** The first in line that would get the lock now; if none can be notified, the first that has not gone. */
    public Optional<Waiter> next() {
        Waiter first = null;
        for (Waiter each : queue) {
            if (each.state() == Waiter.State.HERE) {
                return Optional.of(each);
            }
            if (first == null && each.state() != Waiter.State.GONE) {
                first = each;
            }
        }
        return Optional.ofNullable(first);
    }

    /**
     * What would free the lock, the likeliest first; empty if it is free and no request waits.
     *
     * @param listening whether a client listens, by its id, as {@link Inspector.Listeners#has} reports it
     */
    public List<Way> ways(Function<String, Optional<Boolean>> listening) {
        return Ways.of(this, listening);
    }
}
