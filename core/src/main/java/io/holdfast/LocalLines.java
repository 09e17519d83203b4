package io.holdfast;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The locks of which one hold serves several leases of this client, one after the other: a {@link LocalLine} each. */
final class LocalLines {
    private record Key(String hold, LockOptions options) {}

    private final Client client;
    private final Map<Key, LocalLine> lines = new ConcurrentHashMap<>();

    LocalLines(Client client) {
        this.client = client;
    }

    /** Refuses options that do not go together with shared holds. */
    static void accept(LockOptions options) {
        if (!options.isShared()) {
            return;
        }
        String with = options.localHandoffs() > 0 ? "localHandoffs" : "keepFor";
        if (options.ownConflict() != LockOptions.OwnConflict.WAIT) {
            throw new IllegalArgumentException("ownConflict is " + options.ownConflict() + ", must be WAIT with " + with
                    + ": a hold that leases share belongs to no actor");
        }
        if (!options.shortestHold().isZero()) {
            throw new IllegalArgumentException("shortestHold is " + options.shortestHold() + ", must be "
                    + Duration.ZERO + " with " + with + ": a lock that rests cannot be handed on");
        }
    }

    Asking newRequest(Keys keys, LockOptions options, Wait wait, boolean scoped, @Nullable String actor) {
        return new LocalRequest(client, keys, options, wait, scoped, actor);
    }

    /** The line of a request, which it joins by this; it is made where there is none. */
    void join(LocalRequest request) {
        Key key = new Key(request.keys.hold(), request.options);
        while (true) {
            LocalLine line = lines.get(key);
            if (line == null) {
                line = lines.computeIfAbsent(key, absent -> new LocalLine(client, request.keys, request.options));
            }
            if (line.join(request)) {
                return;
            }
            lines.remove(key, line); // it had just ended
        }
    }

    /** A line has nothing to do any more. */
    void ended(LocalLine line) {
        lines.remove(new Key(line.keys.hold(), line.options), line);
    }

    /** Others want a lock. */
    void recalled(String hold, long token) {
        for (LocalLine line : lines.values()) {
            if (line.keys.hold().equals(hold)) {
                line.recall(token);
            }
        }
    }

    /** Nobody could tell that others want a lock. */
    void messagesDown(IntPredicate partitions) {
        for (LocalLine line : lines.values()) {
            if (partitions.test(client.driver.partition(line.keys.hold()))) {
                line.recall(0);
            }
        }
    }

    /** Adds the locks for whose messages this client has to listen. */
    void addKept(Set<String> holds) {
        for (LocalLine line : lines.values()) {
            if (!line.options.keepFor().isZero()) {
                holds.add(line.keys.hold());
            }
        }
    }

    void clientClosed() {
        lines.values().forEach(LocalLine::clientClosed);
    }

    /** How many holds are kept although nobody has a lease of them. */
    int kept() {
        return (int) lines.values().stream().filter(LocalLine::isKept).count();
    }

    /** How many requests wait here that the server does not know of. */
    int waiting() {
        return lines.values().stream().mapToInt(LocalLine::waiting).sum();
    }
}
