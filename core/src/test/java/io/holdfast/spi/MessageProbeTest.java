package io.holdfast.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class MessageProbeTest {
    /** One connection, with a clock that the test moves and one task at the most. */
    private static final class Line implements MessageProbe.Line {
        long nowNanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(7); // it overflows on the way
        Runnable task = () -> {};
        long dueNanos;
        final List<CompletableFuture<String>> asked = new ArrayList<>();
        int replaced;
        boolean failing;

        @Override
        public CompletableFuture<String> ask() {
            if (failing) {
                throw new IllegalStateException("on purpose");
            }
            CompletableFuture<String> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        }

        @Override
        public void replace() {
            if (failing) {
                throw new IllegalStateException("on purpose");
            }
            replaced++;
        }

        @Override
        public void later(long delayNanos, Runnable next) {
            dueNanos = nowNanos + delayNanos;
            task = next;
        }

        @Override
        public String describe() {
            return "a server";
        }

        /** Lets time pass, and the tasks run when they are due. */
        void pass(long millis) {
            long endNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(millis);
            while (dueNanos - endNanos <= 0 && dueNanos - nowNanos >= 0) {
                nowNanos = dueNanos;
                runTask();
            }
            nowNanos = endNanos;
        }

        /** The process stands still: what was due comes late. */
        void standStill(long millis) {
            nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
            runTask();
        }

        private void runTask() {
            Runnable due = task;
            task = () -> {};
            dueNanos = nowNanos - 1;
            due.run();
        }
    }

    private final Line line = new Line();
    private final MessageProbe probe = new MessageProbe(() -> line.nowNanos, line);

    MessageProbeTest() {
        probe.lookAfter(TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void silence_answered_isAskedAboutEachFiveSecondsAndNeverReplaced() {
        for (int i = 1; i <= 100; i++) {
            line.pass(4_990);
            assertEquals(i - 1, line.asked.size());
            line.pass(10);
            assertEquals(i, line.asked.size());
            line.asked.get(i - 1).complete("here");
        }
        assertEquals(0, line.replaced);
    }

    @Test
    void messages_moreOftenThanEachFiveSeconds_keepItFromAsking() {
        for (int i = 0; i < 100; i++) {
            line.pass(4_900);
            probe.heard();
        }
        assertEquals(List.of(), line.asked);
    }

    @Test
    void silence_unanswered_endsTheConnectionTenSecondsAfterTheLastArrival() {
        line.pass(3_000);
        probe.heard();
        line.pass(9_999);
        assertEquals(1, line.asked.size());
        assertEquals(0, line.replaced);
        line.pass(1);
        assertEquals(1, line.replaced);
        line.pass(60_000);
        assertEquals(1, line.asked.size());
        assertEquals(1, line.replaced);
    }

    @Test
    void asked_rejected_isAnAnswer() {
        line.pass(5_000);
        line.asked.get(0).completeExceptionally(DriverException.rejected("NOPERM no such right"));
        line.pass(9_999);
        assertEquals(2, line.asked.size());
        assertEquals(0, line.replaced);
    }

    @Test
    void asked_failedOtherwise_isNone() {
        line.pass(5_000);
        line.asked.get(0).completeExceptionally(DriverException.unknown("too slow", null));
        line.pass(5_000);
        assertEquals(1, line.replaced);
    }

    @Test
    void asked_somethingElseArrives_isAnAnswer() {
        line.pass(7_000);
        probe.heard();
        line.pass(7_900);
        assertEquals(0, line.replaced);
    }

    @Test
    void process_stoodStillAfterAsking_hasTimeToReadTheAnswer() {
        line.pass(5_000);
        line.standStill(60_000);
        assertEquals(0, line.replaced);
        line.asked.get(0).complete("here");
        line.pass(9_000);
        assertEquals(0, line.replaced);
    }

    @Test
    void process_stoodStillAndNothingCame_replacesAllTheSame() {
        line.pass(5_000);
        line.standStill(60_000);
        line.pass(5_000);
        assertEquals(1, line.replaced);
    }

    @Test
    void stop_beforeAnything_doesNothingMore() {
        line.pass(5_000);
        probe.stop();
        line.pass(60_000);
        assertEquals(1, line.asked.size());
        assertEquals(0, line.replaced);
    }

    @Test
    void driver_throws_goesOnLooking() {
        line.failing = true;
        assertThrows(IllegalStateException.class, () -> line.pass(5_000));
        line.pass(4_999);
        line.failing = false;
        line.pass(1);
        assertEquals(1, line.replaced); // it could not even ask
    }
}
