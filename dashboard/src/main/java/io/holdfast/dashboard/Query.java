package io.holdfast.dashboard;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What follows the question mark of an address, or is in a form. */
final class Query {
    private Query() {}

    /** Names and values; of a name that comes twice the last. */
    static Map<String, String> parse(@Nullable String query) {
        Map<String, String> found = new HashMap<>();
        if (query != null) {
            for (String part : query.split("&", -1)) {
                int sign = part.indexOf('=');
                if (sign > 0) {
                    found.put(decode(part.substring(0, sign)), decode(part.substring(sign + 1)));
                }
            }
        }
        return found;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8); // IllegalArgumentException for what is none
    }

    /** A number; 0 if there is none. */
    static long number(@Nullable String text) {
        try {
            return text == null ? 0 : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number", e);
        }
    }
}
