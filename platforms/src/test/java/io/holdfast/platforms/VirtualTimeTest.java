package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.HoldfastExtension;
import io.holdfast.testkit.LeaseControl;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The extension for JUnit in virtual time, with the JUnit of the platform. */
class VirtualTimeTest {
    @RegisterExtension
    static final HoldfastExtension HOLDFAST = HoldfastExtension.inVirtualTime();

    @Test
    void lease_serverAwayForATerm_isLost(Holdfast holdfast, LeaseControl control, VirtualTime time) throws Exception {
        Lease lease = holdfast.lock("a").acquire();
        time.advance(Duration.ofHours(1));
        assertTrue(lease.isValid(), "renewed all the time");
        control.disconnect();
        time.advance(Duration.ofMinutes(1));
        assertFalse(lease.isValid());
    }
}
