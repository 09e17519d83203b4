package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When keys end, as servers have it: {@code EXISTS} finds a key while the clock is not past its end. */
final class KeyspaceTest {
    private final Keyspace data = new Keyspace();

    private void at(long micros) {
        data.turn(micros);
    }

    @Test
    void key_inTheMillisecondOfItsEnd_isThereUntilThatIsOver() {
        at(1_000_000);
        data.put("k", "any value");
        data.expire("k", 1_005);
        at(1_005_999);
        assertTrue(data.exists("k"));
        at(1_006_000);
        assertFalse(data.exists("k"));
    }

    @Test
    void expire_atATimeThatHasCome_removesTheKeyAtOnce() {
        at(1_005_999);
        data.put("k", "any value");
        data.expire("k", 1_005);
        assertFalse(data.exists("k"));
    }
}
