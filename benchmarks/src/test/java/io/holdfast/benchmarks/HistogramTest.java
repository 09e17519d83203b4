package io.holdfast.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class HistogramTest {
    @Test
    void at_anyMagnitude_isWithinASixtyFourth() {
        for (long value = 1; value > 0 && value < Long.MAX_VALUE / 3; value = value * 3 + 1) {
            long exact = value;
            Histogram histogram = new Histogram();
            histogram.add(exact);
            histogram.add(Long.MAX_VALUE);
            long found = histogram.at(0.5);
            assertTrue(found >= exact && found - exact <= exact / 64, () -> found + " for " + exact);
        }
    }

    @Test
    void at_parts_areRanks() {
        Histogram histogram = new Histogram();
        for (int i = 1; i <= 100; i++) {
            histogram.add(i);
        }
        assertEquals(50, histogram.at(0.5));
        assertEquals(99, histogram.at(0.99));
        assertEquals(100, histogram.at(1));
        assertEquals(1, histogram.at(0));
    }

    @Test
    void of_sparse_isTheSame() {
        Histogram histogram = new Histogram();
        for (long i = 1; i < 1L << 50; i *= 2) {
            histogram.add(i + i / 3);
        }
        Histogram again = Histogram.of(histogram.sparse());
        assertEquals(histogram.sparse(), again.sparse());
        assertEquals(histogram.total(), again.total());
        assertEquals(histogram.max(), again.max());
    }
}
