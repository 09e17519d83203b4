package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class QueueScriptsTest {
    @Test
    void claimWindow_shortTerm_isNeverLongerThanTheTerm() {
        LockOptions options = LockOptions.defaults();
        assertEquals(Duration.ofSeconds(1), QueueScripts.claimWindow(options));
        assertEquals(
                Duration.ofMillis(300), QueueScripts.claimWindow(options.withLeaseDuration(Duration.ofMillis(300))));
    }
}
