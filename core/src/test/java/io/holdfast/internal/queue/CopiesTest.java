package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.LockScripts.AcquireReply;
import io.holdfast.internal.wire.LockScripts.AcquireWord;
import io.holdfast.spi.DriverException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A copy that may still be under way costs a tombstone. Without one, a late copy may be granted the lock, and no request waits for that
 * grant.
 */
final class CopiesTest {
    private static final int ROUNDS = 100_000;

    private final AtomicInteger sent = new AtomicInteger();
    private final Copies copies = new Copies(sent, null);

    @Test
    void handoff_beforeTheAnswerOfTheOnlyCopy_provesIt() {
        sent.set(1);
        assertTrue(copies.unanswered());
        copies.handedOff();
        assertFalse(copies.unanswered());
        answered(AcquireWord.QUEUED);
        assertFalse(copies.unanswered());
    }

    @Test
    void handoff_afterACopyThatWasNotQueued_provesAnother() {
        sent.set(2);
        answered(AcquireWord.TAKEN);
        copies.handedOff();
        assertFalse(copies.unanswered());
        sent.set(3);
        assertTrue(copies.unanswered());
    }

    @Test
    void handoff_afterACopyThatWasQueued_provesNoOther() {
        sent.set(2);
        answered(AcquireWord.QUEUED);
        copies.handedOff();
        assertTrue(copies.unanswered());
    }

    @Test
    void handoff_afterABrokenConnection_provesNothing() {
        sent.set(1);
        copies.heard(null, DriverException.unknown("the connection broke", null));
        copies.handedOff();
        assertTrue(copies.unanswered());
        sent.set(2);
        answered(AcquireWord.TAKEN);
        assertTrue(copies.unanswered());
    }

    @Test
    void answer_whileTheLeaseEnds_isHeardWholeOrNotAtAll() throws Exception {
        List<Copies> those = Stream.generate(() -> new Copies(new AtomicInteger(1), null))
                .limit(ROUNDS)
                .toList();
        those.forEach(Copies::handedOff);
        AtomicInteger heard = new AtomicInteger();
        beside(
                () -> those.forEach(one -> {
                    one.heard(reply(AcquireWord.QUEUED), null);
                    heard.incrementAndGet();
                }),
                () -> {
                    for (int at = 0; at < ROUNDS; at = heard.get()) {
                        assertFalse(those.get(at).unanswered());
                    }
                });
    }

    @Test
    void copyThatDoesNotLeave_isNeverCounted() throws Exception {
        beside(
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        assertFalse(copies.leaves(() -> false));
                    }
                },
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        assertFalse(copies.unanswered());
                    }
                });
    }

    @Test
    void copyThatLeaves_isCounted() {
        assertTrue(copies.leaves(() -> true));
        assertTrue(copies.unanswered());
    }

    /** Runs both at the same time, and fails with what the second has found. */
    private static void beside(Runnable one, Runnable other) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        CompletableFuture<Void> looked = new CompletableFuture<>();
        Thread looking = new Thread(() -> {
            try {
                start.await();
                other.run();
                looked.complete(null);
            } catch (Throwable e) {
                looked.completeExceptionally(e);
            }
        });
        looking.start();
        start.await();
        one.run();
        looked.get(30, TimeUnit.SECONDS);
    }

    private void answered(AcquireWord word) {
        copies.heard(reply(word), null);
    }

    private static AcquireReply reply(AcquireWord word) {
        return new AcquireReply(word, 1, null, false, 1, 1, null);
    }
}
