package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.PlainOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.internal.wire.Keys;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server whose wall clock runs fast, or is set forward, while its clients hold locks. The scripts are the real ones. */
final class ClockEngineTest {
    /** As fast as chrony slews a clock by default. */
    private static final double CHRONY = 0.083_333;

    private static final Duration TICK = Duration.ofMillis(10);
    private static final Duration TERM = Duration.ofSeconds(20);
    /** The term less 1 % and 2 ms. */
    private static final Duration WHOLE = Duration.ofMillis(19_798);

    private static final String HOLD = Keys.of("hf", "a").hold();
    private static final LockOptions OPTIONS =
            LockOptions.defaults().withStrictOrder().withLeaseDuration(TERM);

    /** A driver that can be cut off: what is sent is not answered. */
    private static final class Link extends ForwardingDriver {
        private boolean cut;

        Link(RedisDriver driver) {
            super(driver);
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            return cut ? new CompletableFuture<>() : super.send(command);
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final Timers ntp = time.timers();
    private final Link link = new Link(server.driver());
    private final List<Holdfast> clients = new ArrayList<>();
    private final Holdfast holder = client(link, HoldfastOptions.defaults());
    private final Holdfast other = client(server.driver(), HoldfastOptions.defaults());
    private double fast; // by which part the server's clock runs fast

    ClockEngineTest() {
        slew();
    }

    private void slew() {
        ntp.schedule(TICK.toNanos(), this::slew);
        if (fast != 0) {
            server.stepClock(Duration.ofNanos((long) (TICK.toNanos() * fast)));
        }
    }

    private Holdfast client(RedisDriver driver, HoldfastOptions options) {
        Holdfast made = Holdfast.over(
                driver,
                options.withExecutor(Runnable::run).withCloseTimeout(Duration.ZERO),
                time.environment(clients.size()));
        clients.add(made);
        return made;
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        ntp.close();
        server.close();
    }

    private Attempt<Lease> attempt(Holdfast client, String name, LockOptions options) {
        return client.lock(name, options).attemptAsync(Wait.none()).join();
    }

    private Lease take(Holdfast client, String name, LockOptions options) {
        return attempt(client, name, options).orElseThrow();
    }

    private static @Nullable LossReason lossOf(Lease lease) {
        return lease.whenLost().toCompletableFuture().getNow(null);
    }

    /** For how long two leases were valid together, if the other client asks until it has the lock. */
    private Duration overlap(Lease lease) {
        Lease next = null;
        Duration overlap = Duration.ZERO;
        for (long waited = 0; waited < 2 * TERM.toMillis(); waited += TICK.toMillis()) {
            if (next == null && attempt(other, "a", OPTIONS) instanceof Attempt.Obtained<Lease> obtained) {
                next = obtained.orElseThrow();
            }
            if (next != null && next.isValid() && lease.isValid()) {
                overlap = overlap.plus(TICK);
            }
            time.advance(TICK);
        }
        assertTrue(next != null, "the other one never got it");
        return overlap;
    }

    // ---- a clock that is slewed

    @Test
    void isValid_serverSlewsForwardAndHolderIsCutOff_isOverBeforeTheNextHolds() {
        fast = CHRONY;
        Lease lease = take(holder, "a", OPTIONS);
        time.advance(Duration.ofSeconds(8)); // it was renewed once
        link.cut = true;
        assertEquals(Duration.ZERO, overlap(lease), "two leases were valid for so long");
        assertEquals(LossReason.EXPIRED, lossOf(lease));
    }

    @Test
    void isValid_slewBeginsWhileItIsHeld_isOverBeforeTheNextHolds() {
        Lease lease = take(holder, "a", OPTIONS);
        time.advance(Duration.ofSeconds(60));
        fast = CHRONY;
        time.advance(Duration.ofSeconds(15));
        link.cut = true;
        assertEquals(Duration.ZERO, overlap(lease), "two leases were valid for so long");
    }

    @Test
    void isValid_termThatIsNotRenewed_endsEarlierOnceTheSlewIsNoticed() {
        LockOptions once = OPTIONS.withRenewal(false);
        Lease lease = take(holder, "a", once);
        fast = CHRONY;
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofSeconds(1));
            take(holder, "b", OPTIONS).release();
        }
        link.cut = true;
        assertEquals(Duration.ZERO, overlap(lease), "two leases were valid for so long");
    }

    @Test
    void isValid_plainLockOnAServerThatSlews_isOverBeforeTheNextHolds() {
        fast = CHRONY;
        PlainOptions plain = PlainOptions.defaults().withLeaseDuration(TERM).withRenewal(true);
        var lease =
                holder.plainLock("p", plain).attemptAsync(Wait.none()).join().orElseThrow();
        time.advance(Duration.ofSeconds(8));
        link.cut = true;
        long limit = 2 * TERM.toMillis();
        long waited = 0;
        while (!(other.plainLock("p", plain).attemptAsync(Wait.none()).join() instanceof Attempt.Obtained)) {
            time.advance(TICK);
            waited += TICK.toMillis();
            assertTrue(waited < limit, "the other one never got it");
        }
        assertFalse(lease.isValid(), "two leases are valid");
    }

    @Test
    void remaining_clockRunsRightAgain_isAWholeTermAgain() {
        fast = CHRONY;
        Lease lease = take(holder, "a", OPTIONS);
        time.advance(Duration.ofSeconds(30));
        fast = 0;
        time.advance(Duration.ofSeconds(60));
        lease.extend(TERM);
        assertEquals(WHOLE, lease.remaining());
    }

    @Test
    void remaining_clockWithinTheAllowance_isNeverShortened() {
        fast = 0.01;
        Lease lease = take(holder, "a", OPTIONS);
        for (int i = 0; i < 300; i++) {
            time.advance(Duration.ofMillis(400));
            assertEquals(WHOLE, take(holder, "b" + i, OPTIONS).remaining());
            assertTrue(lease.isValid());
        }
    }

    @Test
    void remaining_clockThatRunsSlowOrIsSetBack_isNeverShortened() {
        fast = -CHRONY;
        Lease lease = take(holder, "a", OPTIONS);
        for (int i = 0; i < 100; i++) {
            time.advance(Duration.ofMillis(400));
            if (i % 20 == 0) {
                server.stepClock(Duration.ofSeconds(-3));
            }
            assertEquals(WHOLE, take(holder, "b" + i, OPTIONS).remaining());
            assertTrue(lease.isValid());
        }
    }

    // ---- a clock that is set

    @Test
    void remaining_clockIsSetForward_isShorterByThatUntilItIsRenewedAtOnce() {
        Lease lease = take(holder, "a", OPTIONS);
        time.advance(Duration.ofSeconds(2));
        server.stepClock(Duration.ofSeconds(5));
        take(holder, "b", OPTIONS);
        long left = lease.remaining().toMillis();
        long leftOnServer = server.command("PTTL", HOLD).asLong();
        assertTrue(left > 0 && left <= leftOnServer, left + " ms, on the server " + leftOnServer);
        time.runDue();
        assertTrue(lease.remaining().compareTo(Duration.ofSeconds(17)) > 0, lease::toString);
    }

    @Test
    void isValid_clockIsSetForwardAndHolderIsCutOffThen_isOverBeforeTheNextHolds() {
        Lease lease = take(holder, "a", OPTIONS);
        time.advance(Duration.ofSeconds(2));
        server.stepClock(Duration.ofSeconds(5));
        take(holder, "b", OPTIONS);
        link.cut = true;
        assertEquals(Duration.ZERO, overlap(lease), "two leases were valid for so long");
    }

    @Test
    void lost_clockIsSetForwardByMoreThanTheTerm_isToldAtTheNextReply() {
        Lease lease = take(holder, "a", OPTIONS);
        time.advance(Duration.ofSeconds(2));
        server.stepClock(Duration.ofSeconds(30));
        Lease next = take(holder, "b", OPTIONS);
        assertEquals(LossReason.EXPIRED, lossOf(lease));
        assertTrue(next.isValid(), "what is granted after that counts from then");
    }

    @Test
    void acquire_clockWasSetForwardOnce_isNotRefused() {
        take(holder, "a", OPTIONS);
        time.advance(Duration.ofSeconds(2));
        server.stepClock(Duration.ofHours(1));
        for (int i = 0; i < 10; i++) {
            take(holder, "b" + i, OPTIONS);
            time.advance(Duration.ofMillis(300));
        }
    }

    // ---- beyond what is tolerated

    @Test
    void acquire_clockRunsFasterThanTolerated_isRefusedAndGivenBackUntilItRunsRight() {
        fast = 0.2;
        for (int i = 0; i < 30; i++) {
            attemptQuietly(i);
            time.advance(Duration.ofMillis(100));
        }
        ServerRefusedException told = refused(holder.lock("a", OPTIONS).attemptAsync(Wait.none()));
        assertTrue(String.valueOf(told.getMessage()).contains("largestClockDrift"), told.getMessage());
        assertEquals(0, server.command("EXISTS", HOLD).asLong(), "it was not given back");
        PlainOptions plain = PlainOptions.defaults().withLeaseDuration(TERM);
        refused(holder.plainLock("p", plain).attemptAsync(Wait.none()));
        fast = 0;
        for (int i = 0; i < 30; i++) {
            attemptQuietly(i);
            time.advance(Duration.ofMillis(100));
        }
        take(holder, "a", OPTIONS);
    }

    private void attemptQuietly(int number) {
        var unused =
                holder.lock("n" + number, OPTIONS).attemptAsync(Wait.none()).exceptionally(failure -> null);
    }

    private static ServerRefusedException refused(CompletableFuture<?> future) {
        Throwable cause = assertThrows(CompletionException.class, future::join).getCause();
        return assertInstanceOf(ServerRefusedException.class, cause);
    }

    @Test
    void acquire_nothingButAWholeTermWillDo_isRefusedAndNotAskedForWithoutEnd() {
        Holdfast patient = client(server.driver(), HoldfastOptions.defaults().withLargestClockDrift(0.5));
        fast = 0.2;
        take(patient, "a", OPTIONS);
        time.advance(Duration.ofSeconds(10));
        LockOptions picky = OPTIONS.withMinRemaining(Duration.ofMillis(17_999));
        ServerRefusedException told = refused(patient.lock("b", picky).acquireAsync(Wait.forever()));
        assertTrue(String.valueOf(told.getMessage()).contains("minRemaining"), told.getMessage());
    }
}
