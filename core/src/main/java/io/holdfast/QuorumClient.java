package io.holdfast;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Entropy;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a quorum's client: a {@link NodeClient} for each node, and what they share. The first node's engine, called
 * the lead, also makes owner ids, tells events and runs callbacks; it exists also while its node is away.
 */
final class QuorumClient implements Engine {
    /** Added to what the fastest clock may show, so that the proposal is still ahead when it arrives. */
    private static final long LEAD_MICROS = 10_000;

    final QuorumOptions options;
    final List<NodeClient> nodes;
    final int majority;
    final Timers timers;
    private final Renewals renewals;
    final QuorumLines lines;
    final Set<PolledRequest<Attempt>> requests = ConcurrentHashMap.newKeySet(); // asking, or with a hold
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final AtomicLong requestNumbers = new AtomicLong();
    private final Ticker ticker;
    private final Entropy entropy;
    private final AtomicBoolean closed = new AtomicBoolean();

    QuorumClient(List<QuorumNode> given, QuorumOptions options, Environment environment) {
        this.options = options;
        this.majority = given.size() / 2 + 1;
        this.ticker = environment.ticker();
        this.entropy = environment.entropy();
        var makeTimers = environment.timers();
        this.timers = makeTimers == null ? new SystemTimers("holdfast-timers-quorum") : makeTimers.get();
        this.renewals = new Renewals(this, options.nodeTimeout().toNanos());
        this.lines = new QuorumLines(this);
        Environment shared = new Environment(ticker, () -> withoutClose(timers), entropy);
        RedisDriverProvider provider =
                given.stream().anyMatch(node -> node.address() != null) ? Holdfast.driver() : null;
        List<NodeClient> made = new ArrayList<>();
        HoldfastOptions own = options.client();
        refuseUnless(
                "quarantine",
                own.quarantine(),
                Duration.ZERO,
                "a node that lost its memory is kept out by the quorum itself");
        for (QuorumNode node : given) {
            RedisDriver driver = node.driver();
            RedisAddress address = node.address();
            if (address != null && provider != null) {
                ConnectOptions how = node.connecting(own);
                driver = new LateDriver(address.hostAndPort(), () -> provider.connect(address, how));
            }
            if (driver == null) {
                throw new IllegalStateException("a node has an address or a driver");
            }
            Client client = new Client(driver, own, shared);
            if (made.isEmpty() && own.executor() == null) {
                own = own.withExecutor(client.executor());
            }
            made.add(new NodeClient(made.size(), client, this));
        }
        this.nodes = List.copyOf(made);
    }

    private static Timers withoutClose(Timers timers) {
        return new Timers() {
            @Override
            public Runnable schedule(long delayNanos, Runnable task) {
                return timers.schedule(delayNanos, task);
            }

            @Override
            public void close() {
                // The quorum closes them, after all of its nodes.
            }
        };
    }

    /**
     * Connects to the nodes, and looks at them.
     *
     * @throws ServerRefusedException if one of them cannot be a node
     * @throws ServerUnreachableException if no majority is there
     */
    void connect() throws InterruptedException {
        CompletableFuture<?>[] begun = nodes.stream().map(NodeClient::begin).toArray(CompletableFuture<?>[]::new);
        Duration limit = options.client().connectTimeout().plus(options.client().commandTimeout());
        try {
            CompletableFuture.allOf(begun).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // Those that are there are enough, or not.
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails these stages", e);
        }
        List<NodeFailure> failures = new ArrayList<>();
        for (NodeClient node : nodes) {
            HoldfastException unfit = node.unfit();
            if (unfit instanceof ServerRefusedException refused) {
                throw refused;
            } else if (unfit != null) {
                failures.add(new NodeFailure(node.name(), unfit));
            }
        }
        if (nodes.size() - failures.size() < majority) {
            throw new ServerUnreachableException(
                    failures, "no majority of the nodes is there: " + NodeFailure.inWords(failures));
        }
    }

    Client lead() {
        return nodes.get(0).client;
    }

    @Override
    public Events events() {
        return lead().events();
    }

    @Override
    public Renewals renewals() {
        return renewals;
    }

    @Override
    public Set<Hold> holds() {
        return holds;
    }

    @Override
    public long nextNumber() {
        return requestNumbers.incrementAndGet();
    }

    @Override
    public void execute(Runnable task) {
        lead().execute(task);
    }

    @Override
    public Executor executor() {
        return lead().executor();
    }

    @Override
    public long nanoTime() {
        return ticker.nanoTime();
    }

    @Override
    public Runnable schedule(long delayNanos, Runnable task) {
        return timers.schedule(delayNanos, task);
    }

    /** How long a node is kept out that is new, or has lost its memory. */
    Duration quarantine() {
        return quarantine(options.longestTerm());
    }

    /** A second more than terms take, because tokens may be so far ahead of a node's clock. */
    static Duration quarantine(Duration longestTerm) {
        return longestTerm.plusNanos(Deadlines.drift(longestTerm.toNanos())).plusSeconds(1);
    }

    /** From 0 to 1, to spread waits. */
    double random() {
        return Backoff.random(entropy);
    }

    @Override
    public void ending() {
        nodes.forEach(node -> node.client.takeBack.ending());
    }

    @Override
    public void ended() {
        nodes.forEach(node -> node.client.takeBack.ended());
    }

    /** Another node that runs on the same server; null if there is none. */
    @Nullable
    NodeClient twinOf(NodeClient node) {
        for (NodeClient other : nodes) {
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
        for (NodeClient node : nodes) {
            latest = Math.max(latest, node.latestMicros(nowNanos));
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
        if (lock.term().compareTo(options.longestTerm()) > 0) {
            throw new IllegalArgumentException("term is " + lock.term() + ", must be at most the quorum's longestTerm, "
                    + options.longestTerm() + ": for so long a node that lost its memory is kept out");
        }
        String queue = "a quorum has no queue";
        refuseUnless("order", lock.order(), LockOptions.Order.FIFO, queue);
        refuseUnless("priority", lock.priority(), 0, queue);
        refuseUnless("queueLimit", lock.queueLimit(), 0, queue);
        refuseUnless("requestLife", String.valueOf(lock.requestLife()), "null", queue);
        refuseUnless("localHandoffs", lock.localHandoffs(), 0, queue);
        refuseUnless("keepFor", lock.keepFor(), Duration.ZERO, "nobody could recall the lock");
        refuseUnless(
                "shortestHold",
                lock.shortestHold(),
                Duration.ZERO,
                "nodes whose rests end at different times would split the votes");
        refuseUnless("replicas", lock.replicas(), 0, "the nodes of a quorum are independent servers");
        refuseUnless(
                "ownConflict",
                lock.ownConflict(),
                LockOptions.OwnConflict.WAIT,
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
                    option + " is " + value + ", must be left as it is, " + only + ": " + reason);
        }
    }

    @Override
    public Asking<Attempt> newRequest(Demand demand) {
        String owner = lead().ids.next();
        return new PolledRequest<>(
                new Outcome<>(this, demand.named(), owner, false),
                new QuorumPoll(this, demand, owner),
                "a quorum does not judge how long one holder has kept a lock");
    }

    // ---- looking

    /** What each node says. Blocks for the node timeout at most. */
    List<NodeInfo> lookAtEach(Keys keys) {
        if (isClosed()) {
            throw new HoldfastClosedException();
        }
        List<CompletableFuture<NodeInfo>> answers = new ArrayList<>();
        for (NodeClient node : nodes) {
            CompletableFuture<NodeInfo> answer = new CompletableFuture<>();
            answers.add(answer);
            HoldfastException unfit = node.unfit();
            Optional<NodeFailure> known =
                    unfit == null ? Optional.empty() : Optional.of(new NodeFailure(node.name(), unfit));
            Runnable cancel = timers.schedule(
                    options.nodeTimeout().toNanos(), () -> answer.complete(failed(node, node.silent())));
            node.client.steeringScripts.info(List.of(keys), 0, (infos, failure) -> {
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
        return answers.stream().map(CompletableFuture::join).toList();
    }

    private static NodeInfo failed(NodeClient node, HoldfastException failure) {
        return new NodeInfo(node.name(), Optional.empty(), Optional.of(new NodeFailure(node.name(), failure)));
    }

    /** Who may hold a lock: those that do not answer, and could make up a majority, count as if they stood behind it. */
    @Override
    public LockInfo look(Keys keys) {
        List<NodeInfo> told = lookAtEach(keys);
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
                    Shown.lock(keys.name()) + ": no majority of the nodes answered: " + NodeFailure.inWords(failures));
        }
        for (List<LockInfo> infos : byOwner.values()) {
            if (infos.size() + silent >= majority) {
                LockInfo one = infos.get(0);
                return new LockInfo(
                        keys.name(),
                        one.holder(),
                        true,
                        one.term(),
                        ofMajority(infos.stream().map(LockInfo::remaining).toList()),
                        0,
                        List.of());
            }
        }
        return new LockInfo(keys.name(), Optional.empty(), false, Duration.ZERO, Duration.ZERO, 0, List.of());
    }

    // ---- the end

    @Override
    public boolean isClosed() {
        return closed.get();
    }

    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        List.copyOf(requests).forEach(PolledRequest::clientClosed);
        // All at once: each waits for its releases, and one that hangs must not use up the others' time.
        List<Thread> closing = new ArrayList<>();
        for (NodeClient node : nodes.subList(1, nodes.size())) {
            Thread thread = new Thread(node.client::close, "holdfast-close-" + node.name());
            thread.setDaemon(true);
            thread.start();
            closing.add(thread);
        }
        lead().close();
        boolean interrupted = false;
        for (Thread thread : closing) {
            try {
                thread.join(options.client().closeTimeout().toMillis() + 1_000);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        timers.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
