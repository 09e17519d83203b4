package io.holdfast.internal.client;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.internal.lease.ChangeNotifications;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.lease.TakeBack;
import io.holdfast.internal.polled.PlainLocks;
import io.holdfast.internal.queue.QueueEngine;
import io.holdfast.internal.queue.Request;
import io.holdfast.internal.turns.LocalLines;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Server;
import io.holdfast.internal.wire.Subscriptions;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The engine of one client over one server: the ways of asking that it has, and the order in which they hear of connections
 * and of the end.
 */
public final class Client implements Engine {
    public final Kit kit;
    public final Server server;
    public final QueueEngine queue;
    /** On top of the queue: what this client hands on among its own threads, or keeps. */
    public final LocalLines localLines;

    private final boolean sharesHolds;

    public final PlainLocks plain;
    public final TakeBack takeBack;
    private final ChangeNotifications bulletins;

    public Client(RedisDriver driver, HoldfastOptions options, Environment environment) {
        this(driver, options, environment, null);
    }

    /**
     * A client of a server that may be the embedded one.
     *
     * @param share in the embedded server, which is left when the client is closed; null if it is another server
     */
    public Client(
            RedisDriver driver, HoldfastOptions options, Environment environment, @Nullable EmbeddedServer share) {
        this.sharesHolds = environment.sharesHolds();
        this.kit = new Kit(options, environment, Duration.ZERO);
        this.server = new Server(driver, options, kit.ids, kit.ticker, kit.timers, share, kit::isClosed);
        this.takeBack = new TakeBack(kit, server);
        this.queue = new QueueEngine(kit, server, takeBack, share);
        this.localLines = new LocalLines(queue);
        this.plain = new PlainLocks(kit, server, takeBack);
        this.bulletins = new ChangeNotifications(List.of(server), new Subscriptions(List.of(driver)));
        server.whenClockRunsAhead((lowered, partition) -> kit.renewals().ranAhead(holds(p -> p == partition), lowered));
        driver.listen(new Connections());
        queue.begin(localLines);
    }

    private List<Hold> holds(IntPredicate partitions) {
        return kit.holds(hold -> partitions.test(server.partition(hold.keys())));
    }

    private final class Connections implements ConnectionListener {
        @Override
        public void commandsUp() {
            commandsUp(partition -> true);
        }

        @Override
        public void commandsUp(IntPredicate partitions) {
            if (!kit.isClosed()) {
                server.commandsUp(partitions);
                queue.commandsUp(partitions);
                kit.renewals().renew(holds(partitions));
                takeBack.reconnected(partitions);
            }
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
            server.messagesUp(partitions);
            queue.messagesUp(partitions);
        }

        @Override
        public void messagesDown() {
            messagesDown(partition -> true);
        }

        @Override
        public void messagesDown(IntPredicate partitions) {
            queue.messagesDown(partitions);
            localLines.messagesDown(partitions);
        }
    }

    @Override
    public Kit kit() {
        return kit;
    }

    @Override
    public void accept(LockOptions lockOptions) {
        LocalLines.accept(lockOptions);
        if (lockOptions.deadlock() != LockOptions.OnDeadlock.WAIT && kit.options.deadlockDetection() == null) {
            throw new IllegalArgumentException(
                    "deadlock is " + lockOptions.deadlock() + ", must be " + LockOptions.OnDeadlock.WAIT
                            + " for a client without deadlockDetection: no client would find one");
        }
        server.refuseBeyondQuarantine("leaseDuration", lockOptions, lockOptions.leaseDuration());
    }

    @Override
    public LockInfo look(Keys keys) {
        return server.look(keys);
    }

    @Override
    public CompletableFuture<LockInfo> lookAsync(Keys keys) {
        return server.lookAsync(keys);
    }

    @Override
    public boolean hasQueue() {
        return true;
    }

    @Override
    public ChangeNotifications bulletins() {
        return bulletins;
    }

    @Override
    public Question<Handle> newRequest(Demand demand) {
        Question<Handle> inLine = sharesHolds ? localLines.newRequest(demand) : null;
        return inLine == null ? new Request(queue, demand, 1) : inLine;
    }

    public void close() {
        if (kit.close()) {
            try {
                end();
            } catch (RuntimeException | Error e) {
                end(); // each step may be taken twice
                throw e;
            }
        }
    }

    private void end() {
        kit.endEach(
                List.<Runnable>of(queue::clientClosed, localLines::clientClosed, plain::clientClosed, this::leave),
                Runnable::run);
    }

    private void leave() {
        kit.ending();
        queue.reporter.report(kit::ended);
        boolean[] interrupted = new boolean[1];
        Runnable await = () -> interrupted[0] = takeBack.awaitDone(kit.options.closeTimeout());
        kit.endEach(List.of(await, queue.assurance::close, server::close, kit::shutDown), Runnable::run);
        if (interrupted[0]) {
            Thread.currentThread().interrupt();
        }
    }
}
