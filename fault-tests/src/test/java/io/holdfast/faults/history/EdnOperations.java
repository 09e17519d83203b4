package io.holdfast.faults.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a history in EDN: as much of EDN as histories have, and nothing else. */
public final class EdnOperations {
    private final String text;
    private int at;

    private EdnOperations(String text) {
        this.text = text;
    }

    /** All operations of a file, with keywords as their keys; each is well-formed, and the whole is a history. */
    public static List<Map<String, Object>> read(Path file) throws IOException {
        EdnOperations reader = new EdnOperations(Files.readString(file));
        List<Map<String, Object>> operations = new ArrayList<>();
        while (reader.skip()) {
            Map<String, Object> operation = new LinkedHashMap<>();
            reader.map().forEach((key, value) -> operation.put((String) key, value));
            operations.add(operation);
        }
        assertHistory(operations);
        return operations;
    }

    /** Begun once and completed at most once by the same process, in order, with times that do not fall. */
    private static void assertHistory(List<Map<String, Object>> operations) {
        Map<Object, Map<String, Object>> open = new HashMap<>();
        Set<Object> gone = new HashSet<>();
        long time = 0;
        for (int index = 0; index < operations.size(); index++) {
            Map<String, Object> each = operations.get(index);
            assertEquals((long) index, each.get(":index"));
            long at = (long) Objects.requireNonNull(each.get(":time"));
            assertTrue(at >= time, () -> each + " is before the one before it");
            time = at;
            Object process = each.get(":process");
            assertTrue(!gone.contains(process), () -> each + " is of a process of which nothing is known any more");
            if (":invoke".equals(each.get(":type"))) {
                assertNull(open.put(process, each), () -> each + " begins while another is under way");
            } else {
                Map<String, Object> begun = open.remove(process);
                assertNotNull(begun, () -> each + " was never begun");
                assertEquals(begun.get(":f"), each.get(":f"));
                if (":info".equals(each.get(":type"))) {
                    gone.add(process);
                }
            }
        }
        assertEquals(Map.of(), open, "each has an end, if only an unknown one");
    }

    /** To the next value; false at the end. */
    private boolean skip() {
        while (at < text.length()) {
            char next = text.charAt(at);
            if (next == ';') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (Character.isWhitespace(next) || next == ',') {
                at++;
            } else {
                return true;
            }
        }
        return false;
    }

    private Map<Object, Object> map() {
        List<Object> items = items('{', '}');
        assertEquals(0, items.size() % 2, "a map has values for its keys");
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < items.size(); i += 2) {
            assertNull(map.put(items.get(i), items.get(i + 1)), "a key comes once");
        }
        return map;
    }

    private List<Object> items(char open, char close) {
        assertEquals(open, text.charAt(at), () -> "at " + at);
        at++;
        List<Object> items = new ArrayList<>();
        while (skip() && text.charAt(at) != close) {
            items.add(value());
        }
        assertTrue(at < text.length(), "the text ends within a value");
        at++;
        return items;
    }

    private @Nullable Object value() {
        char first = text.charAt(at);
        if (first == '[') {
            return items('[', ']');
        }
        int end = at;
        while (end < text.length() && " ,]}\n".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        String word = text.substring(at, end);
        at = end;
        if (word.equals("nil")) {
            return null;
        }
        if (first == ':') {
            assertTrue(word.matches(":[a-z]+"), word);
            return word;
        }
        return Long.parseLong(word);
    }
}
