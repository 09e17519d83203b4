package io.holdfast.internal.safety;

import io.holdfast.Attempt.Reason;
import io.holdfast.LockOptions;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.Deadlines;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What a lease waits for after its grant, where the options ask for it: that replicas have it, and that no lease of before a
 * failover can be valid any more.
 *
 * <p><b>Replicas.</b> A lease lives by what they have: after the grant, and after each renewal and extension, which move its
 * deadline only when enough of them have it, too. {@code WAIT} waits for what its own connection wrote last, and keeps that
 * connection busy. So for each server, and each number of replicas, there is a second connection, on which a mark is written
 * afterwards: a replica that has the mark has what was written before.
 *
 * <p><b>Quarantine.</b> A marker on the server tells since when which process of it has its memory. After each grant the
 * server is asked whether the marker is its own, and old enough ({@code memory.lua}). The question comes after the grant, so
 * the answer also speaks of the memory in which the grant was made, or of a later one, which knows less.
 */
public final class Assurance {
    /**
     * What can be said of a grant.
     *
     * @param missing null if nothing is
     */
    public record Assured(@Nullable Reason missing, int replicas) {}

    /** What was granted, and waits to be good enough. */
    public interface Granted {
        Demand demand();

        /** Whether whoever asked stops waiting before a moment. */
        boolean waitEndsBefore(long nanos);

        /** Whether nothing is asked for or held any more. */
        boolean isOver();
    }

    /**
     * A second connection to one server. It is closed when the server has been replaced and nobody waits on it any more:
     * what was written there before may yet be confirmed.
     */
    private static final class Second {
        final CompletableFuture<RedisDriver> opening = new CompletableFuture<>();
        volatile long heardNanos; // when something was answered last
        int uses; // guarded by lock
        boolean retired; // guarded by lock

        Second(long now) {
            heardNanos = now;
        }
    }

    /** Whose waits are on one connection: a wait for more replicas than there are would hold up those for fewer. */
    private record Purpose(RedisDriver master, int replicas) {}

    private static final long RETRY_NANOS = 100_000_000L;
    private static final String MARK_MILLIS = "1000";
    /** A plain SET would be refused at maxmemory, and with it each renewal; after a write that is allowed, it passes. */
    private static final String MARK = "-- mark.lua: a write that comes after others, for WAIT\n"
            + "redis.call('DEL', KEYS[1]) return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])";

    private final Kit kit;
    private final Server server;
    private final Duration quarantine;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Purpose, Second> seconds = new HashMap<>(); // guarded by lock

    private boolean closed; // guarded by lock

    public Assurance(Kit kit, Server server) {
        this.kit = kit;
        this.server = server;
        Duration longest = kit.options.quarantine();
        this.quarantine = longest.plusNanos(Deadlines.drift(longest.toNanos()));
    }

    /** Whether leases are held back until the server knows all that it has granted. */
    public boolean keepsOut() {
        return !kit.options.quarantine().isZero();
    }

    /** A quarantine that is to begin begins now, and not with the first grant. */
    public void begin() {
        changed(partition -> true);
    }

    public boolean isWanted(LockOptions options) {
        return options.replicas() > 0 || keepsOut();
    }

    /** Begins when the lock is granted. */
    public CompletableFuture<Assured> of(Granted request) {
        CompletableFuture<Assured> result = new CompletableFuture<>();
        if (keepsOut()) {
            outliveQuarantine(request, result);
        } else {
            replicate(request, result);
        }
        return result;
    }

    // ---- the quarantine

    private void outliveQuarantine(Granted request, CompletableFuture<Assured> result) {
        int partition = server.partition(request.demand().keys());
        ask(partition, (left, failure) -> {
            boolean refused = failure != null
                    && (failure.code().equals("NOPERM") || failure.code().equals("ERR"));
            long wait = left == null ? RETRY_NANOS : left * 1_000_000;
            boolean pointless = left != null && request.waitEndsBefore(kit.nanoTime() + wait);
            if (left != null && left == 0) {
                replicate(request, result);
            } else if (failure != null && refused) {
                result.completeExceptionally(failure);
            } else if (kit.isClosed() || pointless || request.isOver()) {
                result.complete(new Assured(Reason.QUARANTINE, 0));
            } else {
                // A server that does not answer is asked until it does, or its lease is over.
                kit.schedule(wait, () -> outliveQuarantine(request, result));
            }
        });
    }

    /** Asks the server of a partition for how many milliseconds it may not know all that it granted. */
    private void ask(int partition, BiConsumer<@Nullable Long, @Nullable DriverException> callback) {
        RedisDriver master = server.driver.master(partition);
        if (master == null) {
            callback.accept(
                    null, DriverException.unknown(server.describe() + " has no server for this lock now", null));
        } else {
            server.quorumScripts.memory(
                    master,
                    markerOn(master),
                    quarantine,
                    false,
                    "",
                    (memory, failure) -> callback.accept(memory == null ? null : memory.forgottenMillis(), failure));
        }
    }

    /** The first name of a marker whose key is on this server: the same for every client of a cluster. */
    private String markerOn(RedisDriver master) {
        String marker = Keys.marker(kit.options.prefix(), 0);
        for (int i = 1;
                i < server.driver.partitions() && server.driver.master(server.driver.partition(marker)) != master;
                i++) {
            marker = Keys.marker(kit.options.prefix(), i);
        }
        return marker;
    }

    /** The connections to the servers of some partitions are new. */
    public void changed(IntPredicate partitions) {
        if (!keepsOut()) {
            return;
        }
        Set<RedisDriver> asked = new HashSet<>();
        for (int i = 0; i < server.driver.partitions(); i++) {
            RedisDriver master = partitions.test(i) ? server.driver.master(i) : null;
            if (master != null && asked.add(master)) {
                ask(i, (left, failure) -> {});
            }
        }
    }

    // ---- replicas

    private void replicate(Granted request, CompletableFuture<Assured> result) {
        Demand demand = request.demand();
        LockOptions options = demand.options();
        if (options.replicas() == 0) {
            result.complete(new Assured(null, 0));
        } else {
            RedisDriver master = server.masterOf(demand.keys());
            replicate(master, demand.keys(), options.replicas(), options.replicaTimeout(), result);
        }
    }

    /**
     * Waits until replicas have what was written before; the outcome tells how many do.
     *
     * @param master where it was written
     * @param keys of one of the locks that it was about
     */
    public CompletableFuture<Assured> ofRenewal(@Nullable RedisDriver master, Keys keys, int wanted, Duration limit) {
        CompletableFuture<Assured> result = new CompletableFuture<>();
        if (master != server.masterOf(keys)) {
            // The new master may not have it, and would speak of its own replicas.
            result.completeExceptionally(
                    DriverException.unknown(server.describe() + " now has another server for this lock", null));
        } else {
            replicate(master, keys, wanted, limit, result);
        }
        return result;
    }

    private void replicate(
            @Nullable RedisDriver master, Keys keys, int wanted, Duration limit, CompletableFuture<Assured> result) {
        if (master == null) {
            result.completeExceptionally(
                    DriverException.unknown(server.describe() + " has no server for this lock now", null));
            return;
        }
        Second connection = second(new Purpose(master, wanted), keys);
        result.whenComplete((assured, failure) -> leave(connection));
        connection.opening.whenComplete((second, failure) -> {
            if (second == null) {
                result.completeExceptionally(
                        failure instanceof DriverException known
                                ? known
                                : DriverException.unknown("no second connection: " + failure, failure));
                return;
            }
            String mark = keys.replicated();
            long sent = kit.nanoTime();
            var marked = second.send(new Command(mark, List.of("EVAL", MARK, "1", mark, MARK_MILLIS)));
            var waited = second.send(Command.of("WAIT", Integer.toString(wanted), Long.toString(limit.toMillis())));
            // Others may be waited for on this connection before.
            kit.schedule(limit.plus(kit.options.commandTimeout()).toNanos(), () -> {
                boolean late = result.completeExceptionally(DriverException.unknown(
                        second.describe() + " did not answer whether replicas have what was written", null));
                if (late && connection.heardNanos - sent < 0) {
                    connection.heardNanos = kit.nanoTime(); // once for all that wait
                    second.reconnect(); // else it is silent for as long as TCP takes to give up
                }
            });
            // Without the mark, WAIT would speak of an earlier one.
            marked.thenCombine(waited, (ok, count) -> count).whenComplete((reply, problem) -> {
                connection.heardNanos = kit.nanoTime();
                replicated(wanted, reply, problem, result);
            });
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
        result.complete(new Assured(count >= wanted ? null : Reason.TOO_FEW_REPLICAS, count));
    }

    /** The second connection to a server, for one use: whoever asks for it {@linkplain #leave leaves} it. */
    private Second second(Purpose purpose, Keys keys) {
        Second made = new Second(kit.nanoTime());
        List<Second> unused = new ArrayList<>(); // closed once the lock is free
        lock.lock();
        try {
            Second present = seconds.get(purpose);
            if (present != null && !present.opening.isCompletedExceptionally()) {
                present.uses++;
                return present;
            }
            if (closed) {
                made.opening.completeExceptionally(DriverException.unknown("the client is closed", null));
                return made;
            }
            List<RedisDriver> masters = server.driver.masters();
            seconds.entrySet().removeIf(other -> {
                boolean gone = !masters.contains(other.getKey().master());
                if (gone) {
                    other.getValue().retired = true;
                    if (other.getValue().uses == 0) {
                        unused.add(other.getValue());
                    }
                }
                return gone;
            });
            made.uses = 1;
            seconds.put(purpose, made);
        } finally {
            lock.unlock();
        }
        unused.forEach(Assurance::close);
        try {
            Thread opener =
                    new Thread(() -> open(made, purpose.master(), keys), "holdfast-replicas-" + kit.ids.client());
            opener.setDaemon(true);
            opener.start();
        } catch (RuntimeException | Error e) {
            notOpened(made, e); // there may be no room for another thread
        }
        return made;
    }

    private static void open(Second made, RedisDriver master, Keys keys) {
        try {
            made.opening.complete(master.another(keys.hold()));
        } catch (RuntimeException | Error e) {
            notOpened(made, e); // whatever it is: all who want this connection wait for it
        }
    }

    private static void notOpened(Second made, Throwable e) {
        made.opening.completeExceptionally(
                e instanceof DriverException known ? known : DriverException.unknown("no second connection: " + e, e));
    }

    private void leave(Second second) {
        boolean unused;
        lock.lock();
        try {
            second.uses--;
            unused = second.retired && second.uses == 0;
        } finally {
            lock.unlock();
        }
        if (unused) {
            close(second);
        }
    }

    public void close() {
        List<Second> open;
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

    private static void close(Second second) {
        second.opening.whenComplete((driver, failure) -> {
            if (driver != null) {
                driver.close();
            }
        });
    }
}
