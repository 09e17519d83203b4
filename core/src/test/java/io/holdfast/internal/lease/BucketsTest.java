package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class BucketsTest {
    private static final long MILLI = 1_000_000;

    private static final class Named extends Buckets.Item {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private final Buckets<Named> buckets = new Buckets<>();
    private final Named a = new Named("a");
    private final Named b = new Named("b");
    private final Named c = new Named("c");

    @Test
    void put_firstOfABucket_needsATimerAndTheNextDoNot() {
        assertTrue(buckets.put(a, 1));
        assertFalse(buckets.put(b, 1));
        assertTrue(buckets.put(c, 2));
        assertEquals(List.of(a, b), buckets.take(1));
        assertEquals(List.of(c), buckets.take(2));
    }

    @Test
    void put_stoodInAnother_standsInTheLastOnly() {
        buckets.put(a, 1);
        buckets.put(a, 2);
        assertEquals(List.of(), buckets.take(1));
        assertEquals(List.of(a), buckets.take(2));
    }

    @Test
    void put_again_standsThereOnce() {
        buckets.put(a, 1);
        buckets.put(a, 1);
        assertEquals(List.of(a), buckets.take(1));
    }

    @Test
    void put_othersLeft_theBucketStillHasItsTimer() {
        buckets.put(a, 1);
        buckets.remove(a);
        assertFalse(buckets.put(b, 1));
        assertEquals(List.of(b), buckets.take(1));
    }

    @Test
    void put_theTimerCouldNotBeSet_isToldToSetItOnce() {
        buckets.put(a, 1);
        buckets.needsTimer(1);
        assertTrue(buckets.put(a, 1), "the same again");
        assertFalse(buckets.put(b, 1));
        assertEquals(List.of(a, b), buckets.take(1));
        buckets.needsTimer(1); // of none: nothing happens
        assertEquals(List.of(), buckets.take(1));
    }

    @Test
    void put_afterItWasTaken_needsATimerAnew() {
        buckets.put(a, 1);
        buckets.take(1);
        assertTrue(buckets.put(a, 1));
        assertEquals(List.of(a), buckets.take(1));
        assertEquals(List.of(), buckets.take(1));
    }

    @Test
    void remove_unknownOrTaken_changesNothing() {
        buckets.remove(a);
        buckets.put(a, 1);
        buckets.put(b, 1);
        assertEquals(List.of(a, b), buckets.take(1));
        buckets.remove(a);
        buckets.put(a, 2);
        assertEquals(List.of(a), buckets.take(2));
    }

    @Test
    void remove_oneOfSeveral_theOthersStay() {
        for (Named each : List.of(a, b, c)) {
            buckets.put(each, 1);
        }
        buckets.remove(a);
        buckets.remove(c);
        buckets.put(a, 2);
        buckets.remove(b);
        assertEquals(List.of(), buckets.take(1));
        assertEquals(List.of(a), buckets.take(2));
    }

    @Test
    void due_longDelay_isRoundedDownByATenthOfASecondAtMost() {
        assertEquals(10_000 * MILLI, Buckets.due(0, 10_000 * MILLI));
        assertEquals(10_000 * MILLI, Buckets.due(99 * MILLI, 10_000 * MILLI));
        assertEquals(10_100 * MILLI, Buckets.due(100 * MILLI, 10_000 * MILLI));
    }

    @Test
    void due_shortDelay_isRoundedDownByFiveMillisecondsAtMost() {
        assertEquals(2_000 * MILLI, Buckets.due(0, 2_000 * MILLI));
        assertEquals(2_000 * MILLI, Buckets.due(4 * MILLI, 2_000 * MILLI));
        assertEquals(2_005 * MILLI, Buckets.due(5 * MILLI, 2_000 * MILLI));
        assertEquals(2_000 * MILLI, Buckets.due(4 * MILLI, 2_000 * MILLI + 1), "beyond two seconds it is coarse");
    }

    @Test
    void due_beforeTheClockIsZero_isNotLater() {
        assertEquals(-5 * MILLI, Buckets.due(-4 * MILLI - 30 * MILLI, 30 * MILLI));
    }

    @Test
    void dueBefore_farOff_isRoundedDownAndNearIsExact() {
        long now = 3 * MILLI;
        assertEquals(10_000 * MILLI, Buckets.dueBefore(now, 10_099 * MILLI));
        assertEquals(95 * MILLI, Buckets.dueBefore(now, 99 * MILLI));
        assertEquals(23 * MILLI, Buckets.dueBefore(now, 23 * MILLI));
        assertEquals(now - 1, Buckets.dueBefore(now, now - 1));
    }

    @Test
    void dueBefore_whoeverComesEarly_isThereAtTheMomentAfterTwoMore() {
        long moment = 30_099 * MILLI + 7;
        long now = 0;
        for (int early = 0; early < 3; early++) {
            long due = Buckets.dueBefore(now, moment);
            assertTrue(due > now && due <= moment);
            now = due;
        }
        assertEquals(moment, now);
    }

    @Test
    void put_afterEachAct_isOpenToOtherThreads() throws Exception {
        buckets.put(a, 1);
        assertFalse(onAnotherThread());
        buckets.remove(a);
        assertFalse(onAnotherThread());
        buckets.take(1);
        assertTrue(onAnotherThread());
    }

    private boolean onAnotherThread() throws Exception {
        return CompletableFuture.supplyAsync(() -> buckets.put(b, 1)).get(10, TimeUnit.SECONDS);
    }
}
