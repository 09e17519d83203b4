package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static java.util.Comparator.comparingInt;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Slots: permits of a semaphore of which a lease knows which they are. */
public class SlotContract extends SemaphoreSuite {
    /** For the classes of the drivers. */
    protected SlotContract() {}

    @Test
    final void slots_areTheLowestThatAreFree() throws Exception {
        DistributedSemaphore mine = permits.withSlots();
        Lease first = mine.acquire();
        Lease second = others.withSlots().acquire();
        assertEquals(0, first.slot());
        assertEquals(1, second.slot());
        first.release();
        Lease two = mine.permits(2).acquire();
        assertEquals(List.of(0, 2), two.slots());
        assertEquals(
                List.of(List.of(1), List.of(0, 2)),
                others.info().shares().stream()
                        .map(LockInfo.Share::slots)
                        .sorted(comparingInt(List::size))
                        .toList());
        two.release();
        assertEquals(0, mine.acquire().slot());
        assertEquals(1, second.slot());
    }

    @Test
    final void slots_ofARequestWithoutThem_areNone() throws Exception {
        Lease plain = permits.acquire();
        assertEquals(List.of(), plain.slots());
        assertThrows(IllegalStateException.class, plain::slot);
        assertEquals(List.of(0, 1), others.withSlots().permits(2).acquire().slots());
        assertNotObtained(Reason.TAKEN, permits.withSlots().permits(1).attempt(Wait.none()));
        assertThrows(
                IllegalArgumentException.class,
                () -> permits.withPermits(10_001).withSlots());
        assertThrows(IllegalArgumentException.class, () -> permits.withSlots().withPermits(10_001));
    }

    @Test
    final void slots_ofWaiters_areThoseThatComeBack() throws Exception {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(permits.withSlots().acquire());
        }
        CompletableFuture<Lease> other = waiting(others.withSlots(), 1); // it is told by a message
        held.get(1).release();
        assertEquals(1, get(other).slot());
        CompletableFuture<Lease> own = waiting(permits.withSlots(), 1); // it is told by the reply
        held.get(2).release();
        assertEquals(2, get(own).slot());
        assertTrue(get(own).isHeldOnServer());
    }

    @Test
    final void slots_ofALeaseThatExpired_areFree() throws Exception {
        LockOptions brief =
                LockOptions.defaults().withLeaseDuration(Duration.ofMillis(700)).withRenewal(false);
        Lease dead = two.semaphore("a", 3, brief).withSlots().permits(3).acquire();
        assertEquals(List.of(0, 1, 2), dead.slots());
        assertEquals(List.of(0, 1), get(waiting(permits.withSlots(), 2)).slots());
        assertFalse(dead.isValid());
    }

    @Test
    final void slots_whileTheirPermitsRest_restToo() throws Exception {
        Lease first = permits.withSlots().acquire();
        first.releaseToRest(Duration.ofHours(1));
        Lease second = others.withSlots().acquire();
        assertEquals(1, second.slot());
        one.admin().of(LockInfo.Kind.SEMAPHORE).release("a", first.token(), Admin.Waiters.HAND_OFF);
        assertEquals(0, permits.withSlots().acquire().slot());
        second.release();
    }
}
