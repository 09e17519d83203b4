package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class KeysTest {
    private static final int NAMES = 20_000;

    @Test
    void of_plainName_isReadable() {
        Keys keys = Keys.of("hf", "invoice/42");
        assertEquals("hf:{invoice/42}", keys.hold());
        assertEquals(
                List.of(
                        "hf:{invoice/42}",
                        "hf:{invoice/42}:q",
                        "hf:{invoice/42}:p",
                        "hf:{invoice/42}:d",
                        "hf:{invoice/42}:t"),
                keys.all());
        assertEquals("hf:{invoice/42}:x:c.0-1", keys.tombstone("c.0-1~secret"), "the secret stands in no key");
    }

    @Test
    void of_sameNameOfOtherKinds_hasKeysOfItsOwnThatTellTheKind() {
        Keys lines = Keys.of("hf", Keys.Kind.READ_WRITE, "a");
        Keys permits = Keys.of("hf", Keys.Kind.SEMAPHORE, "a");
        assertEquals("hf:{%rw:a}", lines.hold());
        assertEquals("hf:{%sem:a}", permits.hold());
        assertEquals(lines, Keys.ofHold("hf", lines.hold()));
        assertEquals(permits, Keys.ofHold("hf", permits.hold()));
        assertEquals("hf:{%25rw:a}", Keys.of("hf", "%rw:a").hold(), "no name looks like another kind");
    }

    @Test
    void of_bracesPercentsAndControls_areEscaped() {
        assertEquals(
                "hf:{a%7Bb%7D%25c%0A%7F%00é€😀 d}",
                Keys.of("hf", "a{b}%c\n\u007f\0é€😀 d").hold());
        assertEquals("hf:{%257B}", Keys.of("hf", "%7B").hold());
    }

    @Test
    void of_kinds_areTheirOwnAndReadBack() {
        Keys election = Keys.of("hf", Keys.Kind.ELECTION, "a");
        assertEquals("hf:{%lead:a}", election.hold());
        assertEquals("hf:led:{%lead:a}", election.electedChannel());
        assertEquals("hf:free:{%lead:a}", election.freedChannel());
        for (String name : List.of("a", "%lead:a", "lead:a", "%25lead:a", "%")) {
            for (Keys.Kind kind : Keys.Kind.values()) {
                Keys keys = Keys.of("hf", kind, name);
                assertEquals(kind, keys.kind());
                assertEquals(keys, Keys.ofHold("hf", keys.hold()));
            }
        }
        assertEquals("hf:{%25lead:a}", Keys.of("hf", "%lead:a").hold(), "no lock has the stem of an election");
        assertEquals(Keys.Kind.LOCK, Keys.plain("%lead:a").kind());
    }

    @Test
    void of_nameOfAnyUnicode_roundTripsThroughTheKey() {
        Random random = new Random(42);
        for (int i = 0; i < NAMES; i++) {
            String name = anyName(random);
            Keys keys = Keys.of("p", name);
            Keys read = Objects.requireNonNull(Keys.ofHold("p", keys.hold()), name);
            assertEquals(name, read.name());
            assertEquals(keys, read);
        }
    }

    @Test
    void of_nameOfAnyUnicode_hasOneTagInWhichAllKeysAgree() {
        Random random = new Random(43);
        for (int i = 0; i < NAMES; i++) {
            String name = anyName(random);
            Keys keys = Keys.of("p", name);
            String tag = tag(keys.hold());
            assertTrue(!tag.isEmpty(), name);
            for (String key : keys.allWithTombstone("client.1-2~secret")) {
                assertEquals(tag, tag(key), key);
                assertEquals(1, key.chars().filter(c -> c == '{').count(), key);
                assertEquals(1, key.chars().filter(c -> c == '}').count(), key);
                assertTrue(key.chars().noneMatch(c -> c < ' ' || c == 127), key);
            }
        }
    }

    @Test
    void of_distinctNames_haveDistinctKeys() {
        Random random = new Random(44);
        Map<String, String> names = new HashMap<>(); // key -> name
        for (int i = 0; i < NAMES; i++) {
            String name = anyName(random);
            Keys keys = Keys.of("p", name);
            for (String key : keys.allWithTombstone("c.0-1~s")) {
                String other = names.put(key, name);
                assertTrue(other == null || other.equals(name), () -> key + " of '" + name + "' and '" + other + "'");
            }
        }
    }

    @Test
    void of_namesThatLookLikeOtherKeys_areDistinct() {
        HashSet<String> keys = new HashSet<>();
        List<String> names = List.of("a", "a}:q", "a:q", "a}", "{a}", "%7Da", "a%7D:q", "}", "{", "%", "%25");
        names.forEach(name -> keys.addAll(Keys.of("p", name).all()));
        assertEquals(names.size() * 5, keys.size());
    }

    @Test
    void of_halfASurrogatePair_isRefusedAsItCannotBeSent() {
        assertThrows(IllegalArgumentException.class, () -> Keys.of("p", "a\ud800"));
        assertThrows(IllegalArgumentException.class, () -> Keys.of("p", "\udc00b"));
        assertThrows(IllegalArgumentException.class, () -> Keys.of("p", "\udc00\ud800"));
    }

    @Test
    void of_lengthsAtTheBounds_areTakenAndRefused() {
        assertThrows(IllegalArgumentException.class, () -> Keys.of("p", ""));
        assertEquals("x".repeat(1_000), Keys.of("p", "x".repeat(1_000)).name());
        assertThrows(IllegalArgumentException.class, () -> Keys.of("p", "x".repeat(1_001)));
    }

    @Test
    void ofHold_foreignKeys_isNull() {
        assertNull(Keys.ofHold("hf", "other:{a}"));
        assertNull(Keys.ofHold("hf", "hf:{a}:q"));
        assertNull(Keys.ofHold("hf", "hf:{}"));
        assertNull(Keys.ofHold("hf", "hf:{"));
        assertNull(Keys.ofHold("hf", ""));
    }

    @Test
    void holdPattern_prefixWithGlobCharacters_isTakenLiterally() {
        assertEquals("hf:{*}", Keys.holdPattern("hf"));
        assertEquals("a\\*b\\?\\[c\\]\\^\\\\\\-:{*}", Keys.holdPattern("a*b?[c]^\\-"));
    }

    /** What Redis Cluster hashes: between the first opening brace and the next closing one. */
    private static String tag(String key) {
        int open = key.indexOf('{');
        return key.substring(open + 1, key.indexOf('}', open));
    }

    private static String anyName(Random random) {
        String special = "{}%:~ \n\t\0\u007f7BD25xqpdt";
        int length = 1 + random.nextInt(random.nextInt(20) == 0 ? 400 : 8);
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < length; i++) {
            if (random.nextBoolean()) {
                name.append(special.charAt(random.nextInt(special.length())));
                continue;
            }
            int point = random.nextInt(random.nextBoolean() ? 0x250 : 0x110000);
            name.appendCodePoint(point >= 0xD800 && point < 0xE000 ? 'x' : point);
        }
        return name.toString();
    }

    @Test
    void names_besideTheFirstFive_areThoseOfTheProtocol() {
        Keys keys = Keys.of("hf", "a");
        assertEquals("hf:{a}:e", keys.evicted());
        assertEquals("hf:{a}:w", keys.replicated());
        assertEquals("hf:{a}:v", keys.value());
        assertEquals("hf:free:{a}", keys.freedChannel());
        assertEquals("hf:{a}:to:client", keys.channelOf("client"));
        assertEquals("hf:to:", Keys.channelPrefix("hf"));
        assertEquals("hf:node", Keys.nodeMarker("hf"));
        List<String> five = List.of("hf:{a}", "hf:{a}:q", "hf:{a}:p", "hf:{a}:d", "hf:{a}:t");
        assertEquals(five, keys.all());
        assertEquals(and(five, "hf:{a}:x:c.0-1", "hf:{a}:e"), keys.allToAcquire("c.0-1~secret"));
        assertEquals(and(five, "hf:{a}:x:c.0-1"), keys.allWithTombstone("c.0-1~secret"));
        assertEquals(and(five, "hf:{a}:e"), keys.allToRevoke());
    }

    private static List<String> and(List<String> first, String... others) {
        return Stream.concat(first.stream(), Stream.of(others)).toList();
    }

    @Test
    void ofHold_percentNearTheEnd_isTakenAsItIsUnlessTwoDigitsFollow() {
        assertEquals("x{", nameOf("hf:{x%7B}"));
        assertEquals("x%7", nameOf("hf:{x%7}"));
        assertEquals("x%", nameOf("hf:{x%}"));
        assertEquals("x%G0", nameOf("hf:{x%G0}"));
        assertEquals("x%0G", nameOf("hf:{x%0G}"));
        assertEquals("\0{", nameOf("hf:{%00%7B}"));
    }

    private static String nameOf(String hold) {
        return Objects.requireNonNull(Keys.ofHold("hf", hold)).name();
    }

    @Test
    void of_controlCharactersUpToTheLastOne_areEncoded() {
        assertEquals("hf:{%1F %7F~}", Keys.of("hf", "\u001f \u007f~").hold());
    }
}
