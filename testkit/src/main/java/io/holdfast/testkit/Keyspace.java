package io.holdfast.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The data of a {@link MemoryServer}. A key that has expired is removed when it is looked at, and all of them now and
 * then. One reading of the clock holds for a whole command or script. For use under the server's lock.
 */
final class Keyspace {
    static final long NEVER = Long.MAX_VALUE;
    private static final int SWEEP_EVERY = 10_000; // turns, beyond one for each key: the cost of a sweep is spread

    record Text(String octets) {}

    record Hash(Map<String, String> fields) {
        Hash() {
            this(new LinkedHashMap<>());
        }
    }

    record Members(Set<String> members) {
        Members() {
            this(new LinkedHashSet<>());
        }
    }

    record Items(List<String> items) {
        Items() {
            this(new ArrayList<>());
        }
    }

    private static final class Slot {
        Object value;
        long expiresMillis = NEVER;

        Slot(Object value) {
            this.value = value;
        }
    }

    private final Map<String, Slot> slots = new HashMap<>();
    private long nowMicros;
    private long turns;

    /** Begins a command or a script. */
    void turn(long micros) {
        nowMicros = micros;
        if (++turns > SWEEP_EVERY + slots.size()) {
            sweep();
        }
    }

    long nowMicros() {
        return nowMicros;
    }

    long nowMillis() {
        return Math.floorDiv(nowMicros, 1_000);
    }

    private void sweep() {
        turns = 0;
        slots.values().removeIf(this::isOver);
    }

    /** As servers have it: a key is there until the millisecond in which it expires is over. */
    private boolean isOver(Slot slot) {
        return slot.expiresMillis < nowMillis();
    }

    private @Nullable Slot slot(String key) {
        Slot slot = slots.get(key);
        if (slot != null && isOver(slot)) {
            slots.remove(key);
            return null;
        }
        return slot;
    }

    boolean exists(String key) {
        return slot(key) != null;
    }

    /** The value of a key; null if there is none. */
    <T> @Nullable T find(String key, Class<T> type) {
        Slot slot = slot(key);
        if (slot == null) {
            return null;
        }
        if (!type.isInstance(slot.value)) {
            throw new CommandError(CommandError.WRONG_TYPE);
        }
        return type.cast(slot.value);
    }

    /** The value of a key, which is made if there is none. */
    <T> T make(String key, Class<T> type, Supplier<T> empty) {
        T found = find(key, type);
        if (found != null) {
            return found;
        }
        T made = empty.get();
        slots.put(key, new Slot(made));
        return made;
    }

    @Nullable
    String text(String key) {
        Text found = find(key, Text.class);
        return found == null ? null : found.octets();
    }

    /** Replaces whatever is there; the expiry goes. */
    void put(String key, Object value) {
        slots.put(key, new Slot(value));
    }

    /** Replaces the value; the expiry stays. */
    void replace(String key, Object value) {
        Slot slot = slot(key);
        if (slot == null) {
            put(key, value);
        } else {
            slot.value = value;
        }
    }

    boolean remove(String key) {
        return slot(key) != null && slots.remove(key) != null;
    }

    /** A collection without elements is no key. */
    void removeIfEmpty(String key) {
        Slot slot = slot(key);
        if (slot == null) {
            return;
        }
        Object value = slot.value;
        boolean empty = (value instanceof Hash hash && hash.fields().isEmpty())
                || (value instanceof Members set && set.members().isEmpty())
                || (value instanceof Items list && list.items().isEmpty())
                || (value instanceof SortedMembers sorted && sorted.size() == 0);
        if (empty) {
            slots.remove(key);
        }
    }

    void rename(String from, String to) {
        Slot slot = slots.remove(from);
        if (slot != null) {
            slots.put(to, slot);
        }
    }

    /** When a key expires; {@link #NEVER} if it does not, or is none. */
    long expiry(String key) {
        Slot slot = slot(key);
        return slot == null ? NEVER : slot.expiresMillis;
    }

    /** A time that has come removes the key at once. */
    void expire(String key, long millis) {
        Slot slot = slot(key);
        if (slot != null && millis <= nowMillis()) {
            slots.remove(key);
        } else if (slot != null) {
            slot.expiresMillis = millis;
        }
    }

    String type(String key) {
        Slot slot = slot(key);
        Object value = slot == null ? null : slot.value;
        if (value == null) {
            return "none";
        }
        return value instanceof Text
                ? "string"
                : value instanceof Hash
                        ? "hash"
                        : value instanceof Members ? "set" : value instanceof Items ? "list" : "zset";
    }

    /** All that is stored, as it is now: what changes later does not change it. */
    Map<String, Object> copy() {
        sweep();
        Map<String, Object> copied = new HashMap<>();
        slots.forEach((key, slot) -> {
            Slot same = new Slot(copyOf(slot.value));
            same.expiresMillis = slot.expiresMillis;
            copied.put(key, same);
        });
        return copied;
    }

    /** Stores what was copied, and nothing else. */
    void load(Map<String, Object> copied) {
        slots.clear();
        copied.forEach((key, stored) -> {
            Slot slot = (Slot) stored;
            Slot same = new Slot(copyOf(slot.value));
            same.expiresMillis = slot.expiresMillis;
            slots.put(key, same);
        });
    }

    private static Object copyOf(Object value) {
        if (value instanceof Hash hash) {
            return new Hash(new LinkedHashMap<>(hash.fields()));
        } else if (value instanceof Members set) {
            return new Members(new LinkedHashSet<>(set.members()));
        } else if (value instanceof Items list) {
            return new Items(new ArrayList<>(list.items()));
        } else if (value instanceof SortedMembers sorted) {
            return sorted.copy();
        }
        return value; // a text does not change
    }

    List<String> keys() {
        sweep();
        return new ArrayList<>(slots.keySet());
    }

    int size() {
        sweep();
        return slots.size();
    }

    void clear() {
        slots.clear();
    }

    /** @param next where to go on; 0 for the end */
    record Page(long next, List<String> found) {}

    /**
     * A page of a walk. The order is that of the elements' hashes, and the cursor is a hash: so what is there all the time
     * is met once, whatever comes and goes.
     */
    static Page page(Iterable<String> all, long cursor, long count) {
        PriorityQueue<Long> first = new PriorityQueue<>((a, b) -> Long.compare(b, a));
        for (String one : all) {
            long place = place(one);
            if (place >= cursor) {
                first.add(place);
                if (first.size() > count) {
                    first.remove();
                }
            }
        }
        if (first.size() < count) {
            List<String> rest = new ArrayList<>();
            all.forEach(one -> {
                if (place(one) >= cursor) {
                    rest.add(one);
                }
            });
            return new Page(0, rest);
        }
        long last = first.peek() == null ? cursor : first.element();
        List<String> found = new ArrayList<>();
        boolean more = false;
        for (String one : all) {
            long place = place(one);
            if (place >= cursor && place <= last) {
                found.add(one);
            }
            more |= place > last;
        }
        return new Page(more ? last + 1 : 0, found);
    }

    private static long place(String element) {
        int hash = element.hashCode() * 0x9E3779B9;
        return (hash ^ (hash >>> 15)) & 0x7fffffffL;
    }
}
