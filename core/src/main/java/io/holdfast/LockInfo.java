package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The state of a lock of any kind on the server at one instant.
 *
 * @param name the lock's name
 * @param kind the kind of the lock
 * @param holder the holder; of several, the one in {@code shares} whose hold lasts longest; empty if the lock is free
 * @param confirmed whether the holder has taken up the lock; false for the short time after it was handed to a waiter, and for
 *     a free lock
 * @param leaseDuration the lease duration that the holder asked for, with its lock-delay; zero if the lock is free. If the lock
 *     rests, it is the time from the grant to the end of the rest
 * @param remaining how long the hold will last on the server without renewal, with its lock-delay
 * @param waiters how many requests are queued, even if not all are listed; 0 if there is no queue
 * @param callers how many calls wait for the lock, as far as is known; at least {@code waiters}. It is greater if callers of one
 *     client share a request, or wait inside the holder's process
 * @param queue the queued requests in the server's order, as many as the caller asked for
 * @param used how many holds the lock has, or how many permits of a semaphore are in use; those that rest count
 * @param shares the holders, the one whose hold ends first first; at most a hundred, or as many as waiters were asked for if
 *     those are more
 * @param limit an operator's limit of a semaphore; see {@link Admin#limit}
 * @param pause an operator's pause, even if the lock is still held; see {@link Admin#pause}
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
    /** The kind of a lock. Locks of different kinds with the same name are independent of each other. */
    public enum Kind {
        /** An exclusive lock: one owner holds it at a time. */
        LOCK,
        /** An election, see {@link Election}. */
        ELECTION,
        /** Work that is done once, see {@link Once}. */
        ONCE,
        /** A read/write lock. */
        READ_WRITE,
        /** A semaphore. */
        SEMAPHORE;

        /**
         * Returns the word for this kind on the command line and in JSON: {@code lock}, {@code election}, {@code once},
         * {@code read-write} or {@code semaphore}.
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Returns the noun for people, such as {@code read/write lock}. */
        public String noun() {
            return this == READ_WRITE ? "read/write lock" : word();
        }
    }

    /** The name of a lock and its kind, ordered by name and then by kind. */
    public record Named(String name, Kind kind) implements Comparable<Named> {
        @Override
        public int compareTo(Named other) {
            int order = name.compareTo(other.name);
            return order == 0 ? kind.compareTo(other.kind) : order;
        }
    }

    /**
     * A hold of a lock, which may have several.
     *
     * @param holder the holder
     * @param mode how the holder holds the lock
     * @param permits how many permits of a semaphore it has; 1 in the other modes
     * @param slots the slots of its permits, from 0 on; empty unless it asked for them, see
     *     {@link DistributedSemaphore#withSlots()}
     * @param confirmed whether the holder has taken up the lock
     * @param leaseDuration the lease duration that the holder asked for, with its lock-delay
     * @param remaining how long the hold will last on the server without renewal, with its lock-delay
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
     * An operator's limit of a semaphore: how many permits may be in use at present, whatever limit requests give.
     *
     * @param permits the number of permits; 0 if none is granted
     * @param application the name of the operator's application
     * @param host the name of the host on which that application ran
     * @param pid the process id of that application
     * @param remaining how long the limit will last
     */
    public record Limit(int permits, String application, String host, String pid, Duration remaining) {}

    /**
     * An operator's pause: the lock is not granted while it lasts.
     *
     * @param reason the reason that the operator gave; empty for none
     * @param application the name of the operator's application
     * @param host the name of the host on which that application ran
     * @param pid the process id of that application
     * @param remaining how long the pause will last
     */
    public record Pause(String reason, String application, String host, String pid, Duration remaining) {
        /** Creates the pause that the given holder stands for, see {@link Holder#isPause()}. */
        public Pause(Holder by, Duration remaining) {
            this(by.metadata().getOrDefault(Holder.REASON, ""), by.application(), by.host(), by.pid(), remaining);
        }
    }

    /**
     * An event that would free a lock. If several owners may hold the lock and a request waits: an event after which the next
     * waiter is served.
     *
     * @param by the kind of the event
     * @param after the time until the event, if nothing else happens before; empty if that is unknown
     * @param words a description for people, without the time
     * @param condition the condition for the event, for people; empty if there is none
     */
    public record Way(By by, Optional<Duration> after, String words, String condition) {
        /** The kinds of events that free a lock. */
        public enum By {
            /** The holder releases it. */
            RELEASE,
            /** The lease expires without a renewal. */
            EXPIRY,
            /** A waiter that was handed the lock does not confirm in time, see {@link LockOptions#withHandoffTimeout}. */
            HANDOFF_TIMEOUT,
            /** The lock rests, and the rest ends, see {@link Holder#resting()}. */
            REST,
            /** An operator's limit of a semaphore ends. */
            LIMIT,
            /** An operator's pause ends. */
            PAUSE,
            /** The lock is free, and the client of the next waiter reports again. */
            WAITER_AWAY,
            /** No event is needed: the lock is free, and all waiters are gone. */
            WAITERS_GONE,
            /** An operator releases the lock, see {@link Admin#release(String, long, Admin.Waiters)}. */
            OPERATOR_RELEASE,
            /** An operator ends the limit, see {@link Admin#unlimit}. */
            OPERATOR_UNLIMIT,
            /** An operator ends the pause, see {@link Admin#resume}. */
            OPERATOR_RESUME;

            /**
             * Returns the word for this kind in JSON: {@code waiter} for the two that concern waiters, {@code operator} for the
             * acts of an operator, otherwise the name in lower case with hyphens.
             */
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

    /** Creates the state of a lock that one owner holds at a time, such as an election. */
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

    /**
     * Creates the state of a lock that one owner holds at a time.
     *
     * @param noted a pause that begins when the lock is free; empty for none
     */
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

    /** Returns a copy with the number of waiting callers that clients have reported. */
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

    /** Returns the state after the given time, if nothing has happened meanwhile. */
    LockInfo after(Duration time) {
        return withRemaining(left -> less(left, time), time);
    }

    /** Returns the state after the given time of a lock with one holder, whose hold then lasts for {@code remains}. */
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

    /** Returns the name and the kind of the lock. */
    public Named named() {
        return new Named(name, kind);
    }

    /** Returns whether the lock is held, or rests (see {@link Holder#resting()}). */
    public boolean isLocked() {
        return holder.isPresent();
    }

    /** Returns whether a request is queued for the lock on the server. */
    public boolean isQueued() {
        return waiters > 0;
    }

    /**
     * Returns the first listed waiter that can be notified, which is the next to get the lock; if there is none, the first that
     * is not gone.
     */
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
     * Returns the events that would free the lock, the likeliest first. Returns an empty list if the lock is free, no request
     * waits, and no operator's limit or pause is in the way.
     *
     * @param listening returns whether the client with a given id listens, as {@link Inspector.Listeners#has} does
     */
    public List<Way> ways(Function<String, Optional<Boolean>> listening) {
        return Ways.of(this, listening);
    }
}
