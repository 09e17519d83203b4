package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants.Ability;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** All scenarios, in the order of reports. */
final class Scenarios {
    private static final int THREADS = 32;
    private static final int OWN_THREADS = 64;
    private static final int MANY = 1_000;
    private static final List<Ability> LOCKS = List.of(Ability.LOCKS);
    private static final List<Ability> WAITS = List.of(Ability.WAITS);

    private static final List<Ability> ONCE = List.of(Ability.ONCE);

    /** What is written by hand in place of work that is done once. */
    static final List<String> ONCE_BY_HAND =
            List.of("hand-once-lettuce", "hand-look-lettuce", "hand-once-jedis", "hand-look-jedis");

    private static final List<Scenario> ALL = List.of(
            new CycleScenario(
                    "free",
                    "A free lock, one thread",
                    "One thread acquires and releases a lock that no other client wants. The floor is SET NX PX and a"
                            + " script that compares and deletes. A Jedis connection is blocking, so a request stays on"
                            + " one thread.",
                    Task.of(Task.Act.CYCLES, "free", 1),
                    1,
                    LOCKS,
                    true,
                    false,
                    false,
                    List.of("floor-lettuce", "floor-jedis", "redisson-lock")),
            new CycleScenario(
                    "own",
                    "64 threads, each with its own lock",
                    "No thread waits for another. The table shows the throughput of one client.",
                    Task.of(Task.Act.CYCLES, "own", OWN_THREADS),
                    1,
                    LOCKS,
                    false,
                    false,
                    false,
                    List.of("floor-lettuce", "floor-jedis", "redisson-lock")),
            new CycleScenario(
                    "async",
                    "1,000 requests in flight, each for its own lock",
                    "This is the same load without threads that block.",
                    Task.of(Task.Act.ASYNC, "async", MANY),
                    1,
                    List.of(Ability.LOCKS, Ability.ASYNC),
                    false,
                    false,
                    false,
                    List.of("floor-lettuce", "redisson-lock")),
            new CycleScenario(
                    "hot",
                    "One lock, 32 threads of a process",
                    "All threads want one lock all the time. One round trip by one thread is the bound of a strict"
                            + " order, because the server decides each handoff. A lock that keeps no order lets the"
                            + " thread that released acquire it again first. A lock that queues inside the process need"
                            + " not ask the server.",
                    Task.of(Task.Act.CYCLES, "hot", THREADS).sharing(),
                    1,
                    WAITS,
                    true,
                    false,
                    false,
                    List.of("trip-script", "redisson-lock", "redisson-fair", "spring-pubsub")),
            new CycleScenario(
                    "hot-virtual",
                    "One lock, 1,000 virtual threads",
                    "This is the same load with virtual threads, which need a newer JDK.",
                    Task.of(Task.Act.CYCLES, "hot", MANY).sharing().withVirtualThreads(),
                    1,
                    WAITS,
                    true,
                    false,
                    false,
                    List.of("trip-script", "redisson-lock", "redisson-fair")),
            new CycleScenario(
                    "own-virtual",
                    "1,000 virtual threads, each with its own lock",
                    "This is the same load as with 64 threads. Virtual threads need a newer JDK.",
                    Task.of(Task.Act.CYCLES, "own", MANY).withVirtualThreads(),
                    1,
                    LOCKS,
                    false,
                    false,
                    false,
                    List.of("floor-lettuce", "floor-jedis", "redisson-lock")),
            new CycleScenario(
                    "processes",
                    "One lock, 4 processes with 8 threads each",
                    "All threads of all processes want one lock all the time. The share is the slowest thread's cycles"
                            + " as a percentage of the fastest thread's.",
                    Task.of(Task.Act.CYCLES, "hot", 8).sharing(),
                    4,
                    WAITS,
                    false,
                    false,
                    false,
                    List.of("redisson-lock", "redisson-fair", "holdfast-jedis")),
            new CycleScenario(
                    "processes-cold",
                    "The same, right after the start of the processes",
                    "This is the same load, but all processes are new in each round, and are measured as soon as they"
                            + " have connected. The table shows the performance of a service in its first seconds.",
                    Task.of(Task.Act.CYCLES, "hot", 8).sharing(),
                    4,
                    WAITS,
                    false,
                    true,
                    false,
                    List.of("redisson-lock", "redisson-fair", "holdfast-jedis")),
            new HandoffScenario(),
            new CycleScenario(
                    "growth",
                    "Handing over, as the queue grows",
                    "A fixed number of requests from two processes wait for one lock at all times. The time is from one"
                            + " handoff to the next; the processes take turns as the lock's order requires. With more"
                            + " than a thousand waiters, peers take longer than a run allows.",
                    Task.of(Task.Act.ASYNC, "hot", 0).sharing(),
                    2,
                    List.of(Ability.WAITS, Ability.ASYNC),
                    false,
                    false,
                    true,
                    List.of("redisson-lock", "redisson-fair")),
            kind(
                    "read-write",
                    "One read/write lock, 32 threads of a process",
                    "All threads want one lock all the time, one time in ten to write. They do nothing while they hold"
                            + " it.",
                    1,
                    Ability.READS,
                    "redisson-rw"),
            kind(
                    "read-write-processes",
                    "One read/write lock, 4 processes with 8 threads each",
                    "This is the same load among processes.",
                    4,
                    Ability.READS,
                    "redisson-rw"),
            kind(
                    "permits",
                    "One semaphore with four permits, 32 threads of a process",
                    "All threads want one of four permits all the time. A holder releases its permit at once.",
                    1,
                    Ability.PERMITS,
                    "redisson-permits",
                    "redisson-semaphore"),
            kind(
                    "permits-processes",
                    "One semaphore with four permits, 4 processes with 8 threads each",
                    "This is the same load among processes.",
                    4,
                    Ability.PERMITS,
                    "redisson-permits",
                    "redisson-semaphore"),
            kind(
                    "sets",
                    "Two of eight locks at once, 32 threads of a process",
                    "All threads want two of eight locks at once all the time, named in any order.",
                    1,
                    Ability.SETS,
                    "redisson-multi"),
            kind(
                    "sets-processes",
                    "Two of eight locks at once, 4 processes with 8 threads each",
                    "This is the same load among processes.",
                    4,
                    Ability.SETS,
                    "redisson-multi"),
            new CycleScenario(
                    "once-fresh",
                    "Work that is done once, a fresh key each time",
                    "One thread calls for work that takes no time, with a fresh key each time. The work is done, and"
                            + " its result is recorded. By hand that takes a lock by SET NX PX, a lookup of the record,"
                            + " a write of the record, and a release by a script. One variant also looks up the record"
                            + " before it locks.",
                    Task.of(Task.Act.ONCE_FRESH, "once", 1),
                    1,
                    ONCE,
                    false,
                    false,
                    false,
                    ONCE_BY_HAND),
            new CycleScenario(
                    "once-done",
                    "Work that is done once, and was done before",
                    "One thread calls for the same key again and again, and gets the record as the answer. By hand, the"
                            + " variant that looks first needs no lock for this.",
                    Task.of(Task.Act.ONCE, "once", 1),
                    1,
                    ONCE,
                    false,
                    false,
                    false,
                    ONCE_BY_HAND),
            new MeetScenario(),
            new QuorumScenario("quorum", Duration.ZERO),
            new QuorumScenario("quorum-held", Duration.ofMillis(5)),
            new WaiterScenario(),
            new LeaseScenario(),
            new LookScenario(),
            new CrowdScenario(),
            new SizingScenario(),
            new FailoverScenario(),
            new RecoveryScenario(RecoveryScenario.Kind.HOLDER),
            new RecoveryScenario(RecoveryScenario.Kind.WAITER),
            new RecoveryScenario(RecoveryScenario.Kind.MESSAGE),
            new RecoveryScenario(RecoveryScenario.Kind.RECALL),
            new RecoveryScenario(RecoveryScenario.Kind.KEEPER),
            new FirstScenario(),
            new ScriptScenario(),
            new StartScenario());

    /** A lock of another kind, as hot as can be. */
    private static Scenario kind(
            String id, String title, String meaning, int processes, Ability ability, String... references) {
        return new CycleScenario(
                id,
                title,
                meaning,
                Task.of(Task.Act.CYCLES, "hot", THREADS / processes).sharing(),
                processes,
                List.of(ability),
                false,
                false,
                false,
                List.of(references));
    }

    /** Only by name. */
    private static final Scenario MICRO = new MicroScenario();

    private Scenarios() {}

    /** Those that are run if none is named. */
    static List<Scenario> usual() {
        return ALL;
    }

    static List<Scenario> all() {
        return Stream.concat(ALL.stream(), Stream.of(MICRO)).toList();
    }

    static Scenario of(String id) {
        return all().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no scenario '" + id + "'; there are "
                        + String.join(", ", all().stream().map(Scenario::id).toList())));
    }
}
