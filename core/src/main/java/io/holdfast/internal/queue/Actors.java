package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Hold;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** The only hold, or a set of several, the oldest first, which is read and changed within the map's computations only. */
    private final Map<Key, Object> holds = new ConcurrentHashMap<>();

    private final AtomicInteger reentrantPending = new AtomicInteger();

    void begin(Hold hold) {
        holds.merge(Key.of(hold.origin.demand), hold, Actors::with);
    }

    void end(Hold hold) {
        holds.computeIfPresent(Key.of(hold.origin.demand), (same, held) -> without(held, hold));
    }

    /** The newest valid hold of the actor that demands this: readers and permits may have several of one lock. */
    @Nullable
    Hold ownOf(Demand demand) {
        Key key = Key.of(demand);
        Object held = holds.get(key);
        if (held == null || (held instanceof Hold only && only.isValid())) {
            return (Hold) held;
        }
        // Outside of the map's computation: to look whether a hold is valid may end it, which takes it out of the map.
        Hold newest = null;
        for (Hold each : all(key)) {
            newest = each.isValid() ? each : newest;
        }
        return newest;
    }

    /** What the actor that demands this has of the lock, the oldest first, whether it is valid or not. */
    List<Hold> holdsOf(Demand demand) {
        return all(Key.of(demand));
    }

    private List<Hold> all(Key key) {
        List<Hold> all = new ArrayList<>();
        holds.computeIfPresent(key, (same, now) -> {
            all.addAll(several(now));
            return now;
        });
        return all;
    }

    private static Object with(Object held, Object hold) {
        Set<Hold> several = several(held);
        several.add((Hold) hold);
        return several.size() == 1 ? hold : several;
    }

    private static @Nullable Object without(Object held, Hold hold) {
        if (held instanceof Hold) {
            return held == hold ? null : held;
        }
        Set<Hold> several = several(held);
        several.remove(hold);
        return several.size() == 1 ? several.iterator().next() : several;
    }

    @SuppressWarnings("unchecked") // what is no hold is a set of them
    private static Set<Hold> several(Object held) {
        return held instanceof Hold only ? new LinkedHashSet<>(Set.of(only)) : (Set<Hold>) held;
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
