package io.holdfast.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/**
 * Something that Holdfast is to reach.
 *
 * @param words what it is
 * @param size of what grows; 0 if nothing does
 * @param referenceScenario where those are with whom it is compared; mostly the same
 * @param references with whom it is compared in the same round, of several with the best; empty for a bound as it is
 * @param atLeast whether the bound is the least or the most
 */
record Target(
        String words,
        String scenario,
        int size,
        String metric,
        String contestant,
        String referenceScenario,
        int referenceSize,
        List<String> references,
        boolean atLeast,
        double bound) {
    private static final String OURS = "holdfast-lettuce";
    private static final String JEDIS = "holdfast-jedis";
    private static final int MANY_WAITERS = 10_000;
    private static final int FEW_WAITERS = 10;
    private static final int SILENT = 200;
    private static final List<String> PEERS =
            List.of("redisson-lock", "redisson-fair", "redisson-fenced", "spring-pubsub", "spring-spin");

    static final List<Target> ALL = List.of(
            most("free lock, Lettuce, of the floor", "free", "p50", OURS, "floor-lettuce", 1.1),
            most("free lock, Jedis, of the floor", "free", "p50", JEDIS, "floor-jedis", 1.1),
            least("64 threads, Lettuce, of Redisson's lock", "own", "rate", OURS, "redisson-lock", 3),
            least("64 threads, Jedis, of Redisson's lock", "own", "rate", JEDIS, "redisson-lock", 3),
            least("64 threads, Lettuce, of the floor", "own", "rate", OURS, "floor-lettuce", 1),
            least("64 threads, Jedis, of the floor", "own", "rate", JEDIS, "floor-lettuce", 1),
            least("one hot lock, Lettuce, of one round trip", "hot", "rate", OURS, "trip-script", 0.6),
            least("one hot lock, Jedis, of one round trip", "hot", "rate", JEDIS, "trip-script", 0.6),
            least("one hot lock, Lettuce, of Redisson's lock", "hot", "rate", OURS, "redisson-lock", 3),
            least("one hot lock, Jedis, of Redisson's lock", "hot", "rate", JEDIS, "redisson-lock", 3),
            least("one hot lock, Lettuce, of Redisson's fair lock", "hot", "rate", OURS, "redisson-fair", 3),
            least("one hot lock, Jedis, of Redisson's fair lock", "hot", "rate", JEDIS, "redisson-fair", 3),
            least("one hot lock, Lettuce, of Redisson's fenced lock", "hot", "rate", OURS, "redisson-fenced", 3),
            least("one hot lock, Jedis, of Redisson's fenced lock", "hot", "rate", JEDIS, "redisson-fenced", 3),
            least("one hot lock, Lettuce, of Spring's pub/sub", "hot", "rate", OURS, "spring-pubsub", 3),
            least("one hot lock, Jedis, of Spring's pub/sub", "hot", "rate", JEDIS, "spring-pubsub", 3),
            least("one hot lock, Lettuce, of Spring's spin", "hot", "rate", OURS, "spring-spin", 3),
            least("one hot lock, Jedis, of Spring's spin", "hot", "rate", JEDIS, "spring-spin", 3),
            leastOfPeers("handing on among 32 threads, of the best peer", "hot", "holdfast-handing", 50),
            leastOfPeers(
                    "handing on among 1,000 virtual threads, of the best peer", "hot-virtual", "holdfast-handing", 50),
            leastOfPeers("keeping, one thread, of the best peer", "free", "holdfast-keeping", 500),
            new Target(
                    "1,000 virtual threads, of the floor of 64 threads",
                    "own-virtual",
                    0,
                    "rate",
                    OURS,
                    "own",
                    0,
                    List.of("floor-lettuce"),
                    true,
                    1.5),
            least("4 processes, Lettuce, of Redisson's lock", "processes", "rate", OURS, "redisson-lock", 5),
            least("4 processes, Jedis, of Redisson's lock", "processes", "rate", JEDIS, "redisson-lock", 5),
            least("4 processes, Lettuce, of Redisson's fair lock", "processes", "rate", OURS, "redisson-fair", 8),
            least("4 processes, Jedis, of Redisson's fair lock", "processes", "rate", JEDIS, "redisson-fair", 8),
            least("4 processes, Lettuce, slowest thread's share %", "processes", "share", OURS, "", 90),
            least("4 processes, Jedis, slowest thread's share %", "processes", "share", JEDIS, "", 90),
            most("4 processes, Lettuce, requests a cycle", "processes", "requests", OURS, "", 2.2),
            most("4 processes, Jedis, requests a cycle", "processes", "requests", JEDIS, "", 2.2),
            most("handoff, Lettuce, of Redisson's fair lock", "handoff", "p50", OURS, "redisson-fair", 0.5),
            most("handoff, Jedis, of Redisson's fair lock", "handoff", "p50", JEDIS, "redisson-fair", 0.5),
            most("handoff, Lettuce, of the bare message", "handoff", "p50", OURS, "hop", 1.2),
            most("handoff, Jedis, of the bare message", "handoff", "p50", JEDIS, "hop", 1.2),
            new Target(
                    "handoff with 10,000 waiters, of 10",
                    "growth",
                    MANY_WAITERS,
                    "handoff",
                    OURS,
                    "growth",
                    FEW_WAITERS,
                    List.of(OURS),
                    false,
                    1.3),
            bound("200 waiters, requests/s of two clients", "waiters", SILENT, "rate", 2),
            bound("100,000 leases, client CPU % of a core", "leases", 100_000, "clientCpu", 100),
            bound("server bytes a held lock", "leases", 100_000, "memory", 400),
            bound("server bytes a waiter", "waiters", MANY_WAITERS, "memory", 300),
            most("killed next in line, of the bare message", "killed-waiter", "recovery", OURS, "hop", 2),
            most("start of the command, of the program with a socket", "start", "median", "command", "socket", 1.5));

    private static Target most(
            String words, String scenario, String metric, String contestant, String reference, double bound) {
        return new Target(words, scenario, 0, metric, contestant, scenario, 0, listOf(reference), false, bound);
    }

    private static Target least(
            String words, String scenario, String metric, String contestant, String reference, double bound) {
        return new Target(words, scenario, 0, metric, contestant, scenario, 0, listOf(reference), true, bound);
    }

    private static Target leastOfPeers(String words, String scenario, String contestant, double bound) {
        return new Target(words, scenario, 0, "rate", contestant, scenario, 0, PEERS, true, bound);
    }

    private static Target bound(String words, String scenario, int size, String metric, double bound) {
        return new Target(words, scenario, size, metric, OURS, scenario, 0, List.of(), false, bound);
    }

    private static List<String> listOf(String reference) {
        return reference.isEmpty() ? List.of() : List.of(reference);
    }

    /** What was measured; empty if it was not. */
    OptionalDouble measured(Results results) {
        if (!references.isEmpty()) {
            DoubleStream ratios = references.stream()
                    .map(each ->
                            results.ratio(scenario, metric, size, contestant, referenceScenario, referenceSize, each))
                    .flatMapToDouble(OptionalDouble::stream);
            return atLeast ? ratios.min() : ratios.max();
        }
        Optional<Results.Spread> spread = results.spread(scenario, size, contestant, metric);
        return spread.isPresent() ? OptionalDouble.of(spread.get().median()) : OptionalDouble.empty();
    }

    boolean isReached(double value) {
        return atLeast ? value >= bound : value <= bound;
    }
}
