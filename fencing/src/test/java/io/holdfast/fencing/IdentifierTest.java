package io.holdfast.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of tables and columns stand in the statements as they are: nothing gets there that is more than a name. */
class IdentifierTest {
    private static final JdbcFence FENCE = JdbcFence.defaults();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "a;",
                "a--",
                "a/**/",
                "a'",
                "a\"b",
                "`a`",
                "[a]",
                "1a",
                "a\n",
                "a\0",
                "ä",
                "ａ",
                "a)",
                "a(name)",
                ".a",
                "a.",
                "a..b",
                "a.b.c.d",
                "a.1b",
                "x WHERE 1=1; DROP TABLE account; --",
                "a123456789012345678901234567890123456789012345678901234567890123"
            })
    void withTable_whatIsNoName_isRefusedInWords(String none) {
        String message = String.valueOf(assertThrows(IllegalArgumentException.class, () -> FENCE.withTable(none))
                .getMessage());
        assertTrue(message.startsWith("table is '" + none + "', must be of 1 to 63 letters"), message);
        assertThrows(IllegalArgumentException.class, () -> FENCE.withColumns(none, "token"));
        assertThrows(IllegalArgumentException.class, () -> FENCE.withColumns("name", none));
    }

    @Test
    void withTable_schemaAndCatalogue_isAccepted() {
        assertEquals("JdbcFence[app.fence]", FENCE.withTable("app.fence").toString());
        assertEquals(
                "JdbcFence[db.app.fence_2]", FENCE.withTable("db.app.fence_2").toString());
        assertEquals(
                "JdbcFence[_x]", FENCE.withTable("_x").withColumns("N", "T1").toString());
    }

    @Test
    void withColumns_schema_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> FENCE.withColumns("a.name", "token"));
    }
}
