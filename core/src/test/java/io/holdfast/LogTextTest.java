package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.lease.Events;
import io.holdfast.internal.wire.LogText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LogTextTest {
    private static final String FORGED = "a\n2026-01-01 ERROR \u001b[31mall is lost";

    @Test
    void lock_ordinaryName_isShownAsItIs() {
        assertEquals("lock 'orders:4711/größe \\ \uD83D\uDD12'", LogText.lock("orders:4711/größe \\ \uD83D\uDD12"));
    }

    @Test
    void lock_nameWithControlCharacters_staysOnOneLine() {
        assertEquals("lock 'a\\u000ab\\u000d\\u0085\\u2028\\u202e'", LogText.lock("a\nb\r\u0085\u2028\u202e"));
    }

    @Test
    void name_longerThanAnybodyReads_isCutBetweenCharacters() {
        assertEquals("n".repeat(200), LogText.name("n".repeat(200)));
        assertEquals("n".repeat(200) + "… (201 characters)", LogText.name("n".repeat(201)));
        assertEquals(
                "n".repeat(199) + "… (1000 characters)",
                LogText.name("n".repeat(199) + "\uD83D\uDD12" + "n".repeat(799)));
    }

    @Test
    void quoted_quotationMarks_doNotEndTheValue() {
        assertEquals("\"a\\\" owner=x \\\\\"", LogText.quoted("a\" owner=x \\"));
    }

    @Test
    void messages_nameOrHolderWithControlCharacters_areOneLine() {
        Holder holder = new Holder("c.1", 7, FORGED, "host", "1", FORGED, Map.of(), Instant.EPOCH);
        Contention contention = new Contention(Optional.of(holder), Duration.ZERO, 0, 0);
        Holder plain = new Holder(FORGED, 0, "", "", "", "", Map.of(), Instant.EPOCH);
        Contention byPlain = new Contention(Optional.of(plain), Duration.ofDays(365), 0, 0);
        LockEvent.Subject subject = new LockEvent.Subject(FORGED, "key", "c.1", FORGED, FORGED, Instant.EPOCH, FORGED);
        for (String message : new String[] {
            message(Attempt.Reason.TAKEN, contention),
            message(Attempt.Reason.TIMED_OUT, byPlain),
            message(Attempt.Reason.TRIES_EXHAUSTED, Contention.NOTHING_KNOWN),
            message(Attempt.Reason.QUEUE_FULL, contention),
            new LeaseLostException(FORGED, 7, LossReason.NOT_ON_SERVER, false, null).getMessage(),
            Events.line(new LockEvent.Asked(subject, 1)),
            Events.line(new LockEvent.Noted(subject, 7, FORGED)),
        }) {
            assertTrue(message.chars().noneMatch(Character::isISOControl), message);
            assertTrue(message.contains("a\\u000a2026"), message);
        }
    }

    private static String message(Attempt.Reason reason, Contention contention) {
        return String.valueOf(LockNotObtainedException.of(new Attempt.NotObtained<>(FORGED, reason, contention))
                .getMessage());
    }
}
