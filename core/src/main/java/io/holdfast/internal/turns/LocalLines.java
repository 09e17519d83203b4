package io.holdfast.internal.turns;

import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.internal.deadlock.BlockedFlows;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.queue.Kept;
import io.holdfast.internal.queue.QueueEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The locks of which one hold serves several leases of this client, one after the other: a {@link LocalLine} each. */
public final class LocalLines implements Kept {
    final QueueEngine queue;
    /** By the key of the hold: mostly one, more where the lock is asked for with several options. Never an empty list. */
    private final Map<String, List<LocalLine>> lines = new ConcurrentHashMap<>();

    public LocalLines(QueueEngine queue) {
        this.queue = queue;
    }

    /**
     * How many sections a turn may have; 0 where each request stands in the server's queue itself. So does, whatever was said
     * of turns, one whose lease is to have a hold for itself (for its own term, its actor or its shortest hold), and one that
     * wants something of the server's queue which is known there of each request.
     */
    static int turns(LockOptions options) {
        boolean served = options.renewal()
                && options.reentrancy() == LockOptions.Reentrancy.WAIT
                && options.minHold().isZero()
                && options.lockDelay().isZero()
                && options.order() == LockOptions.Order.FIFO
                && options.requestLife() == null
                && options.queueLimit() == 0;
        return served ? options.localHandoffs() : 0;
    }

    /** Whether requests of one client share holds of the server. */
    public static boolean isShared(LockOptions options) {
        return isShared(options, turns(options));
    }

    private static boolean isShared(LockOptions options, int turns) {
        return turns > 0 || (options.renewal() && !options.keepFor().isZero());
    }

    /** As {@link SharedTokens#reserved}. */
    public static int tokens(boolean wanted) {
        return SharedTokens.reserved(wanted);
    }

    /** Refuses options that do not go together with locks that are kept. */
    public static void accept(LockOptions options) {
        if (!options.renewal() || options.keepFor().isZero()) {
            return;
        }
        if (options.reentrancy() != LockOptions.Reentrancy.WAIT) {
            throw new IllegalArgumentException("reentrancy is " + options.reentrancy()
                    + ", must be WAIT with keepFor: a hold that leases share belongs to no actor");
        }
        refuseRest("minHold", options.minHold());
        refuseRest("lockDelay", options.lockDelay());
    }

    private static void refuseRest(String option, Duration value) {
        if (!value.isZero()) {
            throw new IllegalArgumentException(option + " is " + value + ", must be " + Duration.ZERO
                    + " with keepFor: a lock that rests cannot be handed on");
        }
    }

    /**
     * A request that stands in a line; null if this one shares no hold. A wait until one holder is stuck looks at the holders of
     * the server; who does not wait stands in no line, and asks here only for what is kept. A lock that several may hold has holds
     * of each of them.
     */
    @Nullable
    public Question<Handle> newRequest(Demand demand) {
        LockOptions options = demand.options();
        Wait wait = demand.waitLimit();
        int turns = turns(options);
        boolean shares = isShared(options, turns)
                && !demand.keys().kind().isLine()
                && !wait.untilStuck()
                && (!wait.isNone() || !options.keepFor().isZero());
        return shares ? new LocalRequest(queue, this::join, demand, turns) : null;
    }

    /** The line of a request, which it joins by this; it is made where there is none. */
    void join(LocalRequest request) {
        String hold = request.demand.keys().hold();
        LockOptions options = request.demand.options();
        while (true) {
            LocalLine line = among(lines.get(hold), options);
            if (line == null) {
                line = Objects.requireNonNull(
                        among(lines.compute(hold, (key, present) -> with(present, request)), options));
            }
            if (line.join(request)) {
                return;
            }
            ended(line); // just now
        }
    }

    private static @Nullable LocalLine among(@Nullable List<LocalLine> present, LockOptions options) {
        if (present != null) {
            for (LocalLine line : present) {
                if (line.options.equals(options)) {
                    return line;
                }
            }
        }
        return null;
    }

    /** These and a line of the request's own, unless another thread has made it meanwhile. */
    private List<LocalLine> with(@Nullable List<LocalLine> present, LocalRequest request) {
        LockOptions options = request.demand.options();
        if (present != null && among(present, options) != null) {
            return present;
        }
        LocalLine made = new LocalLine(queue, request.demand.keys(), options, request.sections, this::ended);
        if (present == null) {
            return List.of(
                    made); // mostly: made for each section of a lock that nobody else wants, so that it has to be cheap
        }
        List<LocalLine> all = new ArrayList<>(present);
        all.add(made);
        return List.copyOf(all);
    }

    /** A line has nothing to do any more. */
    void ended(LocalLine line) {
        lines.computeIfPresent(line.keys.hold(), (hold, present) -> {
            if (present.size() == 1) {
                return present.get(0) == line ? null : present;
            }
            return present.stream().filter(each -> each != line).toList(); // of several at least one is left
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
    public void dropped(String hold, String owner) {
        lines.getOrDefault(hold, List.of()).forEach(line -> line.dropped(owner));
    }

    @Override
    public @Nullable CompletableFuture<ReleaseResult> giveBackKept(String hold) {
        CompletableFuture<ReleaseResult> answer = null;
        for (LocalLine line : lines.getOrDefault(hold, List.of())) {
            CompletableFuture<ReleaseResult> given = line.giveBackIfKept();
            if (given
                    != null) { // mostly one: of several, one line's may be answered late, while another's is on its way
                answer = answer == null ? given : answer.thenCombine(given, (one, other) -> other);
            }
        }
        return answer;
    }

    @Override
    public @Nullable Holding lentTo(String hold, String flow) {
        for (LocalLine line : lines.getOrDefault(hold, List.of())) {
            LocalHold lease = line.lent;
            if (lease != null && flow.equals(lease.flowId()) && lease.isValid()) {
                return lease;
            }
        }
        return null;
    }

    @Override
    public void queued(String hold) {
        lines.getOrDefault(hold, List.of()).forEach(line -> line.requests().forEach(LocalRequest::waits));
    }

    /** Nobody could tell that others want a lock. */
    public void messagesDown(IntPredicate partitions) {
        forEach(line -> {
            if (partitions.test(queue.server.partition(line.keys))) {
                line.messagesDown();
            }
        });
    }

    @Override
    public void show(BlockedFlows to) {
        forEach(line -> line.show(to));
    }

    @Override
    public void addKept(Set<String> holds) {
        forEach(line -> {
            if (line.hears()) {
                holds.add(line.keys.hold());
            }
        });
    }

    public void clientClosed() {
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
