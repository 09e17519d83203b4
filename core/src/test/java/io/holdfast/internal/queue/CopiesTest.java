package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.LockScripts.AcquireReply;
import io.holdfast.internal.wire.LockScripts.AcquireWord;
import io.holdfast.spi.DriverException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A copy that may still be under way costs a tombstone. Without one, a late copy may be granted the lock, and no request waits for that
 * grant.
 */
final class CopiesTest {
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

    private void answered(AcquireWord word) {
        copies.heard(new AcquireReply(word, 1, null, false, 1, 1, null), null);
    }
}
