package io.holdfast.faults.subjects;

import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** All subjects by name. */
public final class Subjects {
    /** Holdfast with leases that share holds. */
    public static final String SHARED = "holdfast-shared";

    /** Holdfast with a quarantine after any loss of memory. */
    public static final String QUARANTINE = "holdfast-quarantine";

    /** Holdfast whose sections ask the server whether they still hold the lock. */
    public static final String ASKING = "holdfast-asking";

    private static final String STRICT = "holdfast-lettuce";

    private static final Map<String, Subject.Maker> MAKERS = new LinkedHashMap<>();
    private static final Map<String, Way> WAYS = new LinkedHashMap<>();

    static {
        // In turns, which are the default, only the order among clients could be checked.
        MAKERS.put(STRICT, (to, term) -> HoldfastSubject.connect("lettuce", to, term, LockOptions::withStrictOrder));
        MAKERS.put("holdfast-jedis", (to, term) -> HoldfastSubject.connect("jedis", to, term, lock -> lock));
        MAKERS.put(
                SHARED,
                (to, term) -> HoldfastSubject.connect(
                        "lettuce",
                        to,
                        term,
                        lock -> lock.withLocalHandoffs(20, Duration.ofMillis(50))
                                .withKeepFor(Duration.ofSeconds(1))));
        MAKERS.put(
                QUARANTINE,
                (to, term) -> HoldfastSubject.connect(
                        Way.EXCLUSIVE, "lettuce", to, term, lock -> lock, options -> options.withQuarantine(term)));
        MAKERS.put(
                ASKING,
                (to, term) -> HoldfastSubject.connect("lettuce", to, term, LockOptions::withStrictOrder)
                        .asking());
        put("holdfast-rw-", Way.READ_WRITE);
        put("holdfast-permits-", Way.PERMITS);
        put("holdfast-shares-", Way.SHARES);
        put("holdfast-once-", Way.ONCE);
        MAKERS.put(
                "redisson-lock",
                (to, term) -> RedissonSubject.connect(to.one(), term, RedissonClient::getLock, "Redisson lock"));
        MAKERS.put(
                "redisson-fair",
                (to, term) ->
                        RedissonSubject.connect(to.one(), term, RedissonClient::getFairLock, "Redisson fair lock"));
        MAKERS.put(
                "redisson-fenced",
                (to, term) ->
                        RedissonSubject.connect(to.one(), term, RedissonClient::getFencedLock, "Redisson fenced lock"));
        MAKERS.put(
                "spring-pubsub", (to, term) -> SpringSubject.connect(to.one(), term, RedisLockType.PUB_SUB_LOCK, true));
        MAKERS.put("spring-spin", (to, term) -> SpringSubject.connect(to.one(), term, RedisLockType.SPIN_LOCK, true));
        MAKERS.put("spring-plain", (to, term) -> SpringSubject.connect(to.one(), term, RedisLockType.SPIN_LOCK, false));
    }

    private Subjects() {}

    private static void put(String prefix, Way way) {
        for (String driver : List.of("lettuce", "jedis")) {
            MAKERS.put(prefix + driver, (to, term) -> HoldfastSubject.connect(way, driver, to, term));
            WAYS.put(prefix + driver, way);
        }
    }

    /** Which kind of lock it is asked for. */
    public static Way way(String name) {
        return WAYS.getOrDefault(name, Way.EXCLUSIVE);
    }

    /** The names, in the order of reports. */
    public static List<String> names() {
        return List.copyOf(MAKERS.keySet());
    }

    /** How to make one. */
    public static Subject.Maker of(String name) {
        Subject.Maker maker = MAKERS.get(name);
        if (maker == null) {
            throw new IllegalArgumentException("there is no subject '" + name + "'; there are " + names());
        }
        return maker;
    }

    /** Whether leases of one process may share a hold, each with a token of its own. */
    public static boolean sharesHolds(String name) {
        return isHoldfast(name) && way(name) == Way.EXCLUSIVE && !name.equals(STRICT) && !name.equals(ASKING);
    }

    /** Whether this is Holdfast: then its promises are checked, and not only counted. */
    public static boolean isHoldfast(String name) {
        return name.startsWith("holdfast-");
    }

    /** The term that its users get who set nothing. */
    public static Duration defaultTerm(String name) {
        return Duration.ofSeconds(name.startsWith("spring-") ? 60 : 30);
    }

    /** The library with its version. */
    public static String version(String name) {
        if (isHoldfast(name)) {
            return "Holdfast, this version";
        }
        Class<?> type = name.startsWith("spring-") ? RedisLockRegistry.class : Redisson.class;
        String version = type.getPackage().getImplementationVersion();
        return (name.startsWith("spring-") ? "Spring Integration " : "Redisson ") + (version == null ? "?" : version);
    }
}
