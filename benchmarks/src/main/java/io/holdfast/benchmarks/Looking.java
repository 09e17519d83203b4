package io.holdfast.benchmarks;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** What scenarios have in common that look at all locks. */
final class Looking {
    private static final ConnectOptions CONNECT = new ConnectOptions(Duration.ofSeconds(60), "holdfast");
    /** What is sent outside of scripts. */
    private static final List<String> REQUESTS = List.of("publish", "pubsub|channels");

    private Looking() {}

    /** Times are in whole ms if there are very many clients. */
    static List<Scenario.Metric> metrics(int cpuDigits, int millisDigits, int otherDigits) {
        return List.of(
                Scenario.Metric.lower("cpu", "server CPU ms a look", cpuDigits),
                Scenario.Metric.lower("millis", "median ms a look", millisDigits),
                Scenario.Metric.lower("requests", "requests a look", otherDigits),
                Scenario.Metric.lower("bytes", "kB a look", otherDigits));
    }

    static RedisDriver driver(RedisServer server) {
        return Location.parse(server.url()).connect(new LettuceDriverProvider(), CONNECT);
    }

    static Holdfast client(RedisServer server) {
        return Holdfast.over(driver(server));
    }

    /**
     * Looks so many times.
     *
     * @param prepare before each look, by its number; in the server's figures, and not in the times
     */
    static Scenario.Sample measure(RedisServer server, int looks, IntConsumer prepare, Runnable look) {
        double[] millis = new double[looks];
        ServerCounts before = ServerCounts.of(server, REQUESTS);
        for (int i = 0; i < looks; i++) {
            prepare.accept(i);
            long begin = System.nanoTime();
            look.run();
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        ServerCounts spent = ServerCounts.of(server, REQUESTS).since(before);
        Arrays.sort(millis);
        return new Scenario.Sample(
                Map.of(
                        "cpu", spent.cpuMicros() / 1e3 / looks,
                        "millis", millis[looks / 2],
                        "requests", (double) spent.requests() / looks,
                        "bytes", spent.bytes() / 1e3 / looks),
                null);
    }
}
