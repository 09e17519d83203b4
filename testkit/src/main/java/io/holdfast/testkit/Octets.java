package io.holdfast.testkit;

import java.nio.charset.StandardCharsets;

/**
 * Bytes as {@link MemoryServer} keeps them: strings of which each character is one byte, so that they compare as Redis
 * compares them, may be keys of maps, and keep what is no UTF-8.
 */
final class Octets {
    private Octets() {}

    static String ofText(String text) {
        return isAscii(text) ? text : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    static String toText(String octets) {
        return isAscii(octets)
                ? octets
                : new String(octets.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
