package io.holdfast.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Parts of the engine without a network, by JMH. Only when asked for by name. */
final class MicroScenario implements OwnScenario {
    private static final Map<String, String> LABELS = Map.of(
            "cycle", "The engine's part of a cycle",
            "ownerId", "An owner's id",
            "keys", "Keys of a name",
            "recording", "What a cycle asks of the flight recorder, which is off");
    private static final int WARM = 2;
    private static final int COUNTED = 3;

    @Override
    public String id() {
        return "micro";
    }

    @Override
    public String title() {
        return "Parts of the engine";
    }

    @Override
    public String meaning() {
        return "What acquire and release take in the client where the driver answers at once, and what parts of that take."
                + " Measured by JMH, in a JVM of its own each.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.lower("time", "ns", 1), Metric.lower("allocation", "bytes allocated", 0));
    }

    @Override
    public List<String> contestants(int size) {
        return List.of("cycle", "ownerId", "keys", "recording");
    }

    @Override
    public Map<String, String> labels() {
        return LABELS;
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        long millis = stage.scale().millis();
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(MicroBenchmarks.class.getName() + "\\." + contestant + "$")
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .forks(stage.scale().processes() ? 1 : 0)
                .warmupIterations(stage.scale().processes() ? WARM : 1)
                .warmupTime(TimeValue.milliseconds(millis))
                .measurementIterations(COUNTED)
                .measurementTime(TimeValue.milliseconds(millis))
                .timeUnit(TimeUnit.NANOSECONDS);
        return new Session() {
            @Override
            public Sample measure() throws Exception {
                RunResult result = new Runner(options.build()).run().iterator().next();
                org.openjdk.jmh.results.Result<?> allocated =
                        result.getSecondaryResults().get("gc.alloc.rate.norm");
                if (allocated == null) {
                    throw new Crew.Failed("this JVM does not tell what was allocated");
                }
                return new Sample(
                        Map.of("time", result.getPrimaryResult().getScore(), "allocation", allocated.getScore()), null);
            }

            @Override
            public void close() {
                // JMH has ended what it started.
            }
        };
    }
}
