package io.holdfast;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of one client share, over one server or over a quorum: time, threads, ids, events, and what is held.
 *
 * <p>No part holds a lock while it talks to a server or calls the user's code. Threads: the drivers' (replies, messages,
 * connection events), one for timers, and those of the executor for callbacks.
 */
final class Kit {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    final HoldfastOptions options;
    final OwnerIds ids;
    final Ticker ticker;
    final Timers timers;
    private final Environment environment;
    private final Executor executor;
    private final @Nullable CallbackThreads ownExecutor;
    private final Events events;
    private final Renewals renewals;
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final List<TakeBack> takeBacks = new CopyOnWriteArrayList<>();
    private final AtomicLong requestNumbers = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param patience how long a renewal waits for servers that hang, where there are several */
    Kit(HoldfastOptions options, Environment environment, Duration patience) {
        this.options = options;
        this.environment = environment;
        this.ticker = environment.ticker();
        this.ids = new OwnerIds(environment.entropy());
        var makeTimers = environment.timers();
        this.timers = makeTimers == null ? new SystemTimers("holdfast-timers-" + ids.client()) : makeTimers.get();
        Executor given = options.executor();
        if (given == null) {
            CallbackThreads threads = new CallbackThreads("holdfast-callback-" + ids.client(), timers);
            this.ownExecutor = threads;
            this.executor = threads;
        } else {
            this.ownExecutor = null;
            this.executor = given;
        }
        this.events = new Events(options, this::execute);
        this.renewals = new Renewals(this, patience.toNanos());
    }

    // ---- time and chance

    /** The monotonic clock of deadlines. */
    long nanoTime() {
        return ticker.nanoTime();
    }

    /** How long ago a moment of that clock was. */
    Duration since(long nanos) {
        return Duration.ofNanos(nanoTime() - nanos);
    }

    /**
     * Runs a task later, on the thread of the timers.
     *
     * @return cancels it
     */
    Runnable schedule(long delayNanos, Runnable task) {
        return timers.schedule(delayNanos, task);
    }

    /** To be called by a thread of the user's before it blocks; see {@link Ticker#beforeWaiting}. */
    void beforeWaiting() {
        ticker.beforeWaiting();
    }

    /** From 0 to 1, to spread waits. */
    double random() {
        return Backoff.random(environment.entropy());
    }

    /** So many random bytes. */
    byte[] randomBytes(int count) {
        return environment.entropy().bytes(count);
    }

    // ---- threads

    /** Runs the user's code. What it throws does not reach the engine, also where the executor runs it at once. */
    void execute(Runnable task) {
        Runnable guarded = () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "a callback failed", e);
            }
        };
        try {
            executor.execute(guarded);
        } catch (RejectedExecutionException e) {
            // The client is closed and its threads are gone, or the user's executor is full: somebody has to be told.
            guarded.run();
        }
    }

    /** Where stages complete. */
    Executor executor() {
        return this::execute;
    }

    // ---- what is asked for and held

    Events events() {
        return events;
    }

    Renewals renewals() {
        return renewals;
    }

    /** All holds that have begun and not ended. Any thread may add and remove. */
    Set<Hold> holds() {
        return holds;
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
    void ending() {
        takeBacks.forEach(TakeBack::ending);
    }

    void ended() {
        takeBacks.forEach(TakeBack::ended);
    }

    boolean isClosed() {
        return closed.get();
    }

    /** Whether this call has closed it. From now on nothing begins; what is under way is ended by whoever closes. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }

    /** Ends all of these. One that fails, since an executor of the user's throws, keeps no other from it. */
    <T> void endEach(Collection<T> all, Consumer<T> end) {
        for (T each : all) {
            try {
                end.accept(each);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "something could not be ended when the client was closed", e);
            }
        }
    }

    /** The last thing: no timers and no threads from now on. */
    void shutDown() {
        timers.close();
        CallbackThreads threads = ownExecutor;
        if (threads != null) {
            threads.shutdown(); // callbacks that run or wait still get their turn
        }
    }
}
