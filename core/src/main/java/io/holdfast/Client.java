package io.holdfast;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
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
final class Client implements Engine {
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
    final Events events;
    final Repeats<Request> repeats = new Repeats<>(this::serverOf, Request::ask);
    final Renewals renewals = new Renewals(this);
    final TakeBack takeBack = new TakeBack(this);
    final Assurance assurance;
    final PlainLocks plain;
    final @Nullable EmbeddedServer embedded;
    /** Only where it can be seen that the process of a holder has ended. */
    final @Nullable EndedHolders endedHolders;

    final Set<Hold> holds = ConcurrentHashMap.newKeySet();
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
        this.ids = new OwnerIds(environment.entropy());
        var makeTimers = environment.timers();
        this.timers = makeTimers == null ? new SystemTimers("holdfast-timers-" + ids.client()) : makeTimers.get();
        this.mailboxes = new Mailboxes(this);
        this.assurance = new Assurance(this);
        this.calls = new ScriptCalls(driver, ticker, timers, clock, ids.client(), options.commandTimeout());
        String label = Label.ofClient(options.application());
        this.queueScripts = new QueueScripts(calls, ids, mailboxes, options, label);
        this.steeringScripts = new SteeringScripts(calls, queueScripts);
        this.plainScripts = new PlainScripts(calls);
        this.quorumScripts = new QuorumScripts(calls, ticker, options.tokenLife(), label);
        this.plain = new PlainLocks(this, environment.entropy());
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
        RedisDriver master = driver.master(driver.partition(request.keys.hold()));
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
        renewals.renewAll(holds.stream()
                .filter(hold -> partitions.test(driver.partition(hold.keys.hold())))
                .sorted((one, other) -> Long.compare(one.request.number, other.request.number))
                .toList());
        takeBack.reconnected(partitions);
        plain.reconnected(partitions);
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
    public void beforeWaiting() {
        ticker.beforeWaiting();
    }

    @Override
    public Asking newRequest(Keys keys, LockOptions lockOptions, Wait wait, boolean scoped, @Nullable String actor) {
        return lockOptions.isShared() && !wait.untilStuck()
                ? localLines.newRequest(keys, lockOptions, wait, scoped, actor)
                : ownRequest(keys, lockOptions, wait, scoped, actor);
    }

    /** A request whose hold is its own. */
    Request ownRequest(Keys keys, LockOptions lockOptions, Wait wait, boolean scoped, @Nullable String actor) {
        return new Request(this, keys, lockOptions, wait, scoped, actor, false, requestNumbers.incrementAndGet());
    }

    /** A request for a hold that leases of this client share; it waits until it is withdrawn. */
    Request sharedRequest(Keys keys, LockOptions lockOptions, String actor) {
        return new Request(
                this, keys, lockOptions, Wait.forever(), false, actor, true, requestNumbers.incrementAndGet());
    }

    /** A request for what another process has left to this one. */
    Request adoptingRequest(Keys keys, LockOptions lockOptions) {
        return ownRequest(keys, lockOptions, Wait.none(), false, null);
    }

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

    boolean isClosed() {
        return closed.get();
    }

    private void warnOfUnconfirmed() {
        int count = takeBack.unconfirmed() + plain.takeBack.unconfirmed();
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
            CompletableFuture.allOf(takeBack.whenDone(), plain.takeBack.whenDone())
                    .get(options.closeTimeout().toMillis(), TimeUnit.MILLISECONDS);
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
