package io.holdfast.benchmarks.contestants;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** All contestants by id, in the order of reports. */
public final class Contestants {
    /** What a contestant can do; scenarios choose by it. */
    public enum Ability {
        /** Excludes others. */
        LOCKS,
        /** Waits for a lock that somebody holds. */
        WAITS,
        /** Asks without blocking. */
        ASYNC,
        /** Renews what is held. */
        RENEWS,
        /** Is one round trip and no lock: the bound of a strict handoff. */
        TRIP,
        /** Is one message from a process to another, and no lock. */
        HOP,
        /** Takes a read/write lock: mostly to read, one time of ten to write. */
        READS,
        /** Takes one of {@link #PERMITS} permits of a semaphore. */
        PERMITS,
        /** Takes two of eight locks at once. */
        SETS,
        /** Has work done once for a key, and its result for all. */
        ONCE
    }

    /**
     * One contestant.
     *
     * @param label as in reports
     * @param keyPattern the key on the server of a hold, with {@code %s} for the lock; empty if there is none
     * @param scenarios in which it takes part; empty for all that its abilities are enough for
     * @param requests commands that it sends by themselves and never from within a script, besides those that scripts
     *     cannot send
     */
    public record Entry(
            String id,
            String label,
            Set<Ability> abilities,
            String keyPattern,
            Set<String> scenarios,
            List<String> requests,
            Contestant.Maker maker) {
        /** One that takes part wherever its abilities are enough. */
        Entry(
                String id,
                String label,
                Set<Ability> abilities,
                String keyPattern,
                List<String> requests,
                Contestant.Maker maker) {
            this(id, label, abilities, keyPattern, Set.of(), requests, maker);
        }

        /** Whether it has all of these abilities. */
        public boolean can(Ability... wanted) {
            return abilities.containsAll(List.of(wanted));
        }
    }

    private static final Set<Ability> LIBRARY = EnumSet.of(Ability.LOCKS, Ability.WAITS, Ability.RENEWS);
    private static final Set<Ability> ASYNC_LIBRARY =
            EnumSet.of(Ability.LOCKS, Ability.WAITS, Ability.RENEWS, Ability.ASYNC);

    private static final Set<Ability> HOLDFAST =
            EnumSet.of(Ability.LOCKS, Ability.WAITS, Ability.RENEWS, Ability.ASYNC, Ability.ONCE);

    /** Where it matters whether the order of requests is kept strictly, and what it costs. */
    private static final Set<String> OF_ORDER = Set.of(
            "scripts",
            "free",
            "own",
            "hot",
            "hot-virtual",
            "processes",
            "processes-cold",
            "handoff",
            "growth",
            "waiters");

    /** Contestants that are there for what their scripts cost. */
    private static final Set<String> OF_SCRIPTS = Set.of("scripts");

    /** How many permits a semaphore has. */
    static final int PERMITS = 4;

    private static final int LOCKS_OF_SETS = 8;
    private static final int WRITES_ONE_OF = 10;

    private static final Map<String, Entry> ALL = new LinkedHashMap<>();

    static {
        holdfast("holdfast-lettuce", "Holdfast over Lettuce", "lettuce", Set.of(), options -> options);
        holdfast("holdfast-jedis", "Holdfast over Jedis", "jedis", Set.of(), options -> options);
        // Modes of Holdfast: a line each, with where they matter and the options that turn them on.
        holdfast(
                "holdfast-strict-lettuce",
                "Holdfast over Lettuce, strict order",
                "lettuce",
                OF_ORDER,
                LockOptions::withStrictOrder);
        holdfast(
                "holdfast-strict-jedis",
                "Holdfast over Jedis, strict order",
                "jedis",
                OF_ORDER,
                LockOptions::withStrictOrder);
        holdfast(
                "holdfast-keeping",
                "Holdfast, keeping for 5 s",
                "lettuce",
                Set.of("free", "own", "own-virtual", "processes", "recalled", "killed-keeper"),
                options -> options.withKeepFor(Duration.ofSeconds(5)));
        redisson("redisson-lock", "Redisson lock", RedissonClient::getLock);
        redisson("redisson-fair", "Redisson fair lock", RedissonClient::getFairLock);
        redisson("redisson-fenced", "Redisson fenced lock", RedissonClient::getFencedLock);
        spring("spring-pubsub", "Spring Integration, pub/sub", RedisLockType.PUB_SUB_LOCK);
        spring("spring-spin", "Spring Integration, spin", RedisLockType.SPIN_LOCK);
        // Its renewal begins at once, and would be counted with what obtains and releases.
        add(new Entry(
                "spring-obtain",
                "Spring Integration, pub/sub, without renewal",
                EnumSet.of(Ability.LOCKS, Ability.WAITS),
                SpringContestant.REGISTRY + ":%s",
                OF_SCRIPTS,
                List.of(),
                (address, term) -> new SpringContestant(address, term, RedisLockType.PUB_SUB_LOCK, false)));
        holdfastKind("rw", "read/write lock", Ability.READS, (client, options, name) -> {
            DistributedReadWriteLock lock = client.readWriteLock(name, options);
            return HoldfastContestant.held((isWrite() ? lock.write() : lock.read()).acquire());
        });
        holdfastKind(
                "permits",
                "semaphore",
                Ability.PERMITS,
                (client, options, name) -> HoldfastContestant.held(
                        client.semaphore(name, PERMITS, options).acquire()));
        holdfastKind(
                "shares",
                "semaphore, eight groups that share",
                Ability.PERMITS,
                (client, options, name) ->
                        HoldfastContestant.held(client.semaphore(name, PERMITS, options.withGroup(group()))
                                .acquire()));
        holdfastKind("sets", "two locks", Ability.SETS, (client, options, name) -> {
            LeaseSet leases = client.locks(two(name).toArray(String[]::new)).acquire();
            return leases::release;
        });
        redissonKind("redisson-rw", "Redisson read/write lock", Ability.READS, (client, name) -> {
            RReadWriteLock lock = client.getReadWriteLock(name);
            return isWrite() ? lock.writeLock() : lock.readLock();
        });
        redissonPermits("redisson-permits", "Redisson semaphore whose permits expire", RedissonPermits::expiring);
        redissonPermits(
                "redisson-semaphore", "Redisson semaphore, permits of the dead are lost", RedissonPermits::bare);
        redissonKind("redisson-multi", "Redisson multi-lock", Ability.SETS, (client, name) -> {
            List<String> names = two(name);
            return client.getMultiLock(client.getLock(names.get(0)), client.getLock(names.get(1)));
        });
        add(new Entry(
                "floor-lettuce",
                "Floor: SET NX over Lettuce",
                EnumSet.of(Ability.LOCKS, Ability.ASYNC),
                "%s",
                List.of("set"),
                LettuceFloor::lock));
        add(new Entry(
                "floor-scripts",
                "Floor: SET NX as a script",
                EnumSet.of(Ability.LOCKS),
                "%s",
                OF_SCRIPTS,
                List.of(),
                LettuceFloor::scripts));
        add(new Entry(
                "floor-jedis",
                "Floor: SET NX over a Jedis pool",
                EnumSet.of(Ability.LOCKS),
                "%s",
                List.of("set"),
                JedisFloor::new));
        onceByHand("hand-once-lettuce", "By hand over Lettuce", OnceByHand.maker(true, false));
        onceByHand("hand-once-jedis", "By hand over Jedis", OnceByHand.maker(false, false));
        onceByHand("hand-look-lettuce", "By hand over Lettuce, looks first", OnceByHand.maker(true, true));
        onceByHand("hand-look-jedis", "By hand over Jedis, looks first", OnceByHand.maker(false, true));
        renewals("floor-renewal-lettuce", "Floor: renewal by hand, over Lettuce", RenewalFloor::lettuce);
        renewals("floor-renewal-jedis", "Floor: renewal by hand, over Jedis", RenewalFloor::jedis);
        add(new Entry(
                "floor-expiry",
                "Floor: asks when the key expires, over Lettuce",
                EnumSet.of(Ability.LOCKS, Ability.WAITS),
                "%s",
                Set.of("killed-holder"),
                List.of(),
                ExpiryFloor::new));
        add(new Entry("trip-ping", "Round trip: PING", EnumSet.of(Ability.TRIP), "", List.of(), LettuceFloor::ping));
        add(new Entry(
                "trip-script", "Round trip: a script", EnumSet.of(Ability.TRIP), "", List.of(), LettuceFloor::script));
        add(new Entry(
                "hop",
                "Floor: publish and receive",
                EnumSet.of(Ability.HOP),
                "",
                List.of("publish"),
                HopFloor::message));
        add(new Entry(
                "hop-script",
                "Floor: a plain handoff, publish and receive",
                EnumSet.of(Ability.HOP),
                "%s",
                Set.of("handoff"),
                List.of(),
                HopFloor::handoff));
    }

    private Contestants() {}

    private static void holdfast(
            String id, String label, String driver, Set<String> scenarios, UnaryOperator<LockOptions> options) {
        add(new Entry(
                id,
                label,
                HOLDFAST,
                "hf:{%s}",
                scenarios,
                List.of(),
                (address, term) ->
                        HoldfastContestant.connect(driver, address, term, options, HoldfastContestant.LOCK)));
    }

    /** What several may hold at once, or several locks: over both drivers. */
    private static void holdfastKind(String kind, String label, Ability ability, HoldfastContestant.Way way) {
        for (String driver : List.of("lettuce", "jedis")) {
            add(new Entry(
                    "holdfast-" + kind + "-" + driver,
                    "Holdfast over " + (driver.equals("jedis") ? "Jedis" : "Lettuce") + ", " + label,
                    EnumSet.of(ability),
                    "",
                    List.of(),
                    (address, term) -> HoldfastContestant.connect(driver, address, term, options -> options, way)));
        }
    }

    private static void redissonKind(String id, String label, Ability ability, RedissonContestant.Locks locks) {
        add(new Entry(
                id,
                label,
                EnumSet.of(ability),
                "",
                List.of(),
                (address, term) -> new RedissonContestant(address, term, locks)));
    }

    private static void redissonPermits(String id, String label, Contestant.Maker maker) {
        add(new Entry(id, label, EnumSet.of(Ability.PERMITS), "", List.of(), maker));
    }

    private static void renewals(String id, String label, Contestant.Maker maker) {
        add(new Entry(id, label, EnumSet.of(Ability.LOCKS, Ability.RENEWS), "%s", Set.of("leases"), List.of(), maker));
    }

    private static void onceByHand(String id, String label, Contestant.Maker maker) {
        add(new Entry(id, label, EnumSet.of(Ability.ONCE), "", List.of("get", "set"), maker));
    }

    /** Of eight tenants. */
    private static String group() {
        return "tenant-" + ThreadLocalRandom.current().nextInt(8);
    }

    private static boolean isWrite() {
        return ThreadLocalRandom.current().nextInt(WRITES_ONE_OF) == 0;
    }

    /** Two names of eight, in any order. */
    private static List<String> two(String name) {
        int one = ThreadLocalRandom.current().nextInt(LOCKS_OF_SETS);
        int other = (one + 1 + ThreadLocalRandom.current().nextInt(LOCKS_OF_SETS - 1)) % LOCKS_OF_SETS;
        return List.of(name + "-" + one, name + "-" + other);
    }

    private static void redisson(String id, String label, RedissonContestant.Locks locks) {
        add(new Entry(
                id,
                label,
                ASYNC_LIBRARY,
                "%s",
                List.of(),
                (address, term) -> new RedissonContestant(address, term, locks)));
    }

    private static void spring(String id, String label, RedisLockType type) {
        add(new Entry(
                id,
                label,
                LIBRARY,
                SpringContestant.REGISTRY + ":%s",
                List.of(),
                (address, term) -> new SpringContestant(address, term, type, true)));
    }

    private static void add(Entry entry) {
        ALL.put(entry.id(), entry);
    }

    /** All of them. */
    public static List<Entry> all() {
        return List.copyOf(ALL.values());
    }

    /** Those that take part in a scenario if they are able to. */
    public static List<Entry> forScenario(String id) {
        return ALL.values().stream()
                .filter(each -> each.scenarios().isEmpty() || each.scenarios().contains(id))
                .toList();
    }

    /** One of them. */
    public static Entry of(String id) {
        Entry entry = ALL.get(id);
        if (entry == null) {
            throw new IllegalArgumentException("there is no contestant '" + id + "'; there are " + ALL.keySet());
        }
        return entry;
    }
}
