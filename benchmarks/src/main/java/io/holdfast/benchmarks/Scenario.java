package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that contestants are compared in. */
interface Scenario {
    /**
     * One number of a measurement.
     *
     * @param key in results
     * @param header of its column
     * @param decimals in tables
     * @param higherIsBetter which way a ratio is good
     */
    record Metric(String key, String header, int decimals, boolean higherIsBetter) {
        static Metric lower(String key, String header, int decimals) {
            return new Metric(key, header, decimals, false);
        }

        static Metric higher(String key, String header, int decimals) {
            return new Metric(key, header, decimals, true);
        }
    }

    /**
     * What was measured once.
     *
     * @param histogram of latencies, as {@link Histogram#sparse()}; null if there is none
     */
    record Sample(Map<String, Double> values, @Nullable List<Long> histogram) {}

    /** What scenarios work with. */
    record Stage(Scale scale, Crew crew, @Nullable Path newJdk, Path root, Path folder) {}

    /** A contestant that is ready to be measured, or about to be. For use by one thread. */
    interface Session extends AutoCloseable {
        /** Waits until it is ready, and warms it up. */
        default void warm() throws Exception {}

        Sample measure() throws Exception;

        @Override
        void close();
    }

    /** One word. */
    String id();

    String title();

    /** What is done and what it says, in a few sentences. */
    String meaning();

    /** What is measured; by the first one, contestants are compared. */
    List<Metric> metrics();

    /** With which contestants the others are compared. */
    List<String> references();

    /** What grows; a single 0 if nothing does. */
    default List<Integer> sizes(Scale scale) {
        return List.of(0);
    }

    /** What the sizes are of. */
    default String sizeWord() {
        return "";
    }

    /** Who takes part. */
    List<String> contestants(int size);

    /** How a contestant is called in tables. */
    default String label(String contestant) {
        return Contestants.of(contestant).label();
    }

    /** Whether contestants are kept ready side by side and measured in turn; otherwise one after the other. */
    default boolean isInTurn() {
        return true;
    }

    /** How often each contestant is measured. */
    default int rounds(Scale scale) {
        return scale.rounds();
    }

    /** Why it cannot be run here; null if it can. */
    default @Nullable String obstacle(Stage stage) {
        return null;
    }

    /** Begins to start what is needed. */
    Session open(String contestant, int size, Stage stage) throws Exception;
}
