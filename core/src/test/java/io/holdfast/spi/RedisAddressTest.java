package io.holdfast.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RedisAddressTest {
    @Test
    void parse_hostOnly_hasTheDefaults() {
        assertEquals(
                new RedisAddress("localhost", 6379, false, null, null, 0), RedisAddress.parse("redis://localhost"));
        assertEquals(
                new RedisAddress("localhost", 6379, false, null, null, 0), RedisAddress.parse("redis://localhost/"));
    }

    @Test
    void parse_everyPart_isRead() {
        assertEquals(
                new RedisAddress("db.example", 7000, true, "me", "p@ss/w:rd+%", 3),
                RedisAddress.parse("rediss://me:p%40ss%2Fw:rd+%25@db.example:7000/3"));
        assertEquals(
                new RedisAddress("::1", 6379, false, null, "secret", 0), RedisAddress.parse("redis://:secret@[::1]"));
    }

    @Test
    void toString_withPassword_showsNeitherUserNorPassword() {
        RedisAddress address = RedisAddress.parse("rediss://somebody:hushhush@[::1]:7000/2");
        assertEquals("rediss://[::1]:7000/2", address.toString());
        assertEquals("redis://h:6379", RedisAddress.parse("redis://a:b@h").toString());
    }

    @Test
    void parse_badAddress_isRefusedWithoutRepeatingThePassword() {
        for (String bad : List.of(
                "redis://u:hushhush@",
                "redis://:hushhush@:6379",
                "redis://u:hush hush@host",
                "redis://u:hushhush%zz@host",
                "redis://u:hushhush@host:99999",
                "redis://u:hushhush@host:0",
                "redis://u:hushhush@host:x",
                "redis://u:hushhush@host/x",
                "redis://u:hushhush@host/-1",
                "redis://u:hushhush@host/1/2",
                "redis://u:hushhush@host?db=1",
                "redis://u:hushhush@host#1",
                "http://u:hushhush@host",
                "u:hushhush@host:6379",
                ":hushhush@host",
                "redis:u:hushhush@host",
                "redis//u:hushhush@host",
                "redis:///u:hushhush@host",
                // Characters of a password that were not percent-encoded:
                "redis://u:hush/hush@host",
                "redis://u:12/hushhush@host",
                "redis://u:4711471/hushhush@host:6379/0",
                "redis://u:12?hushhush@host",
                "redis://u:12#hushhush@host",
                "redis://u:hush[hush@host",
                "redis://u:hush\\hush@host")) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> RedisAddress.parse(bad), bad);
            StringWriter everything = new StringWriter();
            refused.printStackTrace(new PrintWriter(everything)); // messages of causes included
            assertFalse(everything.toString().contains("hush"), bad + ": " + everything);
            assertFalse(everything.toString().contains("4711471"), bad + ": " + everything);
        }
    }

    @Test
    void parse_specialCharacterNotEncoded_saysThatItHasToBe() {
        for (String character : List.of("%", "/", "@", "?", "#", " ", "[", "]", "^", "\\", "\"", "<", "{", "|", "`")) {
            String text = "redis://u:hush" + character + "hush@host:6379/1";
            if (character.equals("@") || character.equals("%")) {
                text = "redis://u:hush" + character + "zz/x%" + character + "hush@host:6379/1";
            }
            String bad = text;
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> RedisAddress.parse(bad), bad);
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("percent-encode the password"), bad + ": " + message);
            assertFalse(message.contains("hush"), message);
        }
    }

    @Test
    void parse_noHostAfterThePassword_saysThatThereIsNone() {
        String message = String.valueOf(
                assertThrows(IllegalArgumentException.class, () -> RedisAddress.parse("redis://u:hushhush@"))
                        .getMessage());
        assertTrue(message.contains("no host"), message);
    }

    @Test
    void parse_userWithoutPassword_isReadSinceASupplierMayHaveIt() {
        assertEquals(new RedisAddress("host", 6379, false, "user", null, 0), RedisAddress.parse("redis://user@host"));
    }

    @Test
    void hostAndPort_ofAnAddressOfTheSixthVersion_hasBrackets() {
        assertEquals("[::1]:6379", RedisAddress.parse("redis://a:b@[::1]").hostAndPort());
        assertEquals("h:1", RedisAddress.parse("redis://h:1").hostAndPort());
    }

    @Test
    void constructor_badParts_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> new RedisAddress("", 6379, false, null, null, 0));
        assertThrows(IllegalArgumentException.class, () -> new RedisAddress("h", 0, false, null, null, 0));
        assertThrows(IllegalArgumentException.class, () -> new RedisAddress("h", 65536, false, null, null, 0));
        assertThrows(IllegalArgumentException.class, () -> new RedisAddress("h", 1, false, null, null, -1));
    }

    @Test
    void constructor_portsAtTheBounds_areTaken() {
        assertEquals(1, new RedisAddress("h", 1, false, null, null, 0).port());
        assertEquals(65_535, new RedisAddress("h", 65_535, false, null, null, 0).port());
    }
}
