package io.holdfast.internal.quorum;

import io.holdfast.Holder;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.NodeFailure;
import io.holdfast.NodeInfo;
import io.holdfast.QuorumOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.ChangeNotifications;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Lasting;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.polled.PolledRequest;
import io.holdfast.internal.report.Reporter;
import io.holdfast.internal.wire.Deadlines;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.Subscriptions;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a quorum's client: its {@link VotingNode nodes}, and what is asked of all of them.
 */
public final class QuorumClient implements Engine {
    /** Why no lock of a quorum rests. */
    static final String RESTS = "a lock's rest would end at different times on the nodes, and split the votes";

    /** Added to what the fastest clock may show, so that the proposal is still ahead when it arrives. */
    private static final long LEAD_MICROS = 10_000;

    public final Kit kit;
    public final QuorumOptions options;
    final Agreement agreement;
    final List<VotingNode> nodes;
    final int majority;
    final QuorumLines lines;
    private final ChangeNotifications bulletins;
    public final Set<PolledRequest> requests = ConcurrentHashMap.newKeySet(); // asking, or with a hold

    public QuorumClient(List<RedisDriver> drivers, QuorumOptions options, Environment environment) {
        this.options = options;
        this.agreement =
                Agreement.of(drivers.stream().map(RedisDriver::describe).toList(), options);
        this.majority = drivers.size() / 2 + 1;
        this.kit = new Kit(options.client(), environment, options.nodeTimeout());
        Subscriptions subscriptions = new Subscriptions(drivers);
        this.lines = new QuorumLines(this, subscriptions);
        List<VotingNode> made = new ArrayList<>();
        for (RedisDriver driver : drivers) {
            made.add(new VotingNode(made.size(), driver, this));
        }
        this.nodes = List.copyOf(made);
        kit.reportTo(new AtEachNode());
        this.bulletins =
                new ChangeNotifications(nodes.stream().map(node -> node.server).toList(), subscriptions);
    }

    /** What this client has is reported at each node, for those who look at it. */
    private final class AtEachNode implements Lasting {
        @Override
        public void begins() {
            nodes.forEach(node -> node.reporter.begins());
        }

        @Override
        public void goesOn(Keys keys, long untilNanos) {
            nodes.forEach(node -> node.reporter.goesOn(keys, untilNanos));
        }
    }

    /** As {@link Reporter.Callers#tell}. */
    void tellCallers(ObjLongConsumer<String> to) {
        for (PolledRequest request : requests) {
            if (request.outcome.pending() && !request.outcome.demand.waitLimit().isNone()) {
                to.accept(request.keys().hold(), request.outcome.startNanos);
            }
        }
    }

    /** Refuses what options of one server's client mean nothing here. */
    public static void check(HoldfastOptions client) {
        refuseUnless(
                "quarantine",
                client.quarantine(),
                Duration.ZERO,
                "a node that lost its memory is kept out by the quorum itself");
        refuseUnless(
                "deadlockDetection",
                String.valueOf(client.deadlockDetection()),
                "null",
                "a quorum has no queue, so no client could see who waits for whom");
    }

    /**
     * Connects to the nodes, and looks at them.
     *
     * @throws ServerRefusedException if one of them cannot be a node
     * @throws ServerUnreachableException if no majority is there
     */
    public void connect() throws InterruptedException {
        CompletableFuture<?>[] begun = nodes.stream().map(VotingNode::begin).toArray(CompletableFuture<?>[]::new);
        Duration limit = options.client().connectTimeout().plus(options.client().commandTimeout());
        try {
            CompletableFuture.allOf(begun).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // Those that are there are enough, or not.
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails these stages", e);
        }
        List<NodeFailure> failures = new ArrayList<>();
        for (VotingNode node : nodes) {
            HoldfastException unfit = node.unfit();
            if (unfit instanceof ServerRefusedException refused) {
                throw refused;
            } else if (unfit != null) {
                failures.add(new NodeFailure(node.name(), unfit));
            }
        }
        if (nodes.size() - failures.size() < majority) {
            throw new ServerUnreachableException(
                    failures, "no majority of the nodes is available: " + Refusals.inWords(failures));
        }
    }

    @Override
    public Kit kit() {
        return kit;
    }

    /** How long a node is kept out that is new, or has lost its memory. */
    Duration quarantine() {
        return quarantine(options.maxLeaseDuration());
    }

    /** A second more than terms take, because tokens may be so far ahead of a node's clock. */
    public static Duration quarantine(Duration maxLeaseDuration) {
        return maxLeaseDuration
                .plusNanos(Deadlines.drift(maxLeaseDuration.toNanos()))
                .plusSeconds(1);
    }

    /** Another node that runs on the same server; null if there is none. */
    @Nullable
    VotingNode twinOf(VotingNode node) {
        for (VotingNode other : nodes) {
            if (other != node && other.runId().equals(node.runId())) {
                return other;
            }
        }
        return null;
    }

    /**
     * A token that every node is likely to take for its grant, because it is a little ahead of all their clocks: then they
     * all give the same, and none has to be told of the others'.
     */
    long proposeToken(long nowNanos) {
        long latest = 0;
        for (VotingNode node : nodes) {
            latest = Math.max(latest, node.server.clock.microsAt(0, nowNanos));
        }
        return latest == 0 ? 0 : latest + LEAD_MICROS;
    }

    /** Of values of some nodes, the one that a majority has at least; the least if they are fewer. */
    <T extends Comparable<T>> T ofMajority(List<T> values) {
        List<T> sorted = values.stream().sorted(Comparator.reverseOrder()).toList();
        return sorted.get(Math.min(majority, sorted.size()) - 1);
    }

    @Override
    public void accept(LockOptions lock) {
        if (lock.leaseDuration().compareTo(options.maxLeaseDuration()) > 0) {
            throw new IllegalArgumentException(
                    "leaseDuration is " + lock.leaseDuration() + ", must be at most the quorum's maxLeaseDuration, "
                            + options.maxLeaseDuration() + ": a node that lost its memory is kept out for this time");
        }
        String queue = "a quorum has no queue";
        refuseUnless("order", lock.order(), LockOptions.Order.FIFO, queue);
        refuseUnless("priority", lock.priority(), 0, queue);
        refuseUnless("queueLimit", lock.queueLimit(), 0, queue);
        refuseUnless("requestLife", String.valueOf(lock.requestLife()), "null", queue);
        refuseUnless("keepFor", lock.keepFor(), Duration.ZERO, "no server could recall the lock");
        refuseUnless("lockDelay", lock.lockDelay(), Duration.ZERO, RESTS);
        refuseUnless("minHold", lock.minHold(), Duration.ZERO, RESTS);
        refuseUnless("deadlock", lock.deadlock(), LockOptions.OnDeadlock.WAIT, "a quorum finds no deadlocks");
        refuseUnless("replicas", lock.replicas(), 0, "the nodes of a quorum are independent servers");
        refuseUnless(
                "reentrancy",
                lock.reentrancy(),
                LockOptions.Reentrancy.WAIT,
                "a quorum does not know actors, so there is no re-entry, and no view as a java.util.concurrent lock");
        if (lock.waitLimit().untilStuck()) {
            throw new IllegalArgumentException(
                    "waitLimit is " + lock.waitLimit()
                            + ", must be none, limited or for ever: a quorum does not judge how long one holder has kept a lock");
        }
    }

    private static void refuseUnless(String option, Object value, Object only, String reason) {
        if (!value.equals(only)) {
            throw new IllegalArgumentException(
                    option + " is " + value + ", must be left at its default, " + only + ": " + reason);
        }
    }

    @Override
    public Question<Handle> newRequest(Demand demand) {
        String owner = kit.ids.next();
        return new PolledRequest(
                new Outcome(kit, demand.named(), owner, false),
                new QuorumPoll(this, demand, owner),
                "a quorum does not judge how long one holder has kept a lock");
    }

    @Override
    public boolean hasQueue() {
        return false;
    }

    @Override
    public ChangeNotifications bulletins() {
        return bulletins;
    }

    // ---- looking

    /** What each node says. Blocks for the node timeout at most. */
    public List<NodeInfo> lookAtEach(Keys keys) {
        if (kit.isClosed()) {
            throw new HoldfastClosedException();
        }
        return askEach(keys).join();
    }

    private CompletableFuture<List<NodeInfo>> askEach(Keys keys) {
        List<CompletableFuture<NodeInfo>> answers = new ArrayList<>();
        for (VotingNode node : nodes) {
            CompletableFuture<NodeInfo> answer = new CompletableFuture<>();
            answers.add(answer);
            HoldfastException unfit = node.unfit();
            Optional<NodeFailure> known =
                    unfit == null ? Optional.empty() : Optional.of(new NodeFailure(node.name(), unfit));
            Runnable cancel =
                    kit.schedule(options.nodeTimeout().toNanos(), () -> answer.complete(failed(node, node.silent())));
            node.server.adminScripts.info(List.of(keys), 0, (infos, failure) -> {
                cancel.run();
                answer.complete(
                        infos != null
                                ? new NodeInfo(node.name(), Optional.of(infos.get(0)), known)
                                : failed(
                                        node,
                                        failure == null
                                                ? new ServerUnreachableException(node.name() + " did not answer", null)
                                                : node.unreachableOrRefused(failure)));
            });
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    }

    private static NodeInfo failed(VotingNode node, HoldfastException failure) {
        return new NodeInfo(node.name(), Optional.empty(), Optional.of(new NodeFailure(node.name(), failure)));
    }

    /** Who may hold a lock: those that do not answer, and could make up a majority, count as if they stood behind it. */
    @Override
    public LockInfo look(Keys keys) {
        return judge(keys, lookAtEach(keys));
    }

    @Override
    public CompletableFuture<LockInfo> lookAsync(Keys keys) {
        if (kit.isClosed()) {
            return CompletableFuture.failedFuture(new HoldfastClosedException());
        }
        return askEach(keys).thenApply(told -> judge(keys, told));
    }

    private LockInfo judge(Keys keys, List<NodeInfo> told) {
        List<NodeFailure> failures =
                told.stream().flatMap(each -> each.failure().stream()).toList();
        Map<String, List<LockInfo>> byOwner = new HashMap<>();
        int silent = 0;
        for (NodeInfo each : told) {
            if (each.lock().isEmpty()) {
                silent++;
            }
            each.lock()
                    .filter(LockInfo::isLocked)
                    .ifPresent(info -> byOwner.computeIfAbsent(
                                    info.holder().map(Holder::owner).orElse(""), owner -> new ArrayList<>())
                            .add(info));
        }
        if (nodes.size() - silent < majority) {
            throw new ServerUnreachableException(
                    failures,
                    LogText.lock(keys.name()) + ": no majority of the nodes answered: " + Refusals.inWords(failures));
        }
        for (List<LockInfo> infos : byOwner.values()) {
            if (infos.size() + silent >= majority) {
                LockInfo one = infos.get(0);
                return new LockInfo(
                        keys.name(),
                        one.kind(),
                        one.holder(),
                        true,
                        one.leaseDuration(),
                        ofMajority(infos.stream().map(LockInfo::remaining).toList()),
                        0,
                        List.of());
            }
        }
        return new LockInfo(
                keys.name(), LockInfo.Kind.LOCK, Optional.empty(), false, Duration.ZERO, Duration.ZERO, 0, List.of());
    }

    // ---- the end

    public void close() {
        if (!kit.close()) {
            return;
        }
        kit.endEach(List.copyOf(requests), PolledRequest::clientClosed);
        // All at once: each waits for its releases, and one that hangs must not use up the others' time.
        Duration limit = options.client().closeTimeout();
        List<Thread> closing = new ArrayList<>();
        for (VotingNode node : nodes.subList(1, nodes.size())) {
            Thread thread = new Thread(() -> node.close(limit), "holdfast-close-" + node.name());
            thread.setDaemon(true);
            thread.start();
            closing.add(thread);
        }
        boolean interrupted = nodes.get(0).close(limit);
        for (Thread thread : closing) {
            try {
                thread.join(limit.toMillis() + 1_000);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        kit.shutDown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
