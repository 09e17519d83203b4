package io.holdfast;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.Entropy;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The engine of one client: its parts, and what happens when connections come and go.
 *
 * <p>No part holds a lock while it talks to the server or calls the user's code. Threads: the driver's (replies,
 * messages, connection events), one for timers, and those of the executor for callbacks.
 */
final class Client implements Engine, Answers.Asker {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    final HoldfastOptions options;
    final RedisDriver driver;
    final Ticker ticker;
    final Timers timers;
    final ServerClock clock;
    final OwnerIds ids;
    final Mailboxes mailboxes;
    final ScriptCalls calls;
    final QueueScripts queueScripts;
    final SteeringScripts steeringScripts;
    final PlainScripts plainScripts;
    final QuorumScripts quorumScripts;
    final WaitingRoom waitingRoom = new WaitingRoom(this);
    final LocalLines localLines = new LocalLines(this);
    final Actors actors = new Actors();
    final Entropy entropy;
    final Repeats<Request> repeats = new Repeats<>(this::serverOf, Request::ask);
    final Renewals renewals = new Renewals(this, 0);
    final TakeBack takeBack = new TakeBack(this);
    final Assurance assurance;
    final PlainLocks plain;
    final @Nullable EmbeddedServer embedded;
    /** Only where it can be seen that the process of a holder has ended. */
    final @Nullable EndedHolders endedHolders;

    private final Events events;
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final AtomicLong requestNumbers = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Executor executor;
    private final @Nullable CallbackThreads ownExecutor;

    Client(RedisDriver driver, HoldfastOptions options, Environment environment) {
        this(driver, options, environment, null);
    }

    /** @param embedded the share in the embedded server, which is closed with the client; null if it is another server */
    Client(RedisDriver driver, HoldfastOptions options, Environment environment, @Nullable EmbeddedServer embedded) {
        this.embedded = embedded;
        this.endedHolders = embedded == null ? null : new EndedHolders(this, embedded);
        this.options = options;
        this.driver = driver;
        this.clock = new ServerClock(driver.partitions());
        this.events = new Events(this);
        this.ticker = environment.ticker();
        this.entropy = environment.entropy();
        this.ids = new OwnerIds(entropy);
        var makeTimers = environment.timers();
        this.timers = makeTimers == null ? new SystemTimers("holdfast-timers-" + ids.client()) : makeTimers.get();
        this.mailboxes = new Mailboxes(this);
        this.assurance = new Assurance(this);
        this.calls = new ScriptCalls(driver, ticker, timers, clock, ids.client(), options.commandTimeout());
        String label = Label.ofClient(options.application());
        this.queueScripts = new QueueScripts(calls, ids, mailboxes.channelPrefix(), options, label);
        this.steeringScripts = new SteeringScripts(calls, queueScripts);
        this.plainScripts = new PlainScripts(calls);
        this.quorumScripts = new QuorumScripts(calls, ticker, options.tokenLife(), label);
        this.plain = new PlainLocks(this);
        Executor given = options.executor();
        this.ownExecutor = given == null ? new CallbackThreads("holdfast-callback-" + ids.client(), timers) : null;
        this.executor = given == null ? Objects.requireNonNull(ownExecutor) : given;
        driver.listen(new ConnectionListener() {
            @Override
            public void commandsUp() {
                onCommandsUp(partition -> true);
            }

            @Override
            public void commandsUp(IntPredicate partitions) {
                onCommandsUp(partitions);
            }

            @Override
            public void commandsDown() {
                // Who sends something is told so at once, and asks again when the connection is back.
            }

            @Override
            public void messagesUp() {
                messagesUp(partition -> true);
            }

            @Override
            public void messagesUp(IntPredicate partitions) {
                clock.drop(partitions, ticker.nanoTime()); // they may come from another server than before
                waitingRoom.messagesUp(partitions);
            }

            @Override
            public void messagesDown() {
                messagesDown(partition -> true);
            }

            @Override
            public void messagesDown(IntPredicate partitions) {
                mailboxes.messagesDown(partitions);
                localLines.messagesDown(partitions);
            }
        });
        assurance.begin();
    }

    /** What has a lock at present; the client itself stands for nobody. */
    private Object serverOf(Request request) {
        RedisDriver master = masterOf(request.keys);
        return master == null ? this : master;
    }

    private void onCommandsUp(IntPredicate partitions) {
        if (closed.get()) {
            return;
        }
        // It may be another server, or this one without its memory, or this process on another machine.
        ids.newEpoch();
        clock.drop(partitions, ticker.nanoTime());
        calls.heard();
        assurance.changed(partitions);
        waitingRoom.commandsUp(partitions);
        renewals.renew(holds.stream()
                .filter(hold -> partitions.test(driver.partition(hold.keys().hold())))
                .sorted((one, other) -> Long.compare(one.origin.number, other.origin.number))
                .toList());
        takeBack.reconnected(partitions);
    }

    @Override
    public void accept(LockOptions lockOptions) {
        LocalLines.accept(lockOptions);
        refuseBeyondQuarantine("term", lockOptions.term());
    }

    /** What lasts longer than the quarantine could be valid yet when the quarantine is over. */
    void refuseBeyondQuarantine(String what, Duration lasts) {
        Duration quarantine = options.quarantine();
        if (!quarantine.isZero() && lasts.compareTo(quarantine) > 0) {
            throw new IllegalArgumentException(what + " is " + lasts + ", must be at most the client's quarantine, "
                    + quarantine + ": for so long others wait after the server may have lost its memory");
        }
    }

    @Override
    public LockInfo look(Keys keys) {
        return new Inspector(this).lock(keys.name());
    }

    @Override
    public long nanoTime() {
        return ticker.nanoTime();
    }

    @Override
    public Runnable schedule(long delayNanos, Runnable task) {
        return timers.schedule(delayNanos, task);
    }

    @Override
    public Events events() {
        return events;
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

    /** The server that has a lock at present; null if none is known. */
    @Nullable
    RedisDriver masterOf(Keys keys) {
        return driver.master(driver.partition(keys.hold()));
    }

    // ---- ending owners

    @Override
    public void ending() {
        takeBack.ending();
    }

    @Override
    public void ended() {
        takeBack.ended();
    }

    /**
     * Ends an owner that was granted the lock, or may have been.
     *
     * @param tombstone whether a copy of its acquire may still be under way
     */
    void takeBack(Keys keys, String owner, boolean tombstone, Duration shortestHold) {
        var unused = takeBack.add(new QueueRelease(
                this, keys, owner, tombstone ? TakeBack.TOMBSTONE : Duration.ZERO, shortestHold, true));
    }

    /**
     * Ends an owner that stands in a queue perhaps.
     *
     * @param unanswered whether a copy of its acquire may be under way, so that it may have been granted, or be yet
     * @return whether the server has answered at the first attempt; the others follow without being waited for
     */
    CompletableFuture<Boolean> withdraw(Keys keys, String owner, boolean unanswered) {
        return takeBack.add(new QueueRelease(
                        this, keys, owner, unanswered ? TakeBack.TOMBSTONE : Duration.ZERO, Duration.ZERO, unanswered))
                .thenApply(result -> result != ReleaseResult.UNCONFIRMED);
    }

    /** To be repeated after a release that the server has answered. */
    QueueRelease withdrawal(Keys keys, String owner) {
        return new QueueRelease(this, keys, owner, Duration.ZERO, Duration.ZERO, false);
    }

    @Override
    public void beforeWaiting() {
        ticker.beforeWaiting();
    }

    @Override
    public Asking<Attempt> newRequest(Demand demand) {
        return LocalLines.isShared(demand.options()) && !demand.waitLimit().untilStuck()
                ? localLines.newRequest(demand)
                : new Request(this, demand, false);
    }

    @Override
    public void execute(Runnable task) {
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

    @Override
    public Executor executor() {
        return this::execute;
    }

    /**
     * What this client holds may stay taken after this process: handed over, left to nobody, or for a shortest time. So that
     * the process has ended must not be taken for the end of its holds.
     */
    void mayBeOutlived() {
        EmbeddedServer share = embedded;
        if (share != null) {
            try {
                share.conceal(ids.client());
            } catch (DriverException e) {
                throw new ServerUnreachableException(String.valueOf(e.getMessage()), e);
            }
        }
    }

    @Override
    public String server() {
        return driver.describe();
    }

    @Override
    public boolean isClosed() {
        return closed.get();
    }

    private void warnOfUnconfirmed() {
        int count = takeBack.unconfirmed();
        if (count > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> (count == 1 ? "a release was" : count + " releases were") + " not confirmed by "
                            + driver.describe() + " before the client was closed; "
                            + (count == 1
                                    ? "if the lock is still held, it becomes free with its term"
                                    : "locks that are still held become free with their terms"));
        }
    }

    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        // Holds stand under their requests. One that begins only now is found by its request, or finds the client
        // closed.
        waitingRoom.requests().forEach(Request::clientClosed);
        localLines.clientClosed();
        plain.clientClosed();
        boolean interrupted = false;
        try {
            takeBack.whenDone().get(options.closeTimeout().toMillis(), TimeUnit.MILLISECONDS);
            warnOfUnconfirmed();
        } catch (TimeoutException e) {
            warnOfUnconfirmed();
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails this stage", e);
        }
        assurance.close();
        driver.close();
        EmbeddedServer share = embedded;
        if (share != null) {
            share.close();
        }
        timers.close();
        CallbackThreads threads = ownExecutor;
        if (threads != null) {
            threads.shutdown(); // callbacks that run or wait still get their turn
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
