package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ClientWordsTest {
    @Test
    void claimWindow_shortTerm_isNeverLongerThanTheTerm() {
        LockOptions options = LockOptions.defaults();
        assertEquals(Duration.ofSeconds(1), ClientWords.claimWindow(options));
        assertEquals(
                Duration.ofMillis(300), ClientWords.claimWindow(options.withLeaseDuration(Duration.ofMillis(300))));
    }
}
