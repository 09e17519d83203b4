package io.holdfast.internal.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.LockFigures;
import io.holdfast.LockFigures.Times;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReportTest {
    private static final Times WAITS = new Times(3, Duration.ofMillis(9), Duration.ofMillis(5), List.of(1L, 0L, 2L));

    @Test
    void text_read_isTheSame() {
        LockFigures figures = new LockFigures(WAITS, Times.NONE, 1, 2, 3, 4, 5, 6);
        Report report = new Report(
                Map.of("hf:{a b}", new Report.Had(1, 7, 1_000)), Map.of("hf:{a b}", figures), figures.plus(figures));
        assertEquals(new Report.Numbered(9, report), Report.read(report.text(9)));
    }

    @Test
    void read_ofAnOlderVersion_hasNotCountedWhatThatDoesNotKnow() {
        Report.Numbered read = Report.read("1 9\nf 1,2,3,4;9000,5000,1,0,2;0,0 hf:{a b}");
        assertEquals(
                Map.of("hf:{a b}", new LockFigures(WAITS, Times.NONE, 1, 2, 3, 4, 0, 0)),
                read.report().figures());
    }
}
