package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.DriverException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a server that refuses. */
final class RefusalsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ERR unknown command 'SENTINEL', with args beginning with: 'MASTER' 'm'|it is no Sentinel",
                "ERR unknown command 'EVALSHA'|it is too old, or no Redis",
                "READONLY You can't write against a read only replica.|give the address of the master",
                "NOPERM this user has no permissions|the user lacks a permission"
            })
    void explain_refusal_hasAHintThatFits(String text, String hint) {
        String message = Refusals.explain("h:1", DriverException.rejected(text)).getMessage();
        assertTrue(String.valueOf(message).contains(hint), message);
    }
}
