package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LockNameTest {
    @Test
    void of_typeAndId_isReadable() {
        assertEquals("LockNameTest:42", LockName.of(LockNameTest.class, 42));
        assertEquals("order:2026:11", LockName.of("order", 2026, 11));
    }

    @Test
    void of_partsThatLookAlike_doNotCollide() {
        assertNotEquals(LockName.of("a:b", "c"), LockName.of("a", "b:c"));
        assertNotEquals(LockName.of("a b", "c"), LockName.of("a", "b c"));
        assertNotEquals(LockName.of("a%3Ab", "c"), LockName.of("a:b", "c"));
        assertNotEquals(LockName.of("A", "b"), LockName.of("a", "b"));
    }

    @Test
    void of_randomParts_neverCollide() {
        Random random = new Random(7);
        Map<String, List<String>> made = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            List<String> parts = List.of(part(random), part(random), part(random));
            String name = LockName.of(parts.toArray());
            List<String> before = made.put(name, parts);
            assertTrue(before == null || before.equals(parts), () -> name + " from " + before + " and " + parts);
        }
    }

    private static String part(Random random) {
        StringBuilder part = new StringBuilder();
        for (int length = random.nextInt(4); length > 0; length--) {
            part.append(":%3A25 a".charAt(random.nextInt(8)));
        }
        return part.toString();
    }
}
