package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.ClientLabel;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ContentionTest {
    private static final Holder HOLDER = ClientLabel.holder("c.0-1", 7, 1_000_000, "app/host/1/main");

    @Test
    void inWords_holderAndPlace_tellsBoth() {
        assertEquals(
                "held by app@host, pid 1, main since 1970-01-01T00:00:01Z, for another 1500 ms unless renewed;"
                        + " position 2 of 5",
                new Contention(Optional.of(HOLDER), Duration.ofMillis(1500), 2, 5).describe());
    }

    @Test
    void inWords_notQueued_tellsHowManyWait() {
        assertEquals("holder not known; 3 waiting", new Contention(Optional.empty(), Duration.ZERO, 0, 3).describe());
        assertEquals("holder not known", Contention.NOTHING_KNOWN.describe());
        assertEquals(
                "holder not known; position 1 of 1", new Contention(Optional.empty(), Duration.ZERO, 1, 1).describe());
    }

    @Test
    void describe_ofALockThatSeveralMayHold_namesTheMode() {
        assertTrue(of(LockMode.EXCLUSIVE, 1).startsWith("held for writing by "), of(LockMode.EXCLUSIVE, 1));
        assertTrue(of(LockMode.SHARED, 1).startsWith("held for reading by "), of(LockMode.SHARED, 1));
        assertTrue(
                of(LockMode.SHARED, 3).startsWith("held for reading by 3, for the longest time by "),
                of(LockMode.SHARED, 3));
    }

    private static String of(LockMode mode, int used) {
        Contention.Sharing sharing = new Contention.Sharing(mode, used, 1, 0);
        return new Contention(
                        Optional.of(HOLDER), Duration.ofMillis(1500), 0, 0, Optional.of(sharing), Optional.empty())
                .describe();
    }

    @Test
    void describe_plainHolderWithoutExpiry_isItsValue() {
        Holder plain = new Holder("their value", 0, "", "", "", "", Map.of(), Instant.EPOCH);
        assertEquals(
                "held by 'their value', without expiry",
                new Contention(Optional.of(plain), Duration.ofDays(365), 0, 0).describe());
    }

    @Test
    void inWords_heldByTheActorThatWaited_namesTheRemedy() {
        assertEquals(
                "holder not known; position 1 of 1; the actor that waited has itself been a holder since"
                        + " 1970-01-01T00:00:02Z: locks are not re-entrant unless LockOptions.withReentrancy makes"
                        + " them so",
                new Contention(
                                Optional.empty(),
                                Duration.ZERO,
                                1,
                                1,
                                Optional.empty(),
                                Optional.of(Instant.ofEpochSecond(2)))
                        .describe());
    }
}
