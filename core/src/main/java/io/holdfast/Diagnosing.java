package io.holdfast;

import io.holdfast.Diagnosis.Ability;
import io.holdfast.Diagnosis.Clock;
import io.holdfast.Diagnosis.Facts;
import io.holdfast.Diagnosis.Probe;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.Handshake;
import io.holdfast.internal.wire.Keys;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Makes a {@link Diagnosis}: asks the server for facts, and tries each ability. */
final class Diagnosing {
    private static final int PINGS = 20;
    private static final int CLOCK_READINGS = 5;
    private static final String LOCK = "holdfast doctor";
    /**
     * The lease duration of the trials. It is longer than the default command timeout, so that a slow machine does not look
     * like a fault.
     */
    private static final Duration TERM = Duration.ofSeconds(10);

    private Diagnosing() {}

    /**
     * Returns the diagnosis. The client must be a separate one without a handshake, since a handshake would refuse bad servers.
     */
    static Diagnosis of(Client client) {
        Inspector inspector = new Inspector(client);
        boolean partitioned = client.server.driver.partitions() > 1;
        String channel = partitioned
                ? Keys.of(client.kit.options.prefix(), LOCK).channelOf(client.kit.ids.client())
                : Keys.channelPrefix(client.kit.options.prefix()) + client.kit.ids.client();
        Optional<Facts> facts = allowed(() -> facts(ask(inspector, "INFO").asString(), partitioned));
        Optional<String> user = allowed(() -> ask(inspector, "ACL", "WHOAMI").asString());
        Optional<Clock> clock = allowed(() -> clock(client, inspector));
        List<Duration> pings = allowed(() -> pings(client, inspector)).orElse(List.of());
        CompletableFuture<String> heard = new CompletableFuture<>();
        List<Probe> probes = new ArrayList<>();
        probes.add(probe(Ability.SCRIPTS, () -> inspector.isLocked(LOCK)));
        probes.add(probe(Ability.BATCHES, () -> batches(client)));
        probes.add(probe(Ability.LOCKING, () -> lock(client)));
        probes.add(probe(Ability.SHARING, () -> share(client, inspector)));
        probes.add(probe(
                Ability.LISTENING,
                () -> await(
                        client,
                        client.server.driver.subscribe(channel, heard::complete).toCompletableFuture())));
        probes.add(probe(Ability.MESSAGES, () -> {
            eitherOf(
                    () -> askAt(channel, inspector, partitioned ? "SPUBLISH" : "PUBLISH", channel, "doctor"),
                    () -> askAt(channel, inspector, "PUBLISH", channel, "doctor"));
            await(client, heard);
        }));
        probes.add(probe(
                Ability.SUBSCRIBERS,
                () -> eitherOf(
                        () -> askAt(channel, inspector, "PUBSUB", partitioned ? "SHARDNUMSUB" : "NUMSUB", channel),
                        () -> askAt(channel, inspector, "PUBSUB", "NUMSUB", channel))));
        probes.add(probe(
                Ability.SEARCHING,
                () -> ask(
                        inspector, "SCAN", "0", "MATCH", Keys.holdPattern(client.kit.options.prefix()), "COUNT", "1")));
        probes.add(probe(Ability.CLIENTS, () -> inspector.askForChannels("none", name -> {})));
        return new Diagnosis(client.server.describe(), facts, user, clock, pings, probes);
    }

    /** Runs the first action, or the second if the server refuses the first. Servers before 7.0 have no sharded channels. */
    private static void eitherOf(Runnable first, Runnable second) {
        try {
            first.run();
        } catch (ServerRefusedException e) {
            second.run();
        }
    }

    private static void askAt(String key, Inspector inspector, String... words) {
        Command command = new Command(key, List.of(words));
        Reply unused = AsyncResults.await(
                inspector.client.server, callback -> inspector.client.server.calls.send(command, callback));
    }

    private static Reply ask(Inspector inspector, String... words) {
        return AsyncResults.await(
                inspector.client.server, callback -> inspector.client.server.calls.send(Command.of(words), callback));
    }

    /** Returns the answer, or empty if the server refuses. */
    private static <T> Optional<T> allowed(Supplier<T> question) {
        try {
            return Optional.of(question.get());
        } catch (ServerRefusedException e) {
            return Optional.empty();
        }
    }

    private static Probe probe(Ability ability, Runnable attempt) {
        try {
            attempt.run();
            return new Probe(ability, Optional.empty());
        } catch (HoldfastException e) {
            return new Probe(ability, Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private static void batches(Client client) {
        List<Keys> some = Handshake.some(client.server.driver, client.kit.options.prefix());
        List<LockInfo> unused =
                AsyncResults.await(client.server, callback -> client.server.adminScripts.info(some, 0, callback));
        if (client.server.atOnce(some.size()) < some.size()) {
            throw new ServerRefusedException(
                    "it divides its keys among servers behind one address, as a proxy does: each lock needs calls of its own",
                    null);
        }
    }

    /** Acquires a lock for a moment. If another diagnosis holds it, that shows as well that the lock can be acquired. */
    private static void lock(Client client) {
        LockOptions options = LockOptions.defaults().withLeaseDuration(TERM).withRenewal(false);
        DistributedLock lock = new DistributedLock(client, Keys.of(client.kit.options.prefix(), LOCK), options, null);
        try {
            Attempt<Lease> attempt = lock.attempt(Wait.none());
            if (attempt instanceof Attempt.Unknown<Lease> unknown) {
                throw unknown.cause();
            }
            attempt.asOptional().ifPresent(Lease::release);
        } catch (InterruptedException e) {
            throw interrupted(client, e);
        }
    }

    /**
     * Acquires a read/write lock for a moment, to read, and extends it. If a writer holds it, that shows as well that it can be
     * acquired.
     */
    private static void share(Client client, Inspector inspector) {
        LockOptions options = LockOptions.defaults().withLeaseDuration(TERM).withRenewal(false);
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.READ_WRITE, LOCK);
        DistributedLock lock = new DistributedReadWriteLock(client, keys, options).read();
        // What scripts ask only when it is renewed, or where something is not as usual.
        askAt(keys.members(), inspector, "ZMSCORE", keys.members(), "@");
        askAt(keys.hold(), inspector, "HLEN", keys.hold());
        askAt(keys.hold(), inspector, "HKEYS", keys.hold());
        try {
            Attempt<Lease> attempt = lock.attempt(Wait.none());
            if (attempt instanceof Attempt.Unknown<Lease> unknown) {
                throw unknown.cause();
            }
            attempt.asOptional().ifPresent(lease -> {
                try {
                    lease.extend(TERM.multipliedBy(2));
                } finally {
                    lease.release();
                }
            });
        } catch (InterruptedException e) {
            throw interrupted(client, e);
        }
    }

    private static void await(Client client, CompletableFuture<?> answer) {
        long limit = client.kit.options.commandTimeout().toMillis();
        try {
            answer.get(limit, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new ServerUnreachableException("nothing came within " + limit + " ms", e);
        } catch (InterruptedException e) {
            throw interrupted(client, e);
        } catch (ExecutionException e) {
            throw AsyncResults.explained(client.server, e);
        }
    }

    private static ServerUnreachableException interrupted(Client client, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ServerUnreachableException("interrupted while asking " + client.server.describe(), e);
    }

    private static List<Duration> pings(Client client, Inspector inspector) {
        List<Duration> pings = new ArrayList<>();
        for (int i = 0; i < PINGS; i++) {
            long begin = client.kit.nanoTime();
            ask(inspector, "PING");
            pings.add(Duration.ofNanos(client.kit.nanoTime() - begin));
        }
        Collections.sort(pings);
        return pings;
    }

    private static Clock clock(Client client, Inspector inspector) {
        Clock best = reading(client, inspector);
        for (int i = 1; i < CLOCK_READINGS; i++) {
            Clock next = reading(client, inspector);
            best = next.roundTrip().compareTo(best.roundTrip()) < 0 ? next : best;
        }
        return best;
    }

    private static Clock reading(Client client, Inspector inspector) {
        // The wall clock, which no lock depends on: this one number is about nothing else.
        Instant here = Instant.now();
        long begin = client.kit.nanoTime();
        List<Reply> time = ask(inspector, "TIME").asList();
        Duration roundTrip = Duration.ofNanos(client.kit.nanoTime() - begin);
        Instant there =
                Instant.ofEpochSecond(time.get(0).asLong()).plus(time.get(1).asLong(), ChronoUnit.MICROS);
        return new Clock(Duration.between(here.plus(roundTrip.dividedBy(2)), there), roundTrip);
    }

    private static Facts facts(String info, boolean asCluster) {
        Map<String, String> facts = Handshake.parse(info);
        String redis = facts.getOrDefault("redis_version", "");
        String product = product(facts);
        List<String> failed = new ArrayList<>();
        for (String name : List.of("rdb_last_bgsave_status", "aof_last_bgrewrite_status", "aof_last_write_status")) {
            if (!facts.getOrDefault(name, "ok").equals("ok")) {
                failed.add(name);
            }
        }
        return new Facts(
                product,
                facts.getOrDefault(product + "_version", redis),
                !redis.isEmpty() && !Handshake.atLeast62(redis),
                !facts.getOrDefault("role", "master").equals("slave"),
                (int) number(facts, "connected_slaves"),
                !asCluster && facts.getOrDefault("cluster_enabled", "0").equals("1"),
                number(facts, "used_memory"),
                number(facts, "maxmemory"),
                facts.getOrDefault("maxmemory_policy", ""),
                failed);
    }

    /**
     * Returns the product. Compatible servers report a Redis version for clients that look at it, and also a version of their
     * own.
     */
    private static String product(Map<String, String> facts) {
        for (String each : List.of("valkey", "dragonfly", "garnet", "kvrocks")) {
            if (!facts.getOrDefault(each + "_version", "").isEmpty()) {
                return each;
            }
        }
        boolean keydb = facts.containsKey("mvcc_depth")
                || facts.getOrDefault("executable", "").endsWith("keydb-server");
        return keydb ? "keydb" : "redis";
    }

    private static long number(Map<String, String> facts, String name) {
        try {
            return Long.parseLong(facts.getOrDefault(name, "0"));
        } catch (NumberFormatException e) {
            return 0; // a server that speaks the protocol and tells something else
        }
    }
}
