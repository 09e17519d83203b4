package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RetryQueueTest {
    private final List<Integer> asked = new ArrayList<>();
    private final Deque<Runnable> unanswered = new ArrayDeque<>();
    private int server = 1; // that has all locks at present
    private final RetryQueue<Integer> repeats = new RetryQueue<>(request -> server, (request, over) -> {
        asked.add(request);
        unanswered.add(over);
    });

    @Test
    void add_manyMoreThanMayBeUnderWay_areAskedInTheirOrderAtThePaceOfTheAnswers() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            all.add(i);
            repeats.add(i);
        }
        assertEquals(all.subList(0, 100), asked);
        unanswered.remove().run();
        assertEquals(all.subList(0, 101), asked);
        while (!unanswered.isEmpty()) {
            unanswered.remove().run();
        }
        assertEquals(all, asked);
    }

    @Test
    void add_waitsOrIsUnderWayAlready_isNotAddedASecondTime() {
        for (int i = 0; i < 101; i++) {
            repeats.add(i);
        }
        repeats.add(0); // under way
        repeats.add(100); // waiting
        while (!unanswered.isEmpty()) {
            unanswered.remove().run();
        }
        assertEquals(101, asked.size());
    }

    @Test
    void add_anotherServerAnswersNothing_isAskedAllTheSame() {
        for (int i = 0; i < 250; i++) {
            repeats.add(i);
        }
        server = 2;
        repeats.add(1_000);
        assertEquals(101, asked.size());
        assertEquals(1_000, asked.get(100));
    }

    @Test
    void add_waitsForItsTurnAtTheServerBefore_isAskedOnceAtTheNewOne() {
        for (int i = 0; i < 101; i++) {
            repeats.add(i);
        }
        server = 2;
        repeats.add(100);
        repeats.add(0); // still under way at the other
        assertEquals(101, asked.size());
        while (!unanswered.isEmpty()) {
            unanswered.remove().run();
        }
        assertEquals(101, asked.size());
    }

    @Test
    void add_afterItsAnswer_isAskedAgain() {
        repeats.add(1);
        unanswered.remove().run();
        repeats.add(1);
        assertEquals(List.of(1, 1), asked);
    }

    @Test
    void add_answersComeBeforeTheSendingReturns_goesOnWithoutDescending() {
        List<Integer> depths = new ArrayList<>();
        int[] depth = {0};
        List<RetryQueue<Integer>> own = new ArrayList<>();
        own.add(new RetryQueue<>(request -> 1, (request, over) -> {
            depths.add(++depth[0]);
            if (request < 5) {
                own.get(0).add(request + 1);
            }
            over.run();
            depth[0]--;
        }));
        own.get(0).add(0);
        assertEquals(List.of(1, 1, 1, 1, 1, 1), depths);
    }

    @Test
    void add_askingThrows_doesNotStopTheOthers() {
        RetryQueue<Integer> some = new RetryQueue<>(request -> 1, (request, over) -> {
            asked.add(request);
            if (request == 0) {
                throw new IllegalStateException("thrown on purpose");
            }
        });
        assertThrows(IllegalStateException.class, () -> some.add(0));
        some.add(1);
        assertEquals(List.of(0, 1), asked);
    }

    @Test
    void add_afterAnAnswer_isOpenToOtherThreads() throws Exception {
        repeats.add(1);
        unanswered.remove().run();
        CompletableFuture.runAsync(() -> repeats.add(2)).get(10, TimeUnit.SECONDS);
        assertEquals(List.of(1, 2), asked);
    }
}
