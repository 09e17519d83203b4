package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.HoldfastExtension;
import io.holdfast.testkit.LeaseControl;
import io.holdfast.testkit.MemoryServer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The extension for JUnit, with the JUnit of the platform. */
@ExtendWith(HoldfastExtension.class)
class ExtensionTest {
    private static final Set<Holdfast> GIVEN = ConcurrentHashMap.newKeySet();

    private Holdfast before;

    @BeforeEach
    void prepare(Holdfast holdfast) {
        before = holdfast;
    }

    @AfterAll
    static void clientsOfAllTests_areClosed() {
        assertEquals(2, GIVEN.size(), "each test has a client of its own");
        for (Holdfast holdfast : GIVEN) {
            assertThrows(RuntimeException.class, () -> holdfast.lock("a").tryAcquire(), "it is closed");
        }
    }

    @Test
    void parameters_ofOneTest_belongTogether(Holdfast holdfast, LeaseControl control, MemoryServer server)
            throws Exception {
        GIVEN.add(holdfast);
        assertSame(before, holdfast);
        assertSame(server, control.server());
        Lease lease = holdfast.lock("a").acquire();
        control.lose(lease);
        assertFalse(lease.isValid());
    }

    @Test
    void server_ofAnotherTest_isAnother(Holdfast holdfast) throws Exception {
        GIVEN.add(holdfast);
        assertTrue(holdfast.lock("a").tryAcquire().isPresent(), "nobody has it here");
    }
}
