package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedLock.Extension;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseEndingException;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseTicket;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Handing leases over, extending them, and limiting the work under them. */
public class LeaseSteeringContract extends FaultSuite {
    /** For the classes of the drivers. */
    protected LeaseSteeringContract() {}

    // ---- handing over, extending, limiting

    @Test
    void adopt_ticketOfAnotherClient_goesOnWithTheSameTokenAndSurvivesIt() throws Exception {
        Holdfast from = client(server.address(), HoldfastOptions.defaults());
        Lease lease = from.lock("a", BRIEF).acquire();
        String text = lease.ticket().encoded();
        assertFalse(lease.ticket().toString().contains("~"), "a ticket is a secret");
        Holdfast to = local(HoldfastOptions.defaults());
        Lease adopted = to.adopt(LeaseTicket.decode(text));
        lease.detach();
        from.close();
        assertEquals(lease.token(), adopted.token());
        assertEquals("a", adopted.name());
        // Longer than the term: it is renewed here.
        long end = System.nanoTime() + BRIEF.leaseDuration().toNanos() * 2;
        await("two terms pass", () -> System.nanoTime() - end > 0);
        assertHeldBy(adopted);
        adopted.extend(Duration.ofSeconds(5));
        assertTrue(adopted.remaining().toMillis() > 4_000);
        assertEquals(ReleaseResult.RELEASED, adopted.release());
        awaitNothingButTombstones();
        assertThrows(LeaseLostException.class, () -> to.adopt(LeaseTicket.decode(text)));
        assertThrows(IllegalArgumentException.class, () -> LeaseTicket.decode("hf1 x"));
    }

    @Test
    void adopt_giverCutOffBeforeItDetaches_itsTakeBackLeavesTheReceiverAlone() throws Exception {
        Holdfast from = remote(EAGER);
        Lease given = from.lock("a", BRIEF).acquire();
        Lease adopted = local(HoldfastOptions.defaults()).adopt(given.ticket());
        proxy.stall(Kind.COMMANDS);
        assertThrows(ServerUnreachableException.class, given::detach);
        assertEquals(LossReason.EXPIRED, get(given.whenLost()));
        long end = System.nanoTime() + BRIEF.leaseDuration().toNanos() * 5;
        await("five terms pass", () -> System.nanoTime() - end > 0);
        assertHeldBy(adopted);
        CompletableFuture<Caught> takeBack = proxy.onRequest(ScriptCalls.RELEASE, Fault.NONE);
        proxy.resume();
        get(takeBack);
        await("the giver's client is connected again", () -> isHeard(from));
        assertHeldBy(adopted);
        assertTrue(local(HoldfastOptions.defaults()).lock("a").tryAcquire().isEmpty());
        given.detach(); // what it was to do: the server says that another goes on with it
        assertEquals(ReleaseResult.RELEASED, adopted.release());
        awaitNothingButTombstones();
    }

    private static boolean isHeard(Holdfast holdfast) {
        try {
            awaitHeard(holdfast);
            return true;
        } catch (ServerUnreachableException e) {
            return false;
        }
    }

    @Test
    void adopt_giverReleasesOrIsClosed_disturbsNobody() throws Exception {
        Holdfast from = client(server.address(), HoldfastOptions.defaults());
        Lease released = from.lock("a", BRIEF).acquire();
        Lease adopted = local(HoldfastOptions.defaults()).adopt(released.ticket());
        assertEquals(ReleaseResult.ALREADY_GONE, released.release());
        assertHeldBy(adopted);
        adopted.release();
        Lease closed = from.lock("a", BRIEF).acquire();
        Lease again = local(HoldfastOptions.defaults()).adopt(closed.ticket());
        from.close();
        assertEquals(LossReason.CLIENT_CLOSED, get(closed.whenLost()));
        assertHeldBy(again);
        // And on to a third, which the first receiver learns from its renewal.
        Lease third = local(HoldfastOptions.defaults()).adopt(again.ticket());
        await("it is handed over", again::isHandedOver);
        assertFalse(again.isValid());
        assertFalse(again.whenLost().toCompletableFuture().isDone());
        assertHeldBy(third);
        assertEquals(closed.token(), third.token());
        third.release();
        awaitNothingButTombstones();
    }

    @Test
    void adopt_twoReceivers_onlyOneGetsIt() throws Exception {
        Lease given = local(HoldfastOptions.defaults()).lock("a", BRIEF).acquire();
        LeaseTicket ticket = given.ticket();
        Lease first = local(HoldfastOptions.defaults()).adopt(ticket);
        assertThrows(
                LeaseLostException.class,
                () -> local(HoldfastOptions.defaults()).adopt(ticket));
        given.detach();
        assertTrue(given.isHandedOver());
        assertHeldBy(first);
        assertEquals(given.token(), first.token());
        assertEquals(given.since(), first.since());
        first.release();
        // A ticket of a lease that its giver has released is good for nothing.
        Lease other = local(HoldfastOptions.defaults()).lock("a").acquire();
        LeaseTicket late = other.ticket();
        other.release();
        assertThrows(
                LeaseLostException.class,
                () -> local(HoldfastOptions.defaults()).adopt(late));
        awaitNothingButTombstones();
    }

    @Test
    void adopt_copyOfTheGiversAcquireArrivesLater_isRefused() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.KILL_AFTER);
        Lease given = get(remote(HoldfastOptions.defaults()).lock("a", BRIEF).acquireAsync());
        assertTrue(given.attempts() > 1);
        Lease adopted = local(HoldfastOptions.defaults()).adopt(given.ticket());
        given.detach();
        assertEquals(ReleaseResult.RELEASED, adopted.release());
        assertEquals("GONE", get(acquire).deliver().asString().split(" ", 2)[0]);
        awaitNothingButTombstones();
    }

    @Test
    void adopt_answerLost_isTakenBackUnderTheReceiversOwner() throws Exception {
        Lease given = local(HoldfastOptions.defaults()).lock("a", BRIEF).acquire();
        LeaseTicket ticket = given.ticket();
        Holdfast to = remote(EAGER);
        CompletableFuture<Caught> adopt = proxy.onRequest(ScriptCalls.ADOPT, Fault.KILL_AFTER);
        assertThrows(ServerUnreachableException.class, () -> to.adopt(ticket));
        await("it is taken back", () -> server.command("EXISTS", "hf:{a}").asLong() == 0);
        // A copy that comes later adopts nothing, also not a hold of the same owner.
        assertEquals("GONE", get(adopt).deliver().asString().split(" ", 2)[0]);
        Lease next = local(HoldfastOptions.defaults()).lock("a").acquire();
        assertEquals("GONE", get(adopt).deliver().asString().split(" ", 2)[0]);
        assertHeldBy(next);
        next.release();
        awaitNothingButTombstones();
    }

    @Test
    void adopt_requestLate_isRefusedAndTheGiverGoesOn() throws Exception {
        Lease given = local(HoldfastOptions.defaults()).lock("a", BRIEF).acquire();
        LeaseTicket ticket = given.ticket();
        Holdfast to = remote(EAGER);
        CompletableFuture<Caught> adopt = proxy.onRequest(ScriptCalls.ADOPT, Fault.KILL_BEFORE);
        assertThrows(ServerUnreachableException.class, () -> to.adopt(ticket));
        await("its owner is ended", () -> tombstones().size() == 1);
        assertEquals("GONE", get(adopt).deliver().asString().split(" ", 2)[0]);
        assertHeldBy(given);
        assertEquals(ReleaseResult.RELEASED, given.release());
        awaitNothingButTombstones();
    }

    @Test
    void extendOrReacquire_whatBecameOfTheLease_isToldHonestly() throws Exception {
        DistributedLock lock = local(HoldfastOptions.defaults()).lock("a");
        Lease lease = lock.acquire();
        Extension same = lock.extendOrReacquire(lease, Wait.none());
        assertTrue(same.continuous());
        assertEquals(lease, same.lease());
        server.command("DEL", "hf:{a}");
        Extension anew = lock.extendOrReacquire(lease, Wait.none());
        assertFalse(anew.continuous());
        assertTrue(anew.lease().token() > lease.token());
        assertFalse(lease.isValid());
        assertHeldBy(anew.lease());
        server.command("DEL", "hf:{a}");
        Lease other = local(HoldfastOptions.defaults()).lock("a").acquire();
        assertThrows(LockTimeoutException.class, () -> lock.extendOrReacquire(anew.lease(), Wait.none()));
        assertHeldBy(other);
        other.release();
    }

    @Test
    void extend_failed_releasesNothing() throws Exception {
        Holdfast holdfast = remote(EAGER);
        Lease lease = holdfast.lock("a").acquire();
        proxy.stall(Kind.COMMANDS);
        assertThrows(ServerUnreachableException.class, () -> lease.extend(Duration.ofMinutes(1)));
        assertTrue(lease.isValid());
        proxy.resume();
        assertHeldBy(lease);
        assertThrows(IllegalArgumentException.class, () -> lease.extend(Duration.ofSeconds(-1)));
        assertHeldBy(lease);
        lease.release();
    }

    @Test
    void interruptBefore_workRunsIntoTheEndOfTheTerm_isInterruptedWhileTheLockIsHeld() throws Exception {
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(Duration.ofSeconds(2))
                .withRenewal(false)
                .withInterruptBefore(Duration.ofMillis(1_500));
        DistributedLock lock = local(HoldfastOptions.defaults()).lock("a", options);
        CountDownLatch never = new CountDownLatch(1);
        boolean[] heldWhenInterrupted = {false};
        LeaseEndingException ending = assertThrows(
                LeaseEndingException.class,
                () -> lock.<String, InterruptedException>call(lease -> {
                    try {
                        never.await();
                        return "not interrupted";
                    } catch (InterruptedException e) {
                        heldWhenInterrupted[0] = lease.isValid();
                        throw e;
                    }
                }));
        assertTrue(heldWhenInterrupted[0]);
        assertInstanceOf(InterruptedException.class, ending.getCause());
        assertFalse(Thread.interrupted());
        awaitNothingLeft(server);
    }

    @Test
    void interruptBefore_workEndsInTime_isNotInterruptedThenNorLater() throws Exception {
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(Duration.ofSeconds(1))
                .withRenewal(false)
                .withInterruptBefore(Duration.ofMillis(890));
        DistributedLock lock = local(HoldfastOptions.defaults()).lock("a", options);
        // The interrupt comes at about the time at which the work ends, before or after: it must not reach beyond it.
        for (int i = 0; i < 20; i++) {
            int spins = i;
            lock.call(lease -> {
                long end = System.nanoTime() + 90_000_000L + spins * 1_000_000L;
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                return "";
            });
            assertFalse(Thread.interrupted());
        }
    }

    @Test
    void interruptBefore_renewedLease_isNotInterruptedWhileRenewalWorks() throws Exception {
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(Duration.ofSeconds(2))
                .withInterruptBefore(Duration.ofMillis(200));
        String done = local(HoldfastOptions.defaults()).lock("a", options).call(lease -> {
            long end = System.nanoTime() + 4_500_000_000L;
            await("more than two terms pass", () -> System.nanoTime() - end > 0);
            return Thread.interrupted() ? "interrupted" : "done";
        });
        assertEquals("done", done);
    }
}
