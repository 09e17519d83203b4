package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Hold;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Which of this client's actors holds which lock. An actor is a thread, compared by identity, or an id of the caller's,
 * compared by value.
 */
final class Actors {
    /** Compared by hand: what the language makes for records takes ten milliseconds when a program first uses it. */
    private record Key(String hold, Object actor) {
        static Key of(Demand demand) {
            return new Key(demand.keys().hold(), demand.actor());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && hold.equals(key.hold) && actor.equals(key.actor);
        }

        @Override
        public int hashCode() {
            return 31 * hold.hashCode() + actor.hashCode();
        }
    }

    private final Map<Key, Hold> holds = new ConcurrentHashMap<>();
    private final AtomicInteger reentrantPending = new AtomicInteger();

    /** The newest hold counts, if an actor has several of one lock (of which the older can only be lost ones). */
    void begin(Hold hold) {
        holds.put(Key.of(hold.origin.demand), hold);
    }

    void end(Hold hold) {
        holds.remove(Key.of(hold.origin.demand), hold);
    }

    /** The hold of the actor that demands this, if it is valid. */
    @Nullable
    Hold ownOf(Demand demand) {
        Hold hold = holds.get(Key.of(demand));
        return hold != null && hold.isValid() ? hold : null;
    }

    /** A request that could share its actor's hold has begun, or has ended. */
    void reentrant(int change) {
        reentrantPending.addAndGet(change);
    }

    /** Whether any request waits that could share the hold of its actor. */
    boolean anyReentrantPending() {
        return reentrantPending.get() > 0;
    }
}
