package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A busy lock does not push out what an operator did, nor what was lost. */
final class EventLogTest {
    private final EventLog log = new EventLog();

    private List<String> types(long after) {
        return log.after(after).stream().map(Documents.Event::type).distinct().toList();
    }

    @Test
    void add_manyOfABusyLock_leavesWhatIsRare() {
        log.add(1, "act", null, "released", "act");
        log.add(2, "released", null, "first", "plain");
        log.add(3, "expired", null, "lost", "bad");
        for (int i = 0; i < 5 * EventLog.MOST; i++) {
            log.add(4, "queued", null, "busy", "plain");
        }
        assertEquals(List.of("act", "expired", "queued"), types(0));
        assertEquals(2 + EventLog.MOST, log.after(0).size());
        assertEquals(List.of("queued"), types(3));
    }

    @Test
    void add_manyRareOnes_areBoundedToo() {
        for (int i = 0; i < 2 * EventLog.MOST; i++) {
            log.add(1, "act", null, "released", "act");
        }
        assertEquals(EventLog.MOST, log.after(0).size());
    }
}
