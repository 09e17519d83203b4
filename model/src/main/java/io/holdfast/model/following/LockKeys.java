package io.holdfast.model.following;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is stored of one lock, as far as a script names its keys: the values as they are written, and when they end. */
final class LockKeys {
    /** Where nothing is to be looked at. */
    static final String NONE = "";

    /**
     * The keys of one lock that a script names; those that it does not are {@link #NONE}.
     *
     * @param graves keys of tombstones, by the public id of their owner
     */
    record Names(
            String hold,
            String queue,
            String parked,
            String details,
            String token,
            String members,
            String cap,
            String evicted,
            Map<String, String> graves) {
        /** Of a script that names the first five, and those of a line. */
        static Names of(List<String> keys, int first, boolean line) {
            return new Names(
                    keys.get(first),
                    keys.get(first + 1),
                    keys.get(first + 2),
                    keys.get(first + 3),
                    keys.get(first + 4),
                    line ? keys.get(first + 5) : NONE,
                    line ? keys.get(first + 6) : NONE,
                    NONE,
                    Map.of());
        }

        static Names ofHold(String hold, String members) {
            return new Names(hold, NONE, NONE, NONE, NONE, members, NONE, NONE, Map.of());
        }

        Names withEvicted(String key) {
            return new Names(hold, queue, parked, details, token, members, cap, key, graves);
        }

        Names withGraves(Map<String, String> keys) {
            return new Names(hold, queue, parked, details, token, members, cap, evicted, keys);
        }

        boolean isLine() {
            return !members.isEmpty();
        }
    }

    final @Nullable String hold;
    final Map<String, String> holds;
    final List<Stored.Member> members;
    final List<Stored.Member> queue;
    final List<Stored.Member> parked;
    final Map<String, String> details;
    final @Nullable String token;
    final @Nullable String cap;
    final Map<String, String> evicted;
    final Map<String, String> graves = new HashMap<>(); // by public id
    private final Map<String, Long> expiries = new HashMap<>();

    LockKeys(Stored stored, Names names) {
        hold = names.isLine() ? null : text(stored, names.hold);
        holds = names.isLine() ? fields(stored, names.hold) : Map.of();
        members = members(stored, names.members);
        queue = members(stored, names.queue);
        parked = members(stored, names.parked);
        details = fields(stored, names.details);
        token = text(stored, names.token);
        cap = text(stored, names.cap);
        evicted = fields(stored, names.evicted);
        names.graves.forEach((owner, key) -> {
            String mark = text(stored, key);
            if (mark != null) {
                graves.put(owner, mark);
            }
        });
    }

    private @Nullable String text(Stored stored, String key) {
        return isThere(stored, key) ? stored.text(key) : null;
    }

    private Map<String, String> fields(Stored stored, String key) {
        return isThere(stored, key) ? stored.fields(key) : Map.of();
    }

    private List<Stored.Member> members(Stored stored, String key) {
        return isThere(stored, key) ? new ArrayList<>(stored.members(key)) : List.of();
    }

    private boolean isThere(Stored stored, String key) {
        if (key.isEmpty()) {
            return false;
        }
        long expiry = stored.expiry(key);
        if (expiry != Stored.NO_KEY) {
            expiries.put(key, expiry);
        }
        return expiry != Stored.NO_KEY;
    }

    /** Whether one of the keys ends in this millisecond, ms since 1970. */
    boolean anyEndsIn(long millis) {
        return expiries.containsValue(millis);
    }

    /** When a key ends, ms since 1970; -1 for never; {@link Stored#NO_KEY}. */
    long expiry(String key) {
        return expiries.getOrDefault(key, Stored.NO_KEY);
    }
}
