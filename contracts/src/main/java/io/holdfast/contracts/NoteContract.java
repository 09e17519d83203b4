package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Notes of holders: shown while they hold, and read by the holder that comes next. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class NoteContract extends LockSuite {
    /** For the classes of the drivers. */
    protected NoteContract() {}

    private RedisServer server;
    private Holdfast one;
    private Holdfast two;

    @BeforeEach
    final void makeClients() {
        server = startServer();
        one = client(server);
        two = client(server);
    }

    private static Optional<String> noteBefore(Lease lease) {
        return lease.before().flatMap(Holder::note);
    }

    @Test
    final void note_whileHeld_isShownToThoseThatLookAndWait() throws Exception {
        LockOptions options = LockOptions.defaults().withMetadata(Map.of("job", "17"));
        Lease lease = one.lock("a", options).acquire();
        assertEquals(
                Optional.empty(), two.lock("a").info().holder().orElseThrow().note());
        lease.note("62 %, item ä & 4711?");
        Holder holder = two.lock("a").info().holder().orElseThrow();
        assertEquals(Optional.of("62 %, item ä & 4711?"), holder.note());
        assertEquals("17", holder.metadata().get("job"));
        assertEquals(lease.token(), holder.token());
        assertEquals(lease.since(), holder.since());
        Attempt.NotObtained<Lease> not =
                (Attempt.NotObtained<Lease>) two.lock("a").attempt(Wait.none());
        assertEquals(holder.note(), not.contention().holder().orElseThrow().note());
        lease.note("");
        assertEquals(
                Optional.empty(), two.lock("a").info().holder().orElseThrow().note());
        lease.note("63 %");
        assertTrue(lease.isHeldOnServer());
        lease.extend(Duration.ofMinutes(1));
        assertEquals(
                Optional.of("63 %"), two.lock("a").info().holder().orElseThrow().note());
    }

    @Test
    final void note_leftAndRemoved_isToldToListeners() throws Exception {
        for (LockOptions options :
                List.of(LockOptions.defaults(), LockOptions.defaults().withStrictOrder())) {
            List<LockEvent.Noted> told = new CopyOnWriteArrayList<>();
            CompletableFuture<Void> over = new CompletableFuture<>();
            LockOptions listening = options.withListener(event -> {
                if (event instanceof LockEvent.Noted noted) {
                    told.add(noted);
                } else if (event instanceof LockEvent.Released) {
                    over.complete(null);
                }
            });
            Lease lease = one.lock("a", listening).acquire();
            lease.note("62 %");
            lease.note("");
            lease.release();
            assertThrows(LeaseLostException.class, () -> lease.note("too late"));
            over.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertEquals(
                    List.of("62 %", ""),
                    told.stream().map(LockEvent.Noted::note).toList());
            told.forEach(each -> assertEquals(lease.token(), each.token()));
        }
    }

    @Test
    final void before_ofAHolderThatIsGone_tellsItsLastNoteAndToken() throws Exception {
        LockOptions brief =
                LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2)).withRenewal(false);
        Lease dead = one.lock("a", brief).acquire();
        assertEquals(Optional.empty(), dead.before());
        dead.note("item 1");
        dead.note("item 2");
        assertEquals(Optional.empty(), dead.before(), "its own is none of before");
        Lease next = get(two.lock("a").acquireAsync(Wait.forever()));
        Holder before = next.before().orElseThrow();
        assertEquals(Optional.of("item 2"), before.note());
        assertEquals(dead.token(), before.token());
        assertTrue(before.token() < next.token());
        assertTrue(!before.since().isBefore(dead.since()));
        next.note("item 3");
        assertEquals(Optional.of("item 2"), noteBefore(next), "that of before stays beside its own");
        next.release();
        Lease third = one.lock("a").acquire();
        assertEquals(Optional.of("item 3"), noteBefore(third));
        third.note("");
        assertEquals(Optional.empty(), third.before(), "the work has come to its end");
        third.release();
        assertEquals(Optional.empty(), two.lock("a").acquire().before());
    }

    @Test
    final void note_ofALeaseThatSharesItsHold_isNotTheNextOnes() throws Exception {
        DistributedLock lock = one.lock("a");
        Lease first = lock.acquire();
        CompletableFuture<Lease> second = lock.acquireAsync(Wait.forever());
        first.note("of the first");
        first.release();
        Lease next = get(second);
        assertTrue(next.token() > first.token());
        assertEquals(
                Optional.empty(), two.lock("a").info().holder().orElseThrow().note());
        assertEquals(Optional.of("of the first"), noteBefore(next));
    }

    @Test
    final void note_ofALeaseThatIsOver_isRefused() throws Exception {
        Lease released = one.lock("a").acquire();
        released.release();
        assertThrows(LeaseLostException.class, () -> released.note("late"));
        Lease revoked = one.lock("a").acquire();
        two.admin().release("a", Admin.Waiters.HAND_OFF);
        assertThrows(LeaseLostException.class, () -> revoked.note("late"));
        assertEquals(Optional.empty(), two.lock("a").acquire().before());
    }

    @Test
    final void note_holderIsCutOff_theNextGoesOnFromThere() throws Exception {
        TcpProxy link = closeLater(TcpProxy.to(server.address().port()));
        Holdfast cutOff = client(link.address(), HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1)));
        Lease lease = cutOff.lock("a", LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2)))
                .acquire();
        lease.note("item 4711");
        link.stall(Kind.ANY);
        assertEquals(Optional.of("item 4711"), noteBefore(get(two.lock("a").acquireAsync(Wait.forever()))));
        link.resume();
    }

    @Test
    final void note_ofWorkThatIsDoneOnce_isReadByTheNextAndEndsWithTheRecord() throws Exception {
        assertThrows(
                IllegalStateException.class,
                () -> one.once("a").run(lease -> {
                    lease.note("half");
                    throw new IllegalStateException("the work fails");
                }));
        two.once("a").withKeep(Duration.ofMillis(1)).run(lease -> {
            assertEquals(Optional.of("half"), noteBefore(lease));
            lease.note("three quarters");
            return "done";
        });
        await(
                "the record is over",
                () -> one.inspect().of(LockInfo.Kind.ONCE).lock("a").holder().isEmpty());
        one.once("a").run(lease -> {
            assertEquals(Optional.empty(), lease.before());
            return "again";
        });
    }

    @Test
    final void note_ofARunThatDied_endsWithTheRecordOfTheNext() throws Exception {
        Holdfast dead = Holdfast.over(driver(server.address()), HoldfastOptions.defaults());
        assertThrows(
                IllegalStateException.class,
                () -> dead.once("a").run(lease -> {
                    lease.note("half");
                    throw new IllegalStateException("the work fails");
                }));
        dead.close();
        two.once("a").withKeep(Duration.ofMillis(1)).run(lease -> "done");
        await(
                "the record is over",
                () -> one.inspect().of(LockInfo.Kind.ONCE).lock("a").holder().isEmpty());
        awaitNothingLeft(server);
    }

    @Test
    final void note_lockIsReleasedBeforeTheAnswer_isWrittenBeforeThat() throws Exception {
        for (int i = 0; i < 50; i++) {
            server.command("SCRIPT", "FLUSH");
            Lease lease = one.lock("a").acquire();
            CompletableFuture<Void> noted = lease.noteAsync("note " + i);
            lease.release();
            get(noted);
            Lease next = two.lock("a").acquire();
            assertEquals(Optional.of("note " + i), noteBefore(next));
            next.release();
        }
    }

    @Test
    final void note_otherLeasesOfTheClientTakeTurns_isNeverThatOfTheNext() throws Exception {
        DistributedLock lock = one.lock("a");
        AtomicInteger wrong = new AtomicInteger();
        List<CompletableFuture<?>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(inThread(() -> {
                for (int i = 0; i < 50; i++) {
                    Lease lease = lock.acquire();
                    Holder shown = two.lock("a").info().holder().orElseThrow();
                    wrong.addAndGet(shown.note().isEmpty() ? 0 : 1);
                    lease.before()
                            .ifPresent(holder ->
                                    wrong.addAndGet(holder.note().equals(Optional.of(noteOf(holder.token()))) ? 0 : 1));
                    CompletableFuture<Void> under = CompletableFuture.runAsync(() -> lease.note(noteOf(lease.token())));
                    lease.release();
                    get(under.exceptionally(failure -> null)); // it came first, or was refused
                }
                return true;
            }));
        }
        for (CompletableFuture<?> thread : threads) {
            get(thread);
        }
        assertEquals(0, wrong.get());
    }

    private static String noteOf(long token) {
        return "of " + token;
    }

    @Test
    final void before_ofAnAdoptedLease_isTheNoteOfTheProcessThatHasLeftIt() throws Exception {
        Lease given = one.lock("a").acquire();
        given.note("half");
        Lease adopted = two.adopt(given.ticket());
        assertEquals(given.token(), adopted.token());
        assertEquals(Optional.of("half"), noteBefore(adopted));
        adopted.note("three quarters");
        assertEquals(Optional.empty(), adopted.before(), "its own is none of before");
        adopted.release();
        assertEquals(Optional.of("three quarters"), noteBefore(one.lock("a").acquire()));
    }

    @Test
    final void note_ofWhatSeveralHold_isRefused() throws Exception {
        Lease permit = one.semaphore("a", 3).acquire();
        assertThrows(UnsupportedOperationException.class, () -> permit.note("half"));
        assertThrows(UnsupportedOperationException.class, permit::before);
        Lease reader = one.readWriteLock("a").read().acquire();
        assertThrows(UnsupportedOperationException.class, () -> reader.note("half"));
        Lease lease = one.lock("a").acquire();
        assertThrows(IllegalArgumentException.class, () -> lease.note("x".repeat(1_001)));
        lease.note("x".repeat(1_000));
    }
}
