package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.holdfast.LockOptions;
import io.holdfast.LockRefusedException;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connections on which replicas are waited for, while the server is replaced. */
class AssuranceEngineTest {
    private static final LockOptions REPLICATED = LockOptions.defaults().withReplicas(1, Duration.ofSeconds(10));

    private final VirtualTime time = new VirtualTime();
    private final FakeDriver server = new FakeDriver(time);
    private final BlockingQueue<Thread> openers = new LinkedBlockingQueue<>();

    /** A server, told from others by its second connection. */
    private final class Master extends ForwardingDriver {
        final BlockingQueue<FakeDriver> seconds = new LinkedBlockingQueue<>();
        final Semaphore waits = new Semaphore(0);

        Master() {
            super(server);
        }

        @Override
        public RedisDriver another(String key) {
            Error once = broken;
            if (once != null) {
                broken = null;
                throw once;
            }
            FakeDriver second = new FakeDriver(time);
            seconds.add(second);
            openers.add(Thread.currentThread());
            return new ForwardingDriver(second) {
                @Override
                public CompletionStage<Reply> send(Command command) {
                    CompletionStage<Reply> reply = super.send(command);
                    if (command.words().get(0).equals("WAIT")) {
                        waits.release();
                    }
                    return reply;
                }
            };
        }

        /** The next second connection, when all that is asked on it has left. */
        FakeDriver asked() throws InterruptedException {
            openers.take().join();
            return seconds.take();
        }

        @Override
        public RedisDriver master(int partition) {
            return present;
        }

        @Override
        public List<RedisDriver> masters() {
            return List.of(present);
        }
    }

    private Master present = new Master();
    private volatile @Nullable Error broken; // what opening a second connection throws, once

    @Test
    @Timeout(60)
    void acquire_driverReplacedWhileReplicasAreWaitedFor_isConfirmedByTheAnswerOfTheFirst() throws Exception {
        server.answer("renew", call -> server.renewed(call));
        server.answer("release", call -> server.released("RELEASED"));
        Holdfast holdfast =
                Holdfast.over(present, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));
        CompletableFuture<Lease> lease = holdfast.lock("a", REPLICATED).acquireAsync();
        server.next("acquire").answer(server.granted(100));
        FakeDriver first = present.asked();
        // The driver has come to it by another way, and what is held is renewed there.
        present = new Master();
        server.disconnect();
        server.restore();
        FakeDriver other = present.asked();
        assertEquals(1, other.count("WAIT"));
        first.next("mark").answer(Reply.of(List.of()));
        first.next("WAIT").answer(Reply.of(1));
        assertEquals(1, lease.get().replicas());
        // Nobody waits on it any more.
        CompletionStage<Reply> late = first.send(Command.of("PING"));
        ExecutionException closed = assertThrows(ExecutionException.class, late.toCompletableFuture()::get);
        assertInstanceOf(DriverException.class, closed.getCause());
    }

    @Test
    @Timeout(60)
    void adopt_ofALeaseThatReplicasHaveToHave_isReturnedWhenTheyHaveIt() throws Exception {
        server.answer("adopt", call -> server.adoptedSince(1));
        server.answer("release", call -> server.released("RELEASED"));
        Holdfast holdfast =
                Holdfast.over(present, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));
        LeaseTicket ticket = new LeaseTicket("a", "giver.0-1~secret", 100, 100, Duration.ofSeconds(30));
        CompletableFuture<Lease> lease = CompletableFuture.supplyAsync(() -> holdfast.adopt(ticket, REPLICATED));
        // Whoever adopts asks in a thread of its own, and goes on when it is answered.
        FakeDriver second = present.asked();
        present.waits.acquire();
        second.next("mark").answer(Reply.of(List.of()));
        assertFalse(lease.isDone());
        second.next("WAIT").answer(Reply.of(1));
        assertEquals(1, lease.get().replicas());

        CompletableFuture<Lease> refused = CompletableFuture.supplyAsync(() -> holdfast.adopt(ticket, REPLICATED));
        present.waits.acquire();
        second.next("mark").answer(Reply.of(List.of()));
        second.next("WAIT").answer(Reply.of(0));
        ExecutionException thrown = assertThrows(ExecutionException.class, refused::get);
        assertInstanceOf(LockRefusedException.class, thrown.getCause());
        assertEquals(1, server.count("release"), "what is not good enough is given back");
    }

    @Test
    @Timeout(60)
    void acquire_anotherWaitsForMoreReplicasThanThereAre_isNotHeldUp() throws Exception {
        Holdfast holdfast =
                Holdfast.over(present, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));
        var unused = holdfast.lock("a", LockOptions.defaults().withReplicas(2, Duration.ofSeconds(10)))
                .acquireAsync();
        server.next("acquire").answer(server.granted(100));
        FakeDriver blocked = present.asked(); // until ten seconds are over: replies come in order
        CompletableFuture<Lease> lease = holdfast.lock("b", REPLICATED).acquireAsync();
        server.next("acquire").answer(server.granted(101));
        FakeDriver free = present.asked();
        assertEquals(1, blocked.count("WAIT"));
        free.next("mark").answer(Reply.of(List.of()));
        free.next("WAIT").answer(Reply.of(1));
        assertEquals(1, lease.get().replicas());
    }

    @Test
    @Timeout(60)
    void acquire_openingTheConnectionThrewAnError_isToldAndTheNextOpensAnother() throws Exception {
        server.answer("release", call -> server.released("RELEASED"));
        Holdfast holdfast =
                Holdfast.over(present, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));
        broken = new NoClassDefFoundError("a part of the driver");
        CompletableFuture<Lease> refused = holdfast.lock("a", REPLICATED).acquireAsync();
        server.next("acquire").answer(server.granted(100));
        ExecutionException thrown = assertThrows(ExecutionException.class, refused::get);
        assertInstanceOf(HoldfastException.class, thrown.getCause());
        CompletableFuture<Lease> lease = holdfast.lock("a", REPLICATED).acquireAsync();
        server.next("acquire").answer(server.granted(101));
        FakeDriver second = present.asked();
        second.next("mark").answer(Reply.of(List.of()));
        second.next("WAIT").answer(Reply.of(1));
        assertEquals(1, lease.get().replicas());
    }
}
