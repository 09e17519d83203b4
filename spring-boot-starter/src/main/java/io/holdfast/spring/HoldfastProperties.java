package io.holdfast.spring;

import io.holdfast.HoldfastOptions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the lock client. A setting that is not given has the library's own default.
 *
 * @param enabled Whether the application has a lock client, and annotations take effect.
 * @param mode Where locks are kept.
 * @param url Address of the server, cluster or Sentinels that keep the locks, instead of the application's connection to
 *     Redis: redis://…, redis-cluster://… or redis-sentinel://…, or with rediss for TLS.
 * @param connectionFactory Name of the bean of the connection factory that the lock client uses, if there are several.
 * @param sslBundle Name of the SSL bundle for connections to a rediss address; by default that of
 *     spring.data.redis.ssl.bundle, for Jedis.
 * @param prefix Prefix of the names of all keys and channels. Clients that must exclude each other need the same prefix.
 * @param application Name by which people see this application as a holder; by default the name of the application.
 * @param connectTimeout Maximum time to establish one connection.
 * @param commandTimeout Maximum time for an answer of the server.
 * @param closeTimeout Maximum time for the releases when the application ends.
 * @param refreshInterval How often a client that waits reports to the server.
 * @param waiterDeadline How long a waiter without a report keeps its queue position.
 * @param tokenLife How long a token is remembered after its own time.
 * @param eviction What the client does if the server may evict locks when its memory is full.
 * @param quarantine How long leases are held back after the server may have lost its memory.
 * @param largestClockDrift Fraction by which a server's clock may run faster than that of this process before its locks are
 *     refused.
 * @param deadlockDetection How long a request waits before its client checks whether it is in a deadlock; by default no client
 *     checks.
 * @param eventSampling Fraction of the requests that listeners and metrics receive, from 0 to 1.
 * @param logSampling Fraction of the requests that the log reports, from 0 to 1.
 * @param lock Options of all locks that have no others.
 * @param locks Options of locks by name patterns. A * in a pattern stands for any characters. The matching pattern with the most
 *     other characters applies; options that it does not set come from holdfast.lock.
 */
@ConfigurationProperties(prefix = "holdfast", ignoreUnknownFields = false)
record HoldfastProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("redis") Mode mode,
        @Nullable String url,
        @Nullable String connectionFactory,
        @Nullable String sslBundle,
        @Nullable String prefix,
        @Nullable String application,
        @Nullable Duration connectTimeout,
        @Nullable Duration commandTimeout,
        @Nullable Duration closeTimeout,
        @Nullable Duration refreshInterval,
        @Nullable Duration waiterDeadline,
        @Nullable Duration tokenLife,
        HoldfastOptions.@Nullable Eviction eviction,
        @Nullable Duration quarantine,
        @Nullable Double largestClockDrift,
        @Nullable Duration deadlockDetection,
        @Nullable Double eventSampling,
        @Nullable Double logSampling,
        @NestedConfigurationProperty @Nullable LockProperties lock,
        @DefaultValue Map<String, LockProperties> locks,
        @DefaultValue Annotations annotations,
        @DefaultValue Caching cache,
        @DefaultValue Lifecycle lifecycle,
        @DefaultValue Metrics metrics,
        @DefaultValue DashboardPage dashboard) {

    /** Where locks are kept. */
    enum Mode {
        /** On a Redis or Valkey server: that of the application, or the one at the address that is set. */
        REDIS,
        /** In this process, for tests and first steps. Needs holdfast-testkit. */
        MEMORY,
        /** On a server that the processes of one user share on one machine. Needs holdfast-embedded. */
        EMBEDDED,
        /** Nowhere: every lock is granted at once. For tests; needs holdfast-testkit. */
        GRANTING,
        /** Nowhere: every lock is taken by another client. For tests; needs holdfast-testkit. */
        REFUSING,
        /** Nowhere: every request fails as if the server were unreachable. For tests; needs holdfast-testkit. */
        FAILING
    }

    /**
     * Methods with annotations.
     *
     * @param enabled Whether methods with @Locked, @RunsOnce and @DoneOnce are run under locks.
     * @param order Order among the advice of a method; a smaller one is further outside. It must be smaller than that of
     *     transactions.
     * @param inTransaction What happens if a transaction is already active when a lock is requested.
     * @param executor Name of the executor bean that runs methods that return a stage, unless they are @Async; empty for threads
     *     of the client.
     */
    record Annotations(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("2147483547") int order,
            @DefaultValue("refuse") InTransaction inTransaction,
            @DefaultValue("") String executor) {
        /** Outside of caches and transactions, inside of repetitions. */
        static final int ORDER = Integer.MAX_VALUE - 100;
    }

    /** What happens if a transaction is already active when a lock is requested. */
    enum InTransaction {
        /** The call fails: the lock would be released before that transaction commits. */
        REFUSE,
        /** The log reports it, and the lock is released before that transaction commits. */
        WARN,
        /** The lock is released after that transaction has ended. Data that it read before is not protected. */
        RELEASE_AFTER
    }

    /**
     * Caches of the application.
     *
     * @param singleFlight Whether @Cacheable(sync = true) applies across all instances: one of them loads an entry that is missing
     *     in a shared cache, and the others wait for it.
     */
    record Caching(@DefaultValue("false") boolean singleFlight) {}

    /**
     * When the client is closed.
     *
     * @param phase Phase in which the client is closed: after beans with a larger phase, such as the web server, and before beans
     *     with a smaller one, such as connection factories, which have 0.
     */
    record Lifecycle(@DefaultValue("1024") int phase) {}

    /**
     * Meters.
     *
     * @param enabled Whether the client has meters.
     * @param lockTag Value of a meter's tag lock.
     */
    record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("all") LockTag lockTag) {}

    /**
     * The page that shows locks live. Needs holdfast-dashboard.
     *
     * @param enabled Whether the application serves the page. The application's own security protects it; without any, every
     *     client that can reach the application can see the page.
     * @param path Path of the page, below the application's context path.
     * @param allowChanges Whether the page may release and extend holds, and drop requests.
     * @param environment Name of the environment, such as production, which the page shows next to the server.
     * @param colour Colour of the bar above the page, if the environment has a name.
     */
    record DashboardPage(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("/holdfast") String path,
            @DefaultValue("false") boolean allowChanges,
            @DefaultValue("") String environment,
            @DefaultValue("grey") PageColour colour) {}

    /** The dashboard's colours. They are listed again because the dashboard may be missing on the class path. */
    enum PageColour {
        GREY,
        RED,
        ORANGE,
        GREEN,
        BLUE
    }

    /** Value of a meter's tag lock. */
    enum LockTag {
        /** The word all, for all locks. */
        ALL,
        /** The lock's name up to its first slash or colon; the names must have few beginnings. */
        FIRST_SEGMENT
    }

    /** Returns the options of a client as far as properties set them. */
    HoldfastOptions options(@Nullable String applicationName) {
        HoldfastOptions options = HoldfastOptions.defaults();
        options = prefix == null ? options : options.withPrefix(prefix);
        String name = application == null ? applicationName : application;
        options = name == null || name.isBlank() ? options : options.withApplication(name);
        options = connectTimeout == null ? options : options.withConnectTimeout(connectTimeout);
        options = commandTimeout == null ? options : options.withCommandTimeout(commandTimeout);
        options = closeTimeout == null ? options : options.withCloseTimeout(closeTimeout);
        options = withWaiting(options);
        options = tokenLife == null ? options : options.withTokenLife(tokenLife);
        options = eviction == null ? options : options.withEviction(eviction);
        options = quarantine == null ? options : options.withQuarantine(quarantine);
        options = largestClockDrift == null ? options : options.withLargestClockDrift(largestClockDrift);
        options = deadlockDetection == null ? options : options.withDeadlockDetection(deadlockDetection);
        options = eventSampling == null ? options : options.withEventSampling(eventSampling);
        options = logSampling == null ? options : options.withLogSampling(logSampling);
        options = lock == null ? options : options.withLockDefaults(lock.over("holdfast.lock", options.lockDefaults()));
        return locks.isEmpty()
                ? options
                : options.withLockDefaultsByName(NamePatterns.of(locks, options.lockDefaults()));
    }

    /** Which of the two is set first matters: each is checked against the other. */
    private HoldfastOptions withWaiting(HoldfastOptions options) {
        Duration interval = refreshInterval == null ? options.refreshInterval() : refreshInterval;
        Duration deadline = waiterDeadline == null ? options.waiterDeadline() : waiterDeadline;
        return interval.compareTo(options.refreshInterval()) > 0
                ? options.withWaiterDeadline(deadline).withRefreshInterval(interval)
                : options.withRefreshInterval(interval).withWaiterDeadline(deadline);
    }
}
