package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holder;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ClientLabelTest {
    @Test
    void holder_ofOwnLabel_roundTripsEveryPart() {
        String application = "billing é/2 + 100 %";
        String label = ClientLabel.ofClient(application) + "/"
                + ClientLabel.ofActor("pool 1/thread\n2?", Map.of("ticket ?/&=", "42 %&=?/"));
        assertFalse(label.chars().anyMatch(Character::isWhitespace), label);
        Holder holder = ClientLabel.holder("c.0-1", 77, 1_700_000_000_123_456L, label);
        assertEquals(application, holder.application());
        assertEquals(Long.toString(ProcessHandle.current().pid()), holder.pid());
        assertEquals("pool 1/thread\n2?", holder.actor());
        assertEquals(Map.of("ticket ?/&=", "42 %&=?/"), holder.metadata());
        assertEquals(Instant.ofEpochSecond(1_700_000_000L, 123_456_000), holder.since());
        assertEquals(77, holder.token());
        assertFalse(holder.resting());
    }

    @Test
    void holder_foreignOrBrokenLabel_isShownAsItIs() {
        Holder holder = ClientLabel.holder("-", 1, 0, "100%");
        assertEquals("100%", holder.application());
        assertEquals("", holder.actor());
        assertTrue(holder.resting());
        assertEquals("", ClientLabel.holder("-", 1, 0, "").application());
    }

    @Test
    void ofActor_longOrEmptyName_isCutAndStaysOneWord() {
        assertEquals("x".repeat(100), ClientLabel.ofActor("x".repeat(200), Map.of()));
        assertEquals("", ClientLabel.ofActor("", Map.of()));
        String cutInAPair = ClientLabel.ofActor("x".repeat(99) + "😀", Map.of());
        assertTrue(cutInAPair.matches("[\\x21-\\x7e]+"), cutInAPair);
    }

    @Test
    void metadata_thatLooksLikeTheLibrarysOwnFields_touchesNone() {
        Map<String, String> hostile = Map.of("owner", "me", "token", "1", "@claim", "x", "", "", "a/b", "?");
        String label = "app/host/1/" + ClientLabel.ofActor("main", hostile);
        Holder holder = ClientLabel.holder("c.0-1", 77, 0, label);
        assertEquals("c.0-1", holder.owner());
        assertEquals(77, holder.token());
        assertEquals("app", holder.application());
        assertEquals("main", holder.actor());
        assertEquals(hostile, holder.metadata());
    }

    @Test
    void applicationName_ofThisJvm_isNotEmptyAndShort() {
        String name = ClientLabel.applicationName();
        assertFalse(name.isEmpty());
        assertTrue(name.length() <= 100);
    }

    @Test
    void holder_metadataWithoutWhoOrKey_isRead() {
        Holder holder = ClientLabel.holder("-", 1, 0, "?k=v");
        assertEquals("", holder.application());
        assertEquals(Map.of("k", "v"), holder.metadata());
        assertEquals(Map.of("", "v"), ClientLabel.holder("-", 1, 0, "a?=v").metadata());
        assertEquals(Map.of("k", "v"), ClientLabel.holder("-", 1, 0, "a?&k=v&x").metadata());
    }

    @Test
    void ofClient_thisHost_isNamed() {
        assertFalse(ClientLabel.holder("-", 1, 0, ClientLabel.ofClient("app"))
                .host()
                .isEmpty());
    }

    @Test
    void nameIn_anyCommand_isTheMainClassOrJarAlone() {
        assertEquals("Billing", ClientLabel.nameIn("com.example.Billing --port 80"));
        assertEquals("Billing", ClientLabel.nameIn("Billing"));
        assertEquals("Billing", ClientLabel.nameIn("billing.module/com.example.Billing"));
        assertEquals("billing-1.2", ClientLabel.nameIn("/opt/apps/billing-1.2.jar a.b"));
        assertEquals("Billing", ClientLabel.nameIn("C:\\apps\\Billing.JAR"));
        assertEquals("java", ClientLabel.nameIn(""));
        assertEquals("java", ClientLabel.nameIn(" com.example.Billing"));
        assertEquals("x".repeat(100), ClientLabel.nameIn("a." + "x".repeat(100)));
        assertEquals("x".repeat(99) + "y", ClientLabel.nameIn("a." + "x".repeat(99) + "yz"));
    }
}
