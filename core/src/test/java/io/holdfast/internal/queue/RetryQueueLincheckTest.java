package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Interleavings;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is to be asked again is, by one copy at a time, whatever answers come while others are sent. */
@Tag("long")
@Param(name = "request", gen = IntGen.class, conf = "0:1")
public final class RetryQueueLincheckTest {
    private static final class Asked {
        final AtomicInteger added = new AtomicInteger();
        final AtomicInteger copies = new AtomicInteger();
        final AtomicInteger underWay = new AtomicInteger();
        final AtomicInteger mostUnderWay = new AtomicInteger();
    }

    private final Asked[] requests = {new Asked(), new Asked()};
    private final Queue<Runnable> unanswered = new ConcurrentLinkedQueue<>();
    private final RetryQueue<Asked> repeats = new RetryQueue<>(request -> this, (request, over) -> {
        request.copies.incrementAndGet();
        request.mostUnderWay.accumulateAndGet(request.underWay.incrementAndGet(), Math::max);
        unanswered.add(() -> {
            request.underWay.decrementAndGet();
            over.run();
        });
    });

    @Operation
    public void add(@Param(name = "request") int request) {
        requests[request].added.incrementAndGet();
        repeats.add(requests[request]);
    }

    /** The server answers the oldest. */
    @Operation
    public void answer() {
        Runnable over = unanswered.poll();
        if (over != null) {
            over.run();
        }
    }

    @Validate
    public void everyRequestWasAskedAndCanBeAskedAgain() {
        for (Asked request : requests) {
            assertTrue(request.added.get() == 0 || request.copies.get() > 0, "it was not asked");
            assertTrue(request.copies.get() <= request.added.get(), "it was asked too often");
            assertTrue(request.mostUnderWay.get() <= 1, "two copies were under way");
        }
        while (!unanswered.isEmpty()) {
            answer();
        }
        for (Asked request : requests) {
            repeats.add(request);
            assertEquals(1, request.underWay.get(), "its turn never comes again");
        }
    }

    @Test
    void interleavings_loseNoTurn() {
        Interleavings.of(RetryQueueLincheckTest.class, 3, 50, RetryQueue.class)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("add", 0)), List.of(act("add", 0)), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("add", 0)), List.of(act("answer")), List.of(act("add", 1)), List.of()))
                .check(RetryQueueLincheckTest.class);
    }

    private static Actor act(String operation, Object... arguments) {
        return Interleavings.act(RetryQueueLincheckTest.class, operation, arguments);
    }
}
