package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt.Reason;
import io.holdfast.Contention;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.FencedValue;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockInfo;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.LockRefusedException;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Revocation;
import io.holdfast.ServerUnreachableException;
import io.holdfast.StaleTokenException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a read/write lock promises beyond what every kind of lock does. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class ReadWriteLockContract extends LockSuite {
    /** For the classes of the drivers. */
    protected ReadWriteLockContract() {}

    private static final String KEY = "hf:{%rw:a}";
    private static final LockOptions REENTRANT = LockOptions.defaults().withReentrancy(LockOptions.Reentrancy.REENTER);

    private RedisServer server;
    private Holdfast one;
    private Holdfast two;
    private DistributedReadWriteLock lock;
    private DistributedReadWriteLock other;

    @BeforeEach
    final void makeClients() {
        server = startServer();
        one = client(server);
        two = client(server);
        lock = one.readWriteLock("a");
        other = two.readWriteLock("a");
    }

    @Test
    final void releaseToRest_reader_othersReadMeanwhileAndNobodyWrites() throws Exception {
        Lease reading = lock.read().acquire();
        assertEquals(ReleaseResult.RELEASED, reading.releaseToRest(Duration.ofSeconds(1)));
        Lease beside = other.read().acquire(Wait.none());
        assertEquals(reading.token(), beside.token(), "of the same phase");
        beside.release();
        assertNotObtained(Reason.TAKEN, other.write().attempt(Wait.none()));
        assertTrue(other.write().acquire(Wait.upTo(PATIENCE)).token() > reading.token());
    }

    @Test
    final void release_whatRestsByTheTokenThatIsShown_endsTheRests() throws Exception {
        Lease reading = lock.read().acquire();
        other.read().acquire().releaseToRest(Duration.ofHours(1));
        other.read().acquire().releaseToRest(Duration.ofHours(1));
        CompletableFuture<Lease> writer = waiting(other.write());
        reading.releaseToRest(Duration.ofHours(1));
        List<Holder> resting =
                lock.info().shares().stream().map(LockInfo.Share::holder).toList();
        assertEquals(3, resting.stream().filter(Holder::resting).count());
        Admin admin = two.admin().of(LockInfo.Kind.READ_WRITE);
        long token = resting.get(0).token();
        assertEquals(
                Revocation.Outcome.LEFT_ALONE,
                admin.release("a", token - 1, Admin.Waiters.HAND_OFF).outcome());
        assertFalse(writer.isDone());
        assertEquals(
                Revocation.Outcome.RELEASED,
                admin.release("a", token, Admin.Waiters.HAND_OFF).outcome());
        get(writer).release();
        awaitNothingLeft(server);
    }

    @Test
    final void release_restOfAWriterAsItIsListed_endsItAndNoHold() throws Exception {
        lock.write().acquire().releaseToRest(Duration.ofHours(1));
        Holder resting = lock.info().holder().orElseThrow();
        Admin admin = two.admin().of(LockInfo.Kind.READ_WRITE);
        assertEquals(Revocation.Outcome.RELEASED, admin.release("a", resting).outcome());
        Lease reading = other.read().acquire(Wait.none());
        assertEquals(
                Revocation.Outcome.NOTHING_TO_RELEASE,
                admin.release("a", resting).outcome());
        assertTrue(reading.isHeldOnServer());
        reading.release();
        awaitNothingLeft(server);
    }

    private CompletableFuture<Lease> waiting(DistributedLock lock) {
        long before = waiters();
        CompletableFuture<Lease> request = lock.acquireAsync(Wait.forever());
        await("it waits", () -> waiters() == before + 1);
        return request;
    }

    private long waiters() {
        return server.command("ZCARD", KEY + ":q").asLong();
    }

    // ---- who may be together

    @Test
    final void readers_together_keepAWriterOutUntilTheLastHasLeft() throws Exception {
        Lease first = lock.read().acquire();
        Lease second = other.read().acquire();
        assertEquals(LockMode.SHARED, first.mode());
        assertEquals(first.token(), second.token());
        assertNotObtained(Reason.TAKEN, other.write().attempt(Wait.none()));
        CompletableFuture<Lease> writer = waiting(lock.write());
        first.release();
        assertFalse(writer.isDone());
        assertTrue(second.isHeldOnServer());
        second.release();
        Lease written = get(writer);
        assertEquals(LockMode.EXCLUSIVE, written.mode());
        assertTrue(written.token() > second.token());
        assertNotObtained(Reason.TAKEN, other.read().attempt(Wait.none()));
        written.release();
        awaitNothingLeft(server);
    }

    @Test
    final void arrival_readerBehindAWriter_waitsForItAndReadersInFrontAreGrantedTogether() throws Exception {
        Lease reading = lock.read().acquire();
        CompletableFuture<Lease> writer = waiting(other.write());
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            readers.add(waiting((i % 2 == 0 ? lock : other).read()));
        }
        CompletableFuture<Lease> last = waiting(lock.write());
        reading.release();
        Lease written = get(writer);
        assertTrue(readers.stream().noneMatch(CompletableFuture::isDone));
        written.release();
        List<Lease> read = new ArrayList<>();
        for (CompletableFuture<Lease> reader : readers) {
            read.add(get(reader));
        }
        assertTrue(read.stream().allMatch(Lease::isValid));
        assertEquals(1, read.stream().mapToLong(Lease::token).distinct().count());
        assertTrue(read.get(0).token() > written.token());
        assertFalse(last.isDone());
        read.forEach(Lease::release);
        get(last).release();
        awaitNothingLeft(server);
    }

    @Test
    final void reader_expired_writerHasItThenAndNotLater() throws Exception {
        LockOptions brief =
                LockOptions.defaults().withLeaseDuration(Duration.ofMillis(700)).withRenewal(false);
        Lease dead = two.readWriteLock("a", brief).read().acquire();
        DistributedReadWriteLock lazy = client(server.address(), LAZY).readWriteLock("a");
        Lease alive = lazy.read().acquire();
        CompletableFuture<Lease> writer = waiting(lazy.write());
        alive.release();
        long begin = System.nanoTime();
        Lease written = get(writer);
        assertFalse(dead.isValid());
        assertBeforeARefresh(begin);
        written.release();
    }

    @Test
    final void writer_givesUp_readersBehindItAreGranted() throws Exception {
        Lease reading = lock.read().acquire();
        CompletableFuture<Lease> writer = waiting(other.write());
        CompletableFuture<Lease> reader = waiting(other.read());
        writer.cancel(false);
        assertEquals(reading.token(), get(reader).token());
    }

    // ---- from writing to reading, and not back

    @Test
    final void downgrade_admitsReadersAndKeepsWritersOut() throws Exception {
        Lease writing = lock.write().acquire();
        CompletableFuture<Lease> reader = waiting(other.read());
        CompletableFuture<Lease> writer = waiting(other.write());
        Lease reading = lock.downgrade(writing);
        assertFalse(writing.isValid());
        assertThrows(LeaseLostException.class, writing::requireValid);
        assertEquals(LockMode.SHARED, reading.mode());
        assertTrue(reading.token() > writing.token());
        assertTrue(reading.isHeldOnServer());
        assertEquals(reading.token(), get(reader).token());
        assertFalse(writer.isDone());
        assertThrows(LeaseLostException.class, () -> lock.downgrade(writing));
        writing.release(); // which has ended: nothing happens
        assertTrue(reading.isHeldOnServer());
        // A confirmation that comes after the release is told of an end, too, and not of how it came.
        Lease joined = get(reader);
        await("it is confirmed", () -> joined.remaining().toSeconds() > 10);
        var unused = two.admin().of(LockInfo.Kind.READ_WRITE).release("a", reading.token(), Admin.Waiters.HAND_OFF);
        assertEquals(
                LossReason.REVOKED, get(reading.whenLost().toCompletableFuture()), "it is still known to its client");
        assertEquals(LossReason.REVOKED, get(joined.whenLost().toCompletableFuture()));
        get(writer).release();
        awaitNothingLeft(server);
    }

    @Test
    final void downgrade_ofAnExtendedLease_lastsAsLong() throws Exception {
        Lease writing = lock.write().acquire();
        writing.extend(Duration.ofMinutes(5));
        Lease reading = lock.downgrade(writing);
        assertTrue(reading.remaining().toMinutes() >= 4, () -> "" + reading);
        assertTrue(reading.isHeldOnServer());
        reading.release();
    }

    @Test
    final void downgrade_serverSilent_nothingIsHeldInTheEnd() throws Exception {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        Holdfast cut = client(proxy.address(), HoldfastOptions.defaults().withCommandTimeout(Duration.ofMillis(300)));
        DistributedReadWriteLock there = cut.readWriteLock("a");
        Lease writing = there.write().acquire();
        proxy.stall(TcpProxy.Kind.ANY);
        assertThrows(ServerUnreachableException.class, () -> there.downgrade(writing));
        assertFalse(writing.isValid());
        proxy.resume();
        get(lock.write().acquireAsync(Wait.upTo(PATIENCE))).release();
        await(
                "nothing is left but a tombstone",
                () -> keysOfHoldsAndQueues(server).isEmpty());
    }

    @Test
    final void downgradeAsync_cancelled_releasesWhatItGets() throws Exception {
        Lease writing = lock.write().acquire();
        CompletableFuture<Lease> asked = lock.downgradeAsync(writing);
        if (!asked.cancel(false)) {
            asked.join().release(); // it was sooner
        }
        await("nobody has it", () -> !lock.info().isLocked());
    }

    @Test
    final void downgrade_leaseOfAnother_isRefused() throws Exception {
        Lease reading = lock.read().acquire();
        assertThrows(IllegalArgumentException.class, () -> lock.downgrade(reading));
        reading.release();
        Lease writing = lock.write().acquire();
        assertThrows(IllegalArgumentException.class, () -> other.downgrade(writing));
        assertThrows(
                IllegalArgumentException.class, () -> one.readWriteLock("b").downgrade(writing));
    }

    @Test
    final void downgradedReader_isTheActorsAndEntersAgain() throws Exception {
        DistributedReadWriteLock reentrant = lock.with(REENTRANT);
        Lease reading = reentrant.downgrade(reentrant.write().acquire());
        CompletableFuture<Lease> writer = waiting(other.write());
        Lease again = reentrant.read().acquire(Wait.none());
        assertEquals(reading.owner(), again.owner());
        assertNotObtained(Reason.UPGRADE, reentrant.write().attempt(Wait.forever()));
        writer.cancel(false);
    }

    @Test
    final void readerWithTwoLeases_newerIsGivenBack_stillHoldsTheOlder() throws Exception {
        Lease older = lock.read().acquire();
        Lease newer = lock.read().acquire();
        assertNotEquals(older.owner(), newer.owner(), "they are two holds");
        newer.release();
        DistributedReadWriteLock reentrant = lock.with(REENTRANT);
        CompletableFuture<Lease> writer = waiting(other.write());
        assertNotObtained(Reason.UPGRADE, reentrant.write().attempt(Wait.none()));
        Lease again = reentrant.read().acquire(Wait.none());
        assertEquals(older.owner(), again.owner());
        writer.cancel(false);
    }

    @Test
    final void readerWithTwoLeases_olderIsGivenBack_stillHoldsTheNewer() throws Exception {
        Lease older = lock.read().acquire();
        Lease newer = lock.read().acquire();
        older.release();
        DistributedReadWriteLock reentrant = lock.with(REENTRANT);
        assertNotObtained(Reason.UPGRADE, reentrant.write().attempt(Wait.none()));
        newer.release();
        reentrant.write().acquire(Wait.none()).release();
        awaitNothingLeft(server);
    }

    @Test
    final void upgrade_isRefusedAtOnce() throws Exception {
        for (LockOptions.Reentrancy policy : LockOptions.Reentrancy.values()) {
            if (policy == LockOptions.Reentrancy.WAIT) {
                continue;
            }
            DistributedReadWriteLock of = lock.with(LockOptions.defaults().withReentrancy(policy));
            Lease reading = of.read().acquire();
            assertNotObtained(Reason.UPGRADE, of.write().attempt(Wait.forever()));
            assertThrows(LockRefusedException.class, () -> of.write().acquire());
            assertThrows(LockRefusedException.class, () -> of.write().tryAcquire());
            assertTrue(reading.isHeldOnServer());
            reading.release();
        }
        awaitNothingLeft(server);
    }

    @Test
    final void reentry_byModes() throws Exception {
        DistributedReadWriteLock reentrant = lock.with(REENTRANT);
        Lease reading = reentrant.read().acquire();
        CompletableFuture<Lease> writer = waiting(other.write());
        Lease again = reentrant.read().acquire(); // although a writer waits
        again.release();
        assertTrue(reading.isValid());
        reading.release();
        get(writer).release();
        Lease writing = reentrant.write().acquire();
        Lease both = reentrant.read().acquire();
        assertEquals(writing.token(), both.token());
        writing.release();
        assertNotObtained(Reason.TAKEN, other.read().attempt(Wait.none()));
        both.release();
        awaitNothingLeft(server);
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // the unlocks are what is looked at
    final void asJavaLock_isAReadWriteLock() throws Exception {
        ReadWriteLock view = lock.asJavaLock();
        Lock reading = view.readLock();
        Lock writing = view.writeLock();
        writing.lock();
        writing.lock();
        reading.lock();
        reading.lock();
        writing.unlock();
        assertNotObtained(Reason.TAKEN, other.read().attempt(Wait.none()), "it writes yet");
        writing.unlock();
        assertNotObtained(Reason.TAKEN, other.write().attempt(Wait.none()));
        other.read().acquire(Wait.none()).release(); // goes on as a reader, beside others
        reading.unlock();
        assertNotObtained(Reason.TAKEN, other.write().attempt(Wait.none()), "it reads yet");
        assertThrows(LockRefusedException.class, writing::lock);
        reading.lock();
        reading.unlock();
        reading.unlock();
        other.write().acquire(Wait.none()).release();
        reading.lock();
        assertThrows(LockRefusedException.class, writing::lock);
        try (Lease beside = other.read().acquire()) {
            assertTrue(beside.isValid());
        }
        reading.unlock();
        awaitNothingLeft(server);
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // the unlocks are what is looked at
    final void asJavaLock_leaseBesideTheView_keepsTheWritersHold() throws Exception {
        ReadWriteLock view = lock.asJavaLock();
        view.writeLock().lock();
        view.readLock().lock();
        Lease beside = lock.with(REENTRANT).write().acquire(Wait.none());
        view.writeLock().unlock();
        assertTrue(beside.isHeldOnServer(), "it belongs to another part of the thread's work");
        assertNotObtained(Reason.TAKEN, other.read().attempt(Wait.none()));
        beside.release();
        view.readLock().unlock();
        awaitNothingLeft(server);
    }

    @Test
    final void refusal_tellsInWhichModeItIsHeld() throws Exception {
        Lease writing = lock.write().acquire();
        assertEquals(LockMode.EXCLUSIVE, heldAs(other.read()).mode());
        writing.release();
        try (Lease reading = lock.read().acquire();
                Lease beside = lock.read().acquire()) {
            assertTrue(reading.isValid() && beside.isValid());
            Contention.Sharing use = heldAs(other.write());
            assertEquals(LockMode.SHARED, use.mode());
            assertEquals(2, use.used());
        }
    }

    private static Contention.Sharing heldAs(DistributedLock side) throws InterruptedException {
        return assertNotObtained(Reason.TAKEN, side.attempt(Wait.none()))
                .contention()
                .sharing()
                .orElseThrow();
    }

    @Test
    final void isLockedAndRemaining_ofASide_areOfThatSide() throws Exception {
        Lease writing = lock.write().acquire();
        assertHeld(other.write());
        assertFree(other.read());
        Lease reading = lock.downgrade(writing);
        assertFree(other.write());
        assertHeld(other.read());
        reading.release();
        assertFree(other.write());
        assertFree(other.read());
    }

    private static void assertHeld(DistributedLock side) {
        assertTrue(side.isLocked());
        assertTrue(side.remaining().compareTo(Duration.ZERO) > 0);
    }

    private static void assertFree(DistributedLock side) {
        assertFalse(side.isLocked());
        assertEquals(Duration.ZERO, side.remaining());
    }

    // ---- tokens, acts of operators, loss

    @Test
    final void token_storeWithOneNumber_refusesTheLateAndServesBothSorts() throws Exception {
        FencedValue value = one.fencedValue("v", Duration.ofMinutes(1));
        Lease first = lock.write().acquire();
        value.set(first.token(), "first").orElseThrow();
        first.release();
        Lease reader = lock.read().acquire();
        Lease second = other.read().acquire();
        assertEquals("first", value.read(second.token()).orElseThrow().orElseThrow());
        assertEquals("first", value.read(reader.token()).orElseThrow().orElseThrow());
        assertThrows(
                StaleTokenException.class,
                () -> value.set(first.token(), "late").orElseThrow());
        reader.release();
        second.release();
        Lease next = other.write().acquire();
        value.set(next.token(), "next").orElseThrow();
        assertThrows(StaleTokenException.class, () -> value.read(reader.token()).orElseThrow());
    }

    @Test
    final void revoke_everyHolderIsToldAtOnceAndTheNextIsServed() throws Exception {
        Lease first = lock.read().acquire();
        Lease second = other.read().acquire();
        CompletableFuture<Lease> writer = waiting(other.write());
        var unused = one.admin().of(LockInfo.Kind.READ_WRITE).release("a", Admin.Waiters.HAND_OFF);
        assertEquals(LossReason.REVOKED, get(first.whenLost().toCompletableFuture()));
        assertEquals(LossReason.REVOKED, get(second.whenLost().toCompletableFuture()));
        get(writer).release();
        awaitNothingLeft(server);
    }

    @Test
    final void restart_serverForgotEverything_holdersLoseAndWaitersAreServed() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(5));
        Lease reading = one.readWriteLock("a", brief).read().acquire();
        CompletableFuture<Lease> writer = waiting(two.readWriteLock("a", brief).write());
        server.kill();
        server.restart();
        assertEquals(LossReason.NOT_ON_SERVER, get(reading.whenLost().toCompletableFuture()));
        Lease written = get(writer);
        assertTrue(written.token() > reading.token());
        written.release();
    }

    @Test
    final void look_tellsHoldersAndModes() throws Exception {
        Lease first = lock.read().acquire();
        Lease second = other.read().acquire();
        CompletableFuture<Lease> writer = waiting(other.write());
        LockInfo info = lock.info();
        assertTrue(info.isLocked());
        assertEquals(2, info.used());
        assertEquals(
                List.of(first.owner(), second.owner()).stream().sorted().toList(),
                info.shares().stream()
                        .map(share -> share.holder().owner())
                        .sorted()
                        .toList());
        assertTrue(info.shares().stream().allMatch(share -> share.mode() == LockMode.SHARED));
        assertEquals(LockMode.EXCLUSIVE, info.queue().get(0).mode());
        assertEquals(
                List.of("a"),
                one.inspect()
                        .of(LockInfo.Kind.READ_WRITE)
                        .locks()
                        .map(LockInfo::name)
                        .toList());
        assertEquals(List.of(), one.inspect().locks().toList());
        writer.cancel(false);
    }

    @Test
    final void names_ofOtherKinds_areOthers() throws Exception {
        Lease writing = lock.write().acquire();
        Lease exclusive = one.lock("a").acquire();
        Lease permit = one.semaphore("a", 1).acquire();
        assertTrue(writing.isHeldOnServer() && exclusive.isHeldOnServer() && permit.isHeldOnServer());
    }

    // ---- many

    @Test
    final void load_readersAndWriters_areNeverTogetherAndAllAreServed() throws Exception {
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger writers = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        AtomicLong newest = new AtomicLong();
        List<CompletableFuture<?>> threads = new ArrayList<>();
        for (int t = 0; t < 12; t++) {
            DistributedReadWriteLock mine = t % 2 == 0 ? lock : other;
            Random random = new Random(t);
            threads.add(inThread(() -> {
                for (int i = 0; i < 100; i++) {
                    if (random.nextInt(4) == 0) {
                        mine.write().call(lease -> {
                            wrong.addAndGet(writers.incrementAndGet() != 1 || readers.get() != 0 ? 1 : 0);
                            wrong.addAndGet(newest.getAndSet(lease.token()) >= lease.token() ? 1 : 0);
                            writers.decrementAndGet();
                            return true;
                        });
                    } else {
                        mine.read().call(lease -> {
                            readers.incrementAndGet();
                            wrong.addAndGet(writers.get() != 0 || newest.get() > lease.token() ? 1 : 0);
                            readers.decrementAndGet();
                            return true;
                        });
                    }
                }
                return true;
            }));
        }
        for (CompletableFuture<?> thread : threads) {
            thread.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertEquals(0, wrong.get());
        awaitNothingLeft(server);
    }

    @Test
    final void options_withoutMeaning_areRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> one.readWriteLock("a", LockOptions.defaults().withKeepFor(Duration.ofSeconds(1))));
        assertThrows(
                IllegalArgumentException.class, () -> lock.write().attempt(Wait.untilStuck(Duration.ofSeconds(1))));
    }
}
