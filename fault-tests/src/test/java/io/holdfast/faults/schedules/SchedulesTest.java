package io.holdfast.faults.schedules;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The plays as the JVM and the machine schedule them. {@code fault-tests/schedules/run} goes through many more schedules. */
final class SchedulesTest {
    private static final int TIMES = 50;

    static List<String> names() {
        return Schedules.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void play_realThreads_keepsItsPromises(String name) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            Schedules.run(name);
        }
    }
}
