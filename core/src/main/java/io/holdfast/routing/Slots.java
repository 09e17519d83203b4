package io.holdfast.routing;

import java.nio.charset.StandardCharsets;

/**
 * The calculation of a key's slot in a cluster: CRC-16 (XMODEM: polynomial 0x1021, initial value 0) of its hash tag, or of the
 * whole key if it has none, modulo 16,384. See the cluster specification, "Key distribution model".
 */
public final class Slots {
    /** The number of slots. */
    static final int COUNT = 16_384;

    private static final int[] TABLE = table();

    private Slots() {}

    /** Returns the slot of a key, from 0 to 16,383. */
    public static int of(String key) {
        int open = key.indexOf('{');
        if (open >= 0) {
            int close = key.indexOf('}', open + 1);
            if (close > open + 1) {
                return crc(key.substring(open + 1, close)) % COUNT;
            }
        }
        return crc(key) % COUNT;
    }

    private static int crc(String text) {
        int crc = 0;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            crc = ((crc << 8) & 0xffff) ^ TABLE[(crc >>> 8) ^ (b & 0xff)];
        }
        return crc;
    }

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
            }
            table[i] = crc & 0xffff;
        }
        return table;
    }
}
