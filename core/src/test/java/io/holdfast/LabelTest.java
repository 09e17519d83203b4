package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import org.junit.jupiter.api.Test;

final class LabelTest {
    @Test
    void holder_ofOwnLabel_roundTripsEveryPart() {
        String application = "billing é/2 + 100 %";
        String label = Label.ofClient(application) + "/" + Label.ofThread(new Thread(() -> {}, "pool 1/thread\n2"));
        assertFalse(label.chars().anyMatch(Character::isWhitespace), label);
        Holder holder = Label.holder("c.0-1", 77, 1_700_000_000_123_456L, label);
        assertEquals(application, holder.application());
        assertEquals(Long.toString(ProcessHandle.current().pid()), holder.pid());
        assertEquals("pool 1/thread\n2", holder.thread());
        assertEquals(Instant.ofEpochSecond(1_700_000_000L, 123_456_000), holder.since());
        assertEquals(77, holder.token());
        assertFalse(holder.resting());
    }

    @Test
    void holder_foreignOrBrokenLabel_isShownAsItIs() {
        Holder holder = Label.holder("-", 1, 0, "100%");
        assertEquals("100%", holder.application());
        assertEquals("", holder.thread());
        assertTrue(holder.resting());
        assertEquals("", Label.holder("-", 1, 0, "").application());
    }

    @Test
    void waiter_ofOwnLabel_roundTrips() {
        Waiter waiter = Label.waiter("c.0-1", 5_000_000, "app/host/1/main");
        assertEquals(new Waiter("c.0-1", "app", "host", "1", "main", Instant.ofEpochSecond(5)), waiter);
    }

    @Test
    void ofThread_longOrEmptyName_isCutAndStaysOneWord() {
        assertEquals("x".repeat(60), Label.ofThread(new Thread(() -> {}, "x".repeat(200))));
        assertEquals("", Label.ofThread(new Thread(() -> {}, "")));
        String cutInAPair = Label.ofThread(new Thread(() -> {}, "x".repeat(59) + "😀"));
        assertTrue(cutInAPair.matches("[\\x21-\\x7e]+"), cutInAPair);
    }

    @Test
    void applicationName_ofThisJvm_isNotEmptyAndShort() {
        String name = Label.applicationName();
        assertFalse(name.isEmpty());
        assertTrue(name.length() <= 100);
    }
}
