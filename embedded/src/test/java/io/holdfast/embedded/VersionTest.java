package io.holdfast.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VersionTest {
    @Test
    void find_whatServersPrint_version() {
        assertEquals(
                new Version(7, 0, 15),
                Version.find("Redis server v=7.0.15 sha=00000000:0 malloc=libc bits=64 build=e218535194f921a7"));
        assertEquals(
                new Version(8, 1, 3),
                Version.find("Valkey server v=8.1.3 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1"));
        assertEquals(new Version(255, 255, 255), Version.find("Redis server v=255.255.255 sha=x"));
        assertEquals(new Version(9, 0, 0), Version.find("v=9.0.0-rc1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "v=", "none", "Redis server 7.0.15", "server v=7", "server v=7.x.1", "server v=7.1.", "v"})
    void find_anythingElse_null(String output) {
        assertNull(Version.find(output));
    }

    @Test
    void compareTo_eachPart_numbersNotTexts() {
        assertTrue(new Version(10, 0, 0).compareTo(new Version(9, 9, 9)) > 0);
        assertTrue(new Version(7, 10, 0).compareTo(new Version(7, 9, 9)) > 0);
        assertTrue(new Version(7, 0, 15).compareTo(new Version(7, 0, 9)) > 0);
        assertEquals(0, new Version(7, 0, 15).compareTo(new Version(7, 0, 15)));
    }
}
