package io.holdfast.benchmarks;

import java.util.List;
import java.util.Set;

/**
 * How much is done.
 *
 * @param rounds in which each contestant is measured once
 * @param slowRounds the same, of scenarios in which that takes long
 * @param warmMillis of work before the first round, and again until code is compiled
 * @param warmings so often at the most, for each process
 * @param millis that a measurement of a rate lasts
 * @param least cycles of each thread in it, however long they take
 * @param handoffs in a measurement of their latency, and for each process before one of a recovery
 * @param firstLeases over which memory on the server is measured
 * @param leases held at the end
 * @param leaseTermSeconds of these; a measurement lasts a third of it, in which each is renewed once
 * @param waiters how many wait
 * @param queues lengths of queues
 * @param clients of a quorum that want one lock
 * @param load by what the number of threads and of requests in flight is divided
 * @param coldMillis that processes work together right after their start
 * @param firstMillis that a process works from its connect on
 * @param recordedLocks how many locks calls of clients are recorded of
 * @param recordedCycles of each of these
 * @param replays of what was recorded in a measurement, of which the least counts
 * @param patienceMillis how long a recovery may take
 * @param starts of a program in a measurement
 * @param processes whether workers are processes of their own wherever that is possible
 * @param only which contestants take part; all if empty
 */
record Scale(
        String name,
        int rounds,
        int slowRounds,
        long warmMillis,
        int warmings,
        long millis,
        int least,
        int handoffs,
        int firstLeases,
        int leases,
        int leaseTermSeconds,
        List<Integer> waiters,
        List<Integer> queues,
        List<Integer> clients,
        int load,
        long coldMillis,
        long firstMillis,
        int recordedLocks,
        int recordedCycles,
        int replays,
        long patienceMillis,
        int starts,
        boolean processes,
        Set<String> only) {
    static Scale full() {
        return new Scale(
                "full",
                5,
                3,
                3_000,
                7,
                1_500,
                0,
                200,
                10_000,
                100_000,
                30,
                List.of(200, 10_000),
                List.of(1, 10, 100, 1_000, 10_000),
                List.of(1, 2, 5, 10, 20),
                1,
                4_000,
                5_000,
                50,
                20,
                20,
                12_000,
                5,
                true,
                Set.of());
    }

    static Scale quick() {
        return new Scale(
                "quick",
                2,
                1,
                600,
                1,
                400,
                0,
                50,
                10_000,
                20_000,
                6,
                List.of(200, 10_000),
                List.of(10, 1_000, 10_000),
                List.of(1, 5, 20),
                1,
                1_500,
                2_000,
                50,
                10,
                20,
                5_000,
                3,
                true,
                Set.of());
    }

    /** Only to see that all of it works. */
    static Scale smallest() {
        return new Scale(
                "smallest",
                1,
                1,
                0,
                0,
                20,
                2,
                2,
                500,
                600,
                3,
                List.of(5),
                List.of(3),
                List.of(2),
                16,
                20,
                20,
                2,
                3,
                1,
                10_000,
                1,
                false,
                Set.of(
                        "holdfast-lettuce",
                        "holdfast-strict-lettuce",
                        "holdfast-contended",
                        "floor-scripts",
                        "trip-script",
                        "socket",
                        "java",
                        "cycle",
                        "ownerId",
                        "keys",
                        "look-first",
                        "look-again",
                        "look-search",
                        QuorumScenario.ONE,
                        QuorumScenario.THREE,
                        QuorumScenario.FIVE));
    }

    Scale withRounds(int other) {
        return new Scale(
                name,
                other,
                other,
                warmMillis,
                warmings,
                millis,
                least,
                handoffs,
                firstLeases,
                leases,
                leaseTermSeconds,
                waiters,
                queues,
                clients,
                load,
                coldMillis,
                firstMillis,
                recordedLocks,
                recordedCycles,
                replays,
                patienceMillis,
                starts,
                processes,
                only);
    }

    Scale withOnly(Set<String> contestants) {
        return new Scale(
                name,
                rounds,
                slowRounds,
                warmMillis,
                warmings,
                millis,
                least,
                handoffs,
                firstLeases,
                leases,
                leaseTermSeconds,
                waiters,
                queues,
                clients,
                load,
                coldMillis,
                firstMillis,
                recordedLocks,
                recordedCycles,
                replays,
                patienceMillis,
                starts,
                processes,
                contestants);
    }

    boolean takesPart(String contestant) {
        return only.isEmpty() || only.contains(contestant);
    }

    /** How many of what would be so many at full load. */
    int loaded(int count) {
        return Math.max(1, count / load);
    }
}
