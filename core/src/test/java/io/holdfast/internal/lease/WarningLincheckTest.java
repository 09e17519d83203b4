package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Interleavings;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Script;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A lease is warned of its deadline once, when a third of its term is left, also if it is renewed while its timer runs; and
 * not at all once it is detached.
 */
@Tag("long")
public final class WarningLincheckTest {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final HandClient hand = new HandClient();
    private final Lease lease = hand.lease("a", LockOptions.defaults().withLeaseDuration(TERM));
    private final Hold hold = hand.client.kit.holds().iterator().next();
    private final List<Duration> warnings = new CopyOnWriteArrayList<>();
    private volatile boolean raised;

    public WarningLincheckTest() {
        hold.onWarning(warnings::add);
        hand.pass(TERM.dividedBy(3).multipliedBy(2));
    }

    @Operation(runOnce = true)
    public void timer() {
        for (Runnable due = hand.nextDue(); due != null; due = hand.nextDue()) {
            due.run();
        }
    }

    @Operation(runOnce = true)
    public void raise() {
        hold.armed(hand.now() + TERM.toNanos(), false);
        raised = true;
    }

    @Validate
    public void isWarnedOfItsDeadlineOnce() {
        int before = warnings.size();
        boolean attended = hold.isAttended();
        while (hold.leftNanos(hand.now()) > 2 * SECOND.toNanos()) {
            hand.pass(SECOND);
            hand.runDue();
        }
        assertTrue(
                warnings.stream().allMatch(left -> left.compareTo(TERM.dividedBy(3)) <= 0),
                () -> "warned with so much left: " + warnings);
        int after = warnings.size() - before;
        if (!attended) {
            assertEquals(0, after, "warned of a lease that was left to itself");
        } else {
            assertEquals(1, raised ? after : before + after, "how often it was warned");
        }
    }

    @Test
    void interleavings_warnOfTheDeadlineOnce() {
        Interleavings.of(WarningLincheckTest.class, 1, 100, Hold.class)
                .actorsPerThread(1)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("timer")), List.of(act("raise")), List.of()))
                .check(WarningLincheckTest.class);
    }

    @Test
    void arm_detachedWhileTheTimerIsSet_isWarnedOfNothing() {
        timer(); // else it stands already where it would stand next
        hold.detach();
        HandClient.Call confirm = Objects.requireNonNull(hand.next(Script.CONFIRM, hold.owner()));
        hand.whileATimerIsSet(() -> confirm.reply().complete(HandClient.held()));
        raise();
        assertFalse(hold.isAttended());
        isWarnedOfItsDeadlineOnce();
        assertTrue(lease.isValid());
    }

    private static Actor act(String operation) {
        return Interleavings.act(WarningLincheckTest.class, operation);
    }
}
