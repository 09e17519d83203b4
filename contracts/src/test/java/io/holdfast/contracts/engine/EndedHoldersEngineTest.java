package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Acquirable;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.wire.Keys;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisAddress;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of holds whose processes have ended, where that can be seen. In virtual time. */
final class EndedHoldersEngineTest {
    /** A refresh and a look. */
    private static final Duration SOON = Duration.ofMillis(2_300);

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final Set<String> ended = new HashSet<>();
    private final List<String> concealed = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>(); // one that nobody refers to is not renewed
    private boolean concealable = true;

    /** A share in a server from which one sees which clients have ended. */
    private final EmbeddedServer share = new EmbeddedServer() {
        @Override
        public RedisAddress address() {
            return RedisAddress.parse("redis://localhost");
        }

        @Override
        public RedisAddress find() {
            return address();
        }

        @Override
        public void present(String client, long... others) {}

        @Override
        public void conceal(String client) {
            if (!concealable) {
                throw DriverException.unknown("a full disk", null);
            }
            concealed.add(client);
        }

        @Override
        public boolean hasEnded(String client) {
            return ended.contains(client);
        }

        @Override
        public void close() {}
    };

    private Client client() {
        Client client = new Client(
                server.driver(),
                HoldfastOptions.defaults().withExecutor(Runnable::run),
                time.environment(clients.size() + 1),
                share);
        client.queue.mailboxes.open();
        clients.add(client);
        return client;
    }

    private static DistributedLock lock(Client client) {
        return Faces.lock(client, Keys.of(client.kit.options.prefix(), "a"), LockOptions.defaults());
    }

    /** So many of the three permits of a semaphore. */
    private static Acquirable<Lease> permits(Client client, int count) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.SEMAPHORE, "s");
        return Faces.semaphore(client, keys, 3).permits(count);
    }

    private Lease tryNow(Client client) {
        Lease lease = lock(client).acquireAsync(Wait.none()).join();
        leases.add(lease);
        return lease;
    }

    @AfterEach
    void close() {
        clients.forEach(Client::close);
    }

    @Test
    void attempt_holderHasEnded_getsTheLock() {
        Client dead = client();
        Lease old = tryNow(dead);
        ended.add(dead.kit.ids.client());
        Lease lease = tryNow(client());
        assertTrue(lease.token() > old.token());
    }

    @Test
    void attempt_holderLives_isTaken() {
        tryNow(client());
        assertNotObtained(
                Reason.TAKEN,
                lock(client()).attemptAsync(Wait.none()).toCompletableFuture().join());
    }

    @Test
    void waiting_holderEnds_getsTheLockSoon() {
        Client dead = client();
        tryNow(dead);
        CompletableFuture<Lease> waiting = lock(client()).acquireAsync(Wait.forever());
        time.advance(Duration.ofSeconds(60)); // the holder renews
        assertFalse(waiting.isDone());
        ended.add(dead.kit.ids.client());
        time.advance(Duration.ofMillis(300));
        assertTrue(waiting.isDone());
    }

    /**
     * Two of three permits for a client that is to end, and one for a client that lives; both have renewed for a while.
     *
     * @return the first of them
     */
    private Client holdersOfPermits(boolean deadFirst) {
        Client dead = client();
        Client alive = client();
        for (Client each : deadFirst ? List.of(dead, alive) : List.of(alive, dead)) {
            leases.add(permits(each, each == dead ? 2 : 1)
                    .acquireAsync(Wait.none())
                    .join());
            time.advance(Duration.ofSeconds(1));
        }
        time.advance(Duration.ofSeconds(60));
        return dead;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void semaphore_oneOfItsHoldersEnds_itsPermitsAreObtainedSoon(boolean deadFirst) {
        Client dead = holdersOfPermits(deadFirst);
        CompletableFuture<Lease> waiting = permits(client(), 2).acquireAsync(Wait.forever());
        time.advance(Duration.ofSeconds(10));
        assertFalse(waiting.isDone());
        ended.add(dead.kit.ids.client());
        time.advance(Duration.ofMillis(300));
        assertTrue(waiting.isDone());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void semaphore_attemptAfterOneOfItsHoldersHasEnded_getsItsPermits(boolean deadFirst) {
        Client dead = holdersOfPermits(deadFirst);
        assertNotObtained(
                Reason.TAKEN,
                permits(client(), 2)
                        .attemptAsync(Wait.none())
                        .toCompletableFuture()
                        .join());
        ended.add(dead.kit.ids.client());
        leases.add(permits(client(), 2).acquireAsync(Wait.none()).join());
    }

    @Test
    void waiting_lockWentToAnotherThatEnds_getsTheLockSoon() {
        Lease first = tryNow(client());
        Client second = client();
        CompletableFuture<Lease> next = lock(second).acquireAsync(Wait.forever());
        CompletableFuture<Lease> waiting = lock(client()).acquireAsync(Wait.forever());
        first.release();
        assertTrue(next.isDone());
        ended.add(second.kit.ids.client());
        time.advance(SOON);
        assertTrue(waiting.isDone());
    }

    @Test
    void waiting_lockWentFromTheEndedToALivingOne_isLeftToIt() {
        Client dead = client();
        Lease first = tryNow(dead);
        Client second = client();
        CompletableFuture<Lease> next = lock(second).acquireAsync(Wait.forever());
        CompletableFuture<Lease> waiting = lock(client()).acquireAsync(Wait.forever());
        ended.add(dead.kit.ids.client()); // seen, but the lock has been released before anybody looks
        first.release();
        time.advance(Duration.ofMinutes(2));
        assertTrue(next.join().isValid());
        assertFalse(waiting.isDone());
    }

    @Test
    void waiting_lockRests_isNotShortened() {
        Client dead = client();
        Faces.lock(
                        dead,
                        Keys.of(dead.kit.options.prefix(), "a"),
                        LockOptions.defaults().withMinHold(Duration.ofSeconds(20)))
                .acquireAsync(Wait.none())
                .join()
                .release();
        ended.add(dead.kit.ids.client());
        CompletableFuture<Lease> waiting = lock(client()).acquireAsync(Wait.forever());
        time.advance(Duration.ofSeconds(19));
        assertFalse(waiting.isDone());
        time.advance(Duration.ofSeconds(4));
        assertTrue(waiting.isDone());
    }

    @Test
    void lockDelay_holderHasEnded_itsHoldIsNotReleased() {
        Client client = client();
        Keys keys = Keys.of(client.kit.options.prefix(), "a");
        LockOptions delayed = LockOptions.defaults().withLockDelay(Duration.ofSeconds(20));
        assertTrue(Faces.lock(client, keys, delayed)
                .acquireAsync(Wait.none())
                .join()
                .isValid());
        assertEquals(List.of(client.kit.ids.client()), concealed);
    }

    @Test
    void waiting_serverDoesNotAnswerTheRelease_isTriedAgain() {
        Client dead = client();
        tryNow(dead);
        CompletableFuture<Lease> waiting = lock(client()).acquireAsync(Wait.forever());
        server.disconnect();
        ended.add(dead.kit.ids.client());
        time.advance(Duration.ofSeconds(1));
        server.connect();
        time.advance(SOON);
        assertTrue(waiting.isDone());
    }

    @Test
    void detach_andAShortestHold_hideTheEndOfThisProcess() {
        Client client = client();
        Lease lease = tryNow(client);
        assertEquals(List.of(), concealed);
        lease.detach();
        assertEquals(List.of(client.kit.ids.client()), concealed);
        Client other = client();
        Faces.lock(
                        other,
                        Keys.of(other.kit.options.prefix(), "b"),
                        LockOptions.defaults().withMinHold(Duration.ofSeconds(20)))
                .acquireAsync(Wait.none())
                .join();
        assertEquals(List.of(client.kit.ids.client(), other.kit.ids.client()), concealed);
    }

    @Test
    void ticket_isGivenOnlyWhenTheEndOfThisProcessCannotBeSeenAnyMore() {
        Client giver = client();
        Lease lease = tryNow(giver);
        concealable = false;
        assertThrows(ServerUnreachableException.class, lease::ticket);
        concealable = true;
        lease.ticket();
        assertEquals(List.of(giver.kit.ids.client()), concealed);
    }
}
