package io.holdfast;

import io.holdfast.Attempt.Unconfirmed.Reason;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What a lease waits for after its grant, where the options ask for it: that replicas have it, and that no lease of before a
 * failover can be valid any more.
 *
 * <p><b>Replicas.</b> {@code WAIT} waits for what its own connection wrote last, and keeps that connection busy. So each
 * server has a second connection, on which a mark is written after the grant: a replica that has the mark has the grant.
 *
 * <p><b>Quarantine.</b> A server is known by its run id, which is drawn when it starts: another one means that somebody
 * else has taken over, or that it was restarted. Until it is known after a reconnect, nothing is handed out.
 */
final class Assurance {
    /** @param missing null if nothing is */
    record Assured(@Nullable Reason missing, int replicas) {}

    /**
     * What is known of the server of a partition.
     *
     * @param runId "" if it does not tell
     * @param checking whether the connection is new, and it is yet to be seen who is there
     * @param safeNanos when the quarantine ends
     */
    private record Server(String runId, boolean checking, long safeNanos) {}

    private static final long RECHECK_NANOS = 200_000_000L;
    private static final long POLL_NANOS = 20_000_000L;
    private static final String MARK_MILLIS = "1000";

    private final Client client;
    private final long quarantineNanos;
    private final AtomicReferenceArray<Server> servers; // by partition; meaningful with a quarantine only
    private final ReentrantLock lock = new ReentrantLock();
    /** Second connections, by the driver of their server. */
    private final Map<RedisDriver, CompletableFuture<RedisDriver>> seconds = new HashMap<>(); // guarded by lock

    private boolean closed; // guarded by lock

    Assurance(Client client) {
        this.client = client;
        this.quarantineNanos = client.options.failoverQuarantine().toNanos();
        Server[] unknown = new Server[quarantineNanos > 0 ? client.driver.partitions() : 0];
        Arrays.fill(unknown, new Server("", true, 0));
        this.servers = new AtomicReferenceArray<>(unknown);
    }

    /** Begins to look who is there. */
    void begin() {
        if (quarantineNanos > 0) {
            check(partition -> true, true);
        }
    }

    boolean isWanted(Request request) {
        return request.options.replicas() > 0 || quarantineNanos > 0;
    }

    /** Begins when the lock is granted. */
    CompletableFuture<Assured> of(Request request) {
        CompletableFuture<Assured> result = new CompletableFuture<>();
        if (quarantineNanos > 0) {
            outliveQuarantine(request, result);
        } else {
            replicate(request, result);
        }
        return result;
    }

    // ---- the quarantine

    private void outliveQuarantine(Request request, CompletableFuture<Assured> result) {
        long now = client.ticker.nanoTime();
        Server server = servers.get(client.driver.partition(request.keys.hold()));
        long left = server.checking() ? POLL_NANOS : server.safeNanos() - now;
        if (left <= 0) {
            replicate(request, result);
            return;
        }
        // Who is there is known soon, unless nobody answers, which ends the lease, too.
        boolean pointless = !server.checking() && request.waitEndsBefore(server.safeNanos());
        if (client.isClosed() || pointless || request.isOver()) {
            result.complete(new Assured(Reason.QUARANTINE, 0));
        } else {
            client.timers.schedule(left, () -> outliveQuarantine(request, result));
        }
    }

    /** The connections to the servers of some partitions are new. */
    void changed(IntPredicate partitions) {
        if (quarantineNanos > 0) {
            for (int i = 0; i < servers.length(); i++) {
                if (partitions.test(i)) {
                    servers.updateAndGet(i, server -> new Server(server.runId(), true, server.safeNanos()));
                }
            }
            check(partitions, false);
        }
    }

    /** Asks the servers who they are. */
    private void check(IntPredicate partitions, boolean first) {
        Map<RedisDriver, CompletableFuture<Map<String, String>>> asked = new HashMap<>();
        for (int i = 0; i < servers.length(); i++) {
            RedisDriver master = partitions.test(i) ? client.driver.master(i) : null;
            if (master != null && !asked.containsKey(master)) {
                asked.put(master, facts(master));
            }
        }
        asked.forEach((master, facts) -> facts.whenComplete((known, failure) -> {
            if (known == null
                    && !(failure instanceof DriverException refused
                            && refused.code().equals("NOPERM"))) {
                if (!client.isClosed()) {
                    client.timers.schedule(RECHECK_NANOS, () -> check(partitions, first));
                }
                return;
            }
            Map<String, String> told = known == null ? Map.of() : known;
            for (int i = 0; i < servers.length(); i++) {
                if (partitions.test(i) && client.driver.master(i) == master) {
                    servers.updateAndGet(i, before -> judged(before, told, first));
                }
            }
        }));
    }

    private CompletableFuture<Map<String, String>> facts(RedisDriver master) {
        CompletableFuture<Map<String, String>> facts = new CompletableFuture<>();
        client.commands.send(master, Command.of("INFO"), (reply, failure) -> {
            if (reply != null) {
                facts.complete(Handshake.parse(reply.asString()));
            } else if (failure != null) {
                facts.completeExceptionally(failure);
            }
        });
        return facts;
    }

    private Server judged(Server before, Map<String, String> facts, boolean first) {
        String runId = facts.getOrDefault("run_id", "");
        long now = client.ticker.nanoTime();
        boolean same = !runId.isEmpty() && (first ? isLongStanding(facts) : runId.equals(before.runId()));
        if (same) {
            return new Server(runId, false, before.checking() && first ? now : before.safeNanos());
        }
        return new Server(runId, false, now + quarantineNanos);
    }

    /** Whether it has been the master since it was started, and that is longer ago than the quarantine. */
    private boolean isLongStanding(Map<String, String> facts) {
        long uptime;
        try {
            uptime = Long.parseLong(facts.getOrDefault("uptime_in_seconds", "0"));
        } catch (NumberFormatException e) {
            return false;
        }
        return "-1".equals(facts.get("second_repl_offset")) && (uptime - 1) * 1_000_000_000L > quarantineNanos;
    }

    // ---- replicas

    private void replicate(Request request, CompletableFuture<Assured> result) {
        int wanted = request.options.replicas();
        if (wanted == 0) {
            result.complete(new Assured(null, 0));
            return;
        }
        RedisDriver master = client.driver.master(client.driver.partition(request.keys.hold()));
        if (master == null) {
            result.completeExceptionally(
                    DriverException.unknown(client.driver.describe() + " has no server for this lock now", null));
            return;
        }
        second(master, request.keys).whenComplete((second, failure) -> {
            if (second == null) {
                result.completeExceptionally(
                        failure instanceof DriverException known
                                ? known
                                : DriverException.unknown("no second connection: " + failure, failure));
                return;
            }
            String mark = request.keys.replicated();
            long limit = request.options.replicaTimeout().toNanos();
            var marked = second.send(new Command(mark, List.of("SET", mark, "1", "PX", MARK_MILLIS)));
            var waited = second.send(Command.of(
                    "WAIT",
                    Integer.toString(wanted),
                    Long.toString(request.options.replicaTimeout().toMillis())));
            // Others may be waited for on this connection before.
            client.timers.schedule(
                    limit + client.options.commandTimeout().toNanos(),
                    () -> result.completeExceptionally(DriverException.unknown(
                            second.describe() + " did not answer whether replicas have the grant", null)));
            // Without the mark, WAIT would speak of an earlier one.
            marked.thenCombine(waited, (ok, count) -> count)
                    .whenComplete((reply, problem) -> replicated(wanted, reply, problem, result));
        });
    }

    private static void replicated(
            int wanted, @Nullable Reply reply, @Nullable Throwable problem, CompletableFuture<Assured> result) {
        if (reply == null) {
            Throwable cause = problem != null && problem.getCause() != null ? problem.getCause() : problem;
            result.completeExceptionally(
                    cause instanceof DriverException known
                            ? known
                            : DriverException.unknown("WAIT failed: " + cause, cause));
            return;
        }
        int count = (int) reply.asLong();
        result.complete(new Assured(count >= wanted ? null : Reason.REPLICAS, count));
    }

    private CompletableFuture<RedisDriver> second(RedisDriver master, Keys keys) {
        CompletableFuture<RedisDriver> opening = new CompletableFuture<>();
        List<CompletableFuture<RedisDriver>> unused = new ArrayList<>(); // closed once the lock is free
        lock.lock();
        try {
            CompletableFuture<RedisDriver> present = seconds.get(master);
            if (present != null && !present.isCompletedExceptionally()) {
                return present;
            }
            if (closed) {
                opening.completeExceptionally(DriverException.unknown("the client is closed", null));
                return opening;
            }
            List<RedisDriver> masters = client.driver.masters();
            seconds.entrySet().removeIf(other -> {
                boolean gone = !masters.contains(other.getKey());
                if (gone) {
                    unused.add(other.getValue());
                }
                return gone;
            });
            seconds.put(master, opening);
        } finally {
            lock.unlock();
        }
        unused.forEach(Assurance::close);
        Thread opener = new Thread(
                () -> {
                    try {
                        opening.complete(master.another(keys.hold()));
                    } catch (RuntimeException e) {
                        opening.completeExceptionally(
                                e instanceof DriverException known
                                        ? known
                                        : DriverException.unknown("no second connection: " + e, e));
                    }
                },
                "holdfast-replicas-" + client.ids.client());
        opener.setDaemon(true);
        opener.start();
        return opening;
    }

    void close() {
        List<CompletableFuture<RedisDriver>> open;
        lock.lock();
        try {
            closed = true;
            open = List.copyOf(seconds.values());
            seconds.clear();
        } finally {
            lock.unlock();
        }
        open.forEach(Assurance::close);
    }

    private static void close(CompletableFuture<RedisDriver> second) {
        second.whenComplete((driver, failure) -> {
            if (driver != null) {
                driver.close();
            }
        });
    }
}
