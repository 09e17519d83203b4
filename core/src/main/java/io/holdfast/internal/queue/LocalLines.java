package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.lease.Asking;
import io.holdfast.internal.lease.Demand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The locks of which one hold serves several leases of this client, one after the other: a {@link LocalLine} each. */
public final class LocalLines implements Kept {
    /** Leases that one hold is good for: a tenth of a second's worth of tokens. */
    private static final int TOKENS = 100_000;

    final QueueEngine queue;
    /** By the key of the hold: mostly one, more where the lock is asked for with several options. Never an empty list. */
    private final Map<String, List<LocalLine>> lines = new ConcurrentHashMap<>();

    LocalLines(QueueEngine queue) {
        this.queue = queue;
    }

    /**
     * Whether requests of one client share holds of the server. A lease that is not renewed has a hold, and its term, for
     * itself.
     */
    public static boolean isShared(LockOptions options) {
        return options.renewed() && (options.turns() > 0 || !options.keepFor().isZero());
    }

    /** How many tokens the server reserves for a hold: one for each of its leases. */
    public static int tokens(LockOptions options) {
        return isShared(options) ? TOKENS : 1;
    }

    /** Refuses options that do not go together with shared holds. */
    static void accept(LockOptions options) {
        if (!isShared(options)) {
            return;
        }
        String with = options.turns() > 0 ? "turns" : "keepFor";
        if (options.ownConflict() != LockOptions.OwnConflict.WAIT) {
            throw new IllegalArgumentException("ownConflict is " + options.ownConflict() + ", must be WAIT with " + with
                    + ": a hold that leases share belongs to no actor");
        }
        if (!options.shortestHold().isZero()) {
            throw new IllegalArgumentException("shortestHold is " + options.shortestHold() + ", must be "
                    + Duration.ZERO + " with " + with + ": a lock that rests cannot be handed on");
        }
    }

    Asking<Attempt> newRequest(Demand demand) {
        return new LocalRequest(this, demand.named());
    }

    /** The line of a request, which it joins by this; it is made where there is none. */
    void join(LocalRequest request) {
        while (true) {
            LocalLine line = lineOf(request);
            if (line == null) {
                lines.compute(request.demand.keys().hold(), (hold, present) -> with(present, request));
            } else if (line.join(request)) {
                return;
            } else {
                ended(line); // just now
            }
        }
    }

    private @Nullable LocalLine lineOf(LocalRequest request) {
        for (LocalLine line : lines.getOrDefault(request.demand.keys().hold(), List.of())) {
            if (line.options.equals(request.demand.options())) {
                return line;
            }
        }
        return null;
    }

    /** These and a line of the request's own, unless another thread has made it meanwhile. */
    private List<LocalLine> with(@Nullable List<LocalLine> present, LocalRequest request) {
        List<LocalLine> all = present == null ? new ArrayList<>() : new ArrayList<>(present);
        if (all.stream().noneMatch(line -> line.options.equals(request.demand.options()))) {
            all.add(new LocalLine(this, request.demand.keys(), request.demand.options()));
        }
        return List.copyOf(all);
    }

    /** A line has nothing to do any more. */
    void ended(LocalLine line) {
        lines.computeIfPresent(line.keys.hold(), (hold, present) -> {
            List<LocalLine> left = present.stream().filter(each -> each != line).toList();
            return left.isEmpty() ? null : left;
        });
    }

    private void forEach(Consumer<LocalLine> action) {
        lines.values().forEach(ofOneLock -> ofOneLock.forEach(action));
    }

    @Override
    public void recalled(String hold, long token) {
        lines.getOrDefault(hold, List.of()).forEach(line -> line.recall(token));
    }

    @Override
    public void nobodyElse(String hold, long token, long sentNanos) {
        lines.getOrDefault(hold, List.of()).forEach(line -> line.nobodyElse(token, sentNanos));
    }

    @Override
    public @Nullable CompletableFuture<ReleaseResult> giveBackKept(String hold) {
        CompletableFuture<ReleaseResult> answer = null;
        for (LocalLine line : lines.getOrDefault(hold, List.of())) {
            CompletableFuture<ReleaseResult> given = line.giveBackIfKept();
            answer = given == null ? answer : given; // there is one at most: the server has one hold
        }
        return answer;
    }

    /** Nobody could tell that others want a lock. */
    void messagesDown(IntPredicate partitions) {
        forEach(line -> {
            if (partitions.test(queue.server.partition(line.keys))) {
                line.messagesDown();
            }
        });
    }

    @Override
    public void addKept(Set<String> holds) {
        forEach(line -> {
            if (line.hears()) {
                holds.add(line.keys.hold());
            }
        });
    }

    void clientClosed() {
        lines.values().forEach(ofOneLock -> queue.kit.endEach(ofOneLock, LocalLine::clientClosed));
    }

    /** How many holds are kept although nobody has a lease of them. */
    public int kept() {
        return (int) lines.values().stream()
                .flatMap(List::stream)
                .filter(LocalLine::isKept)
                .count();
    }

    /** How many requests wait here that the server does not know of. */
    public int waiting() {
        return lines.values().stream()
                .flatMap(List::stream)
                .mapToInt(LocalLine::waiting)
                .sum();
    }
}
