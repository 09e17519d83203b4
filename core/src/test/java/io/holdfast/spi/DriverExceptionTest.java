package io.holdfast.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverExceptionTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NOSCRIPT No matching script|NOSCRIPT",
                "ERR|ERR",
                "ERR Error running script (call to f_1): @user_script:19: WRONGTYPE Operation against a key|WRONGTYPE",
                "ERR Error running script (call to f_1): @user_script:444: @user_script: 444: FOREIGN the key|FOREIGN",
                "ERR Error running script (call to f_1): @user_script:5: @user_script: 5: -OOM command not allowed|OOM",
                "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: Unknown Redis command|ERR",
                "WRONGTYPE Operation against a key script: f_1, on @user_script:19.|WRONGTYPE",
            })
    void code_ofAnErrorInsideOfAScript_isThatOfTheError(String message, String code) {
        assertEquals(code, DriverException.rejected(message).code());
    }

    @Test
    void kind_ofEach_isTold() {
        assertEquals(
                DriverException.Kind.REJECTED, DriverException.rejected("ERR").kind());
        assertEquals(
                DriverException.Kind.UNKNOWN,
                DriverException.unknown("lost", null).kind());
        assertEquals("", DriverException.unknown("NOSCRIPT x", null).code());
        assertEquals("", DriverException.rejected(" ERR").code());
    }
}
