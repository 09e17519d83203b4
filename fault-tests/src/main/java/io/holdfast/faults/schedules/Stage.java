package io.holdfast.faults.schedules;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.spi.Entropy;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Servers in memory, and clients and threads that meet there. No timer fires unless the play moves the time: what a timer would
 * mend stays broken, and is seen.
 */
final class Stage implements AutoCloseable {
    /** Only for the build: a scheduler that controls the threads tells a deadlock by itself. */
    private static final long PATIENCE_MILLIS = 30_000;

    private static final Environment WITHOUT_TIMERS =
            new Environment(Ticker.system(), NeverFires::new, Entropy.system());

    /** What is scheduled is forgotten. */
    private record NeverFires() implements Timers {
        @Override
        public Runnable schedule(long delayNanos, Runnable task) {
            return () -> {};
        }

        @Override
        public void close() {
            // There is nothing to end.
        }
    }

    /** What a thread does. */
    interface Step {
        void run() throws Exception;
    }

    /**
     * What the log must not have: a mistake that no play makes. That a lease was dropped may be said where the time is moved past a thread
     * that stands in the midst of a release for most of a term.
     */
    private static final String NEVER = "waits for itself";

    static final Duration A_DAY = Duration.ofDays(1);
    private static final Logger LOG = Logger.getLogger("io.holdfast");

    /** Collects what the log must not have. */
    private static final class Blame extends Handler {
        private final Queue<String> found = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(LogRecord entry) {
            if (String.valueOf(entry.getMessage()).contains(NEVER)) {
                found.add(entry.getMessage());
            }
        }

        @Override
        public void flush() {
            // There is nothing to be sent.
        }

        @Override
        public void close() {
            // There is nothing to end.
        }
    }

    final VirtualTime time = new VirtualTime();
    final MemoryServer server;
    private final Blame blame = new Blame();
    private final boolean threaded;
    private final List<MemoryServer> servers = new ArrayList<>();
    private final List<AutoCloseable> clients = new ArrayList<>();

    /**
     * A stage with one server.
     *
     * @param threaded whether the server has a thread, on which replies and messages come; else they come on the calling one
     */
    Stage(boolean threaded) {
        this.threaded = threaded;
        this.server = threaded ? MemoryServer.start() : MemoryServer.start(time);
        servers.add(server);
        LOG.addHandler(blame);
    }

    Holdfast client() {
        HoldfastOptions options = HoldfastOptions.defaults();
        Holdfast client = threaded ? Holdfast.over(server.driver(), options, WITHOUT_TIMERS) : server.client(options);
        clients.add(client);
        return client;
    }

    /**
     * So many quorums of three servers, of which this stage's is the first. In virtual time only: it may move by far more than a usual
     * lease lasts while the machine leaves a thread aside, and so leases may last for a day.
     */
    List<Quorum> quorums(int count) {
        servers.add(MemoryServer.start(time));
        servers.add(MemoryServer.start(time));
        for (MemoryServer node : servers) {
            node.command("SET", "hf:node", "0 " + node.runId(), "EX", "100000"); // no quarantine
        }
        QuorumOptions options = QuorumOptions.defaults()
                .withMaxLeaseDuration(A_DAY)
                .withClient(HoldfastOptions.defaults().withExecutor(Runnable::run));
        List<Quorum> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(Quorum.connect(
                    servers.stream().map(node -> QuorumNode.over(node.driver())).toList(),
                    options,
                    time.environment(i)));
        }
        clients.addAll(made);
        return made;
    }

    /** What comes of it, which must not need another thread, or time. */
    static <T> T now(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Lets threads run, one for each step, until all have ended. */
    void race(Step... steps) throws Exception {
        race(Duration.ZERO, steps);
    }

    /** The same; meanwhile the time is moved again and again by so much, unless by nothing. */
    @SuppressWarnings("ThreadPriorityCheck")
    void race(Duration tick, Step... steps) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger left = new AtomicInteger(steps.length);
        List<Thread> threads = new ArrayList<>();
        for (Step step : steps) {
            Thread thread = new Thread(() -> {
                try {
                    step.run();
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                } finally {
                    left.decrementAndGet();
                }
            });
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!tick.isZero() && left.get() > 0 && System.nanoTime() - end < 0) {
            time.advance(tick);
            Thread.yield(); // a scheduler that controls the threads takes it for leave to go on with another
        }
        for (Thread thread : threads) {
            thread.join(PATIENCE_MILLIS);
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError("a thread failed", failed);
        }
        if (left.get() > 0) {
            throw new AssertionError(left.get() + " threads wait for ever");
        }
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** What one, or so many, may be in at a time. */
    static final class Section {
        private final int most;
        private final AtomicInteger inside = new AtomicInteger();
        private long newest; // these are written by whoever is inside alone
        private int passed;

        Section() {
            this(1);
        }

        Section(int most) {
            this.most = most;
        }

        void pass(Lease lease) {
            check(inside.incrementAndGet() <= most, "too many are inside");
            if (most == 1) {
                check(lease.token() > newest, "the token does not rise");
                newest = lease.token();
                passed++;
            }
            inside.decrementAndGet();
        }

        /** Called when no thread runs. */
        void passedBy(int count) {
            check(passed == count, passed + " have passed, and not " + count);
        }
    }

    /** Closes the clients, and looks whether anything of a hold or a queue is left. */
    @Override
    public void close() throws Exception {
        for (AutoCloseable client : clients) {
            client.close();
        }
        LOG.removeHandler(blame);
        check(blame.found.isEmpty(), "the log has " + blame.found);
        for (MemoryServer each : servers) {
            for (Reply key : each.command("KEYS", "*").asList()) {
                String name = key.asString();
                // Tokens and markers stay, and so does what tells a late copy of a request that it is over.
                boolean stays = name.endsWith(":t")
                        || name.contains("}:x:")
                        || name.equals("hf:node")
                        || name.contains("{%reports}");
                check(stays, "left on the server: " + name);
            }
            each.close();
        }
    }
}
