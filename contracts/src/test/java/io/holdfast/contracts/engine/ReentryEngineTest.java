package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An actor that enters its own hold gets a lease of which as much is left as its options ask for, however late the server answers. */
final class ReentryEngineTest extends EngineFixture {
    private static final Duration LEAST = Duration.ofMillis(500);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final LockOptions BRIEF = STRICT.withLeaseDuration(SHORT).withMinRemaining(LEAST);

    /** Of a term of a second, less 1 % and 2 ms, this leaves less than the least, and the lease is not over yet. */
    private static final Duration LATE = Duration.ofMillis(490);

    private static List<LockOptions> ways() {
        LockOptions enters = BRIEF.withReentrancy(Reentrancy.REENTER);
        return List.of(
                enters,
                BRIEF.withReentrancy(Reentrancy.REENTER_AND_EXTEND),
                enters.withMinRemaining(Duration.ZERO).withInterruptBefore(LEAST));
    }

    private CompletableFuture<Attempt<Lease>> entering(LockOptions options, Wait wait) {
        Lease outer = lease("a", options);
        time.advance(LATE);
        CompletableFuture<Attempt<Lease>> entered = holdfast.lock("a", options).attemptAsync(wait);
        assertTrue(outer.isValid());
        return entered;
    }

    private void answerLate() {
        var extension = server.next("confirm");
        time.advance(LATE);
        extension.answer(server.held());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void reenter_extensionAnsweredLate_isExtendedOnceMoreAndHasTheLeastLeft(LockOptions options) {
        CompletableFuture<Attempt<Lease>> entered = entering(options, Wait.forever());
        answerLate();
        assertFalse(entered.isDone(), "handed out with too little left: " + entered);
        server.next("confirm").answer(server.held());
        Lease inner = assertObtained(entered.join());
        assertTrue(inner.remaining().compareTo(LEAST) > 0, inner + " has " + inner.remaining());
        assertEquals(ReleaseResult.STILL_HELD, inner.release());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void reenterWithoutWait_everyExtensionAnsweredLate_isUnknownInTheEnd(LockOptions options) {
        CompletableFuture<Attempt<Lease>> entered = entering(options, Wait.none());
        for (int i = 0; i <= 3; i++) {
            assertFalse(entered.isDone(), "after " + i);
            answerLate();
        }
        assertInstanceOf(Attempt.Unknown.class, entered.join());
        assertLeftOnce();
    }

    @ParameterizedTest
    @EnumSource(names = "REENTER.*", mode = EnumSource.Mode.MATCH_ANY)
    void reenter_everyExtensionAnsweredLate_endsWithItsWait(Reentrancy how) {
        CompletableFuture<Attempt<Lease>> entered =
                entering(BRIEF.withReentrancy(how), Wait.upTo(LATE.multipliedBy(3)));
        for (int i = 0; i < 3; i++) {
            answerLate();
        }
        assertNotObtained(Reason.TIMED_OUT, entered.join());
        assertLeftOnce();
    }

    /** Else each section that is entered would leave a listener behind, as long as the outer one lasts. */
    @Test
    void release_ofALeaseThatHasEntered_endsWhatIsToldOfIt() {
        LockOptions options = STRICT.withReentrancy(Reentrancy.REENTER);
        Lease outer = lease("a", options);
        Lease released = holdfast.lock("a", options).acquireAsync(Wait.none()).join();
        Lease lost = holdfast.lock("a", options).acquireAsync(Wait.none()).join();
        List<String> told = new ArrayList<>();
        tell(outer, "outer", told);
        tell(released, "released", told);
        tell(lost, "lost", told);
        assertEquals(ReleaseResult.STILL_HELD, released.release());
        released.onWarning(left -> told.add("too late"));
        time.advance(VALIDITY);
        assertEquals(List.of("outer is warned", "lost is warned"), told.subList(0, 2));
        assertEquals(Set.of("outer is lost", "lost is lost"), Set.copyOf(told.subList(2, told.size())));
        assertEquals(ReleaseResult.ALREADY_GONE, lost.release());
        lost.whenLost().thenRun(() -> told.add("once more"));
        assertEquals("once more", told.get(told.size() - 1), "it was lost before it was released");
    }

    private static void tell(Lease lease, String name, List<String> told) {
        lease.onWarning(left -> told.add(name + " is warned"));
        lease.whenLost().thenRun(() -> told.add(name + " is lost"));
    }

    /** Only the outer lease is left, so that its release frees the lock. */
    private void assertLeftOnce() {
        CompletableFuture<ReleaseResult> last = leases.get(0).releaseAsync();
        server.next("release").answer(server.released("RELEASED"));
        assertEquals(ReleaseResult.RELEASED, last.join());
    }

    /** A process that stood still asks before its timers have run: the holds end while it looks for the newest. */
    @Test
    void reenter_severalHoldsAreOverUnnoticed_asksTheServer() {
        AtomicLong ahead = new AtomicLong();
        Environment steady = time.environment(2);
        Environment stoodStill =
                new Environment(() -> time.nanoTime() + ahead.get(), steady.timers(), steady.entropy());
        FakeDriver driver = new FakeDriver(time);
        try (Holdfast client = Holdfast.over(driver, OPTIONS, stoodStill)) {
            DistributedLock reading = client.readWriteLock("a").read();
            List<Lease> outer = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Lease> future = reading.acquireAsync(Wait.none());
                driver.next("line_acquire").answer(driver.grantedLine(7));
                outer.add(obtained(future));
            }
            ahead.set(TERM.toNanos());
            var unused = reading.with(LockOptions.defaults().withReentrancy(Reentrancy.REENTER))
                    .acquireAsync(Wait.none());
            driver.next("line_acquire");
            assertTrue(outer.stream().noneMatch(Lease::isValid));
            driver.answer("line_release", call -> driver.gone());
        }
    }
}
