package io.holdfast.internal.lease;

import io.holdfast.HoldfastOptions;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Trouble;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What all parts of one client share, over one server or over a quorum: time, threads, ids, events, and what is held.
 *
 * <p>No part holds a lock while it talks to a server or calls the user's code. Threads: the drivers' (replies, messages,
 * connection events), one for timers, and those of the executor, which carries the user's code and nothing else. What the
 * library does itself, and may take a while, has threads of its own, so that no code of the user's can hold it up.
 */
public final class Kit {
    /** Tasks that an executor runs in each other: what is deeper gets a thread of the library's own, so that the stack is bounded. */
    private static final int MOST_NESTED = 8;

    /** How deep in each other tasks run in the present thread, of any client: an executor may run each at once. */
    private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);

    /** After an error: a shortage may be over by then. */
    private static final long LATER_NANOS = 50_000_000L;

    public final HoldfastOptions options;
    public final OwnerIds ids;
    public final Ticker ticker;
    public final Timers timers;
    private final Environment environment;
    private final Executor executor;
    private final CallbackThreads ownThreads;
    private final Executor background;
    private final Executor overflow; // for the user's code, where the executor does not take it
    private final Events events;
    private final Figures figures = new Figures();
    private final Renewals renewals;
    private final Schedule looks = new Schedule(this);
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final List<TakeBack> takeBacks = new CopyOnWriteArrayList<>();
    private final AtomicLong requestNumbers = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Lasting lasting = Lasting.UNREPORTED;

    /**
     * The kit of one client.
     *
     * @param patience how long a renewal waits for servers that hang, where there are several
     */
    public Kit(HoldfastOptions options, Environment environment, Duration patience) {
        this.options = options;
        this.environment = environment;
        this.ticker = environment.ticker();
        this.ids = new OwnerIds(environment.entropy());
        var makeTimers = environment.timers();
        this.timers = makeTimers == null ? new SystemTimers("holdfast-timers-" + ids.client()) : makeTimers.get();
        this.ownThreads = new CallbackThreads("holdfast-callback-" + ids.client(), timers);
        Executor given = options.executor();
        this.executor = given == null ? ownThreads : given;
        boolean real = makeTimers == null;
        this.background = real ? ownThreads : Runnable::run; // where time is another's, there is one thread
        this.overflow = real ? ownThreads : task -> timers.schedule(0, task);
        this.events = new Events(options, this::execute);
        this.renewals = new Renewals(this, patience.toNanos());
    }

    // ---- time and chance

    /** The monotonic clock of deadlines. */
    public long nanoTime() {
        return ticker.nanoTime();
    }

    /** How long ago a moment of that clock was. */
    public Duration since(long nanos) {
        return Duration.ofNanos(nanoTime() - nanos);
    }

    /**
     * Runs a task later, on the thread of the timers.
     *
     * @return cancels it
     */
    public Runnable schedule(long delayNanos, Runnable task) {
        return timers.schedule(delayNanos, task);
    }

    /**
     * Does what must be done to its end, since nothing else would: after an error a moment later again, until it returns; see {@link #later}.
     * To do a part of it twice must be harmless.
     */
    public void surely(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            Trouble.report("a step of a request or of its hold failed, and is repeated", e);
            later(step);
        }
    }

    /** Does something again that an error has kept from its end: at once where the client is closed, since its timers end. */
    public void later(Runnable step) {
        if (isClosed()) {
            step.run();
        } else {
            schedule(LATER_NANOS, step);
        }
    }

    /** To be called by a thread of the user's before it blocks; see {@link Ticker#beforeWaiting}. */
    public void beforeWaiting() {
        ticker.beforeWaiting();
    }

    /** From 0 to 1, to spread waits. */
    public double random() {
        return (ByteBuffer.wrap(randomBytes(Integer.BYTES)).getInt() & Integer.MAX_VALUE) / (double) Integer.MAX_VALUE;
    }

    /** So many random bytes. */
    public byte[] randomBytes(int count) {
        return environment.entropy().bytes(count);
    }

    // ---- threads

    /**
     * Runs the user's code, or tells it something, on its executor. What it throws, errors too, does not reach the engine, whatever
     * the executor does.
     */
    public void execute(Runnable task) {
        Runnable guarded = new Callback(task);
        if (executor != ownThreads && Objects.requireNonNull(DEPTH.get())[0] >= MOST_NESTED) {
            runOn(overflow, guarded);
            return;
        }
        try {
            executor.execute(guarded);
        } catch (RuntimeException | Error e) {
            // The user's executor is full, closed, or broken. No thread of the engine runs the user's code in its
            // place.
            runOn(overflow, guarded);
        }
    }

    /** A task on the user's executor. An error that comes before it has begun does not lose it. */
    private final class Callback implements Runnable {
        private final Runnable task;
        private boolean begun;

        Callback(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            try {
                nested();
            } catch (RuntimeException | Error e) {
                Trouble.report("a callback failed", e);
                if (!begun) {
                    later(isClosed() ? this : () -> runOn(overflow, this));
                }
            }
        }

        private void nested() {
            int[] level = Objects.requireNonNull(DEPTH.get());
            level[0]++;
            try {
                begin().run();
            } finally {
                level[0]--;
            }
        }

        private Runnable begin() {
            begun = true;
            return task;
        }
    }

    /** Runs something of the library's own that may take a while, soon, on a thread that no code of the user's can hold up. */
    public void background(Runnable task) {
        runOn(background, task);
    }

    private static void runOn(Executor threads, Runnable task) {
        try {
            threads.execute(task);
        } catch (RuntimeException | Error e) {
            task.run(); // the client is closed and its threads are gone, or there is no memory for one
        }
    }

    /** Where stages complete. */
    public Executor executor() {
        return this::execute;
    }

    // ---- what is asked for and held

    public Events events() {
        return events;
    }

    public Figures figures() {
        return figures;
    }

    public Renewals renewals() {
        return renewals;
    }

    Schedule looks() {
        return looks;
    }

    /** All holds that have begun and not ended. Any thread may add and remove. */
    public Set<Hold> holds() {
        return holds;
    }

    /** Some of them, in the order of their requests. */
    public List<Hold> holds(Predicate<Hold> some) {
        return holds.stream()
                .filter(some)
                .sorted((one, other) -> Long.compare(one.origin.number, other.origin.number))
                .toList();
    }

    /** Where it is said what is held, and what waits. */
    public Lasting lasting() {
        return lasting;
    }

    /** Sets that, before anything is asked for. */
    public void reportTo(Lasting to) {
        lasting = to;
    }

    /** A number for a request, greater than that of any before. */
    long nextNumber() {
        return requestNumbers.incrementAndGet();
    }

    // ---- the end

    /** Whoever ends an owner at this server says so; see {@link #ending}. Called before anything is asked for. */
    void add(TakeBack takeBack) {
        takeBacks.add(takeBack);
    }

    /** Said before a request or a hold ends: closing waits until {@link #ended} is said, when what follows is on its way. */
    public void ending() {
        takeBacks.forEach(TakeBack::ending);
    }

    public void ended() {
        takeBacks.forEach(TakeBack::ended);
    }

    public boolean isClosed() {
        return closed.get();
    }

    /** Whether this call has closed it. From now on nothing begins; what is under way is ended by whoever closes. */
    public boolean close() {
        return closed.compareAndSet(false, true);
    }

    /** Ends all of these. One that fails keeps no other from it, and is tried once more: to end what has ended must be harmless. */
    public <T> void endEach(Collection<T> all, Consumer<T> end) {
        if (!endAll(all, end)) {
            endAll(all, end);
        }
    }

    private static <T> boolean endAll(Collection<T> all, Consumer<T> end) {
        boolean ended = true;
        for (T each : all) {
            try {
                end.accept(each);
            } catch (RuntimeException | Error e) {
                ended = false;
                Trouble.report("something could not be ended when the client was closed", e);
            }
        }
        return ended;
    }

    /** The last thing: no timers and no threads from now on. */
    public void shutDown() {
        timers.close();
        ownThreads.shutdown(); // what runs or waits still gets its turn
    }
}
