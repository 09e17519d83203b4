package io.holdfast.routing;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A cluster: 16,384 slots, of which every node can tell where they are. */
final class ClusterTopology implements Topology {
    /** A node that has not answered by then is not waited for alone. */
    private static final long NEXT_MILLIS = 250;
    /** A connector gives up sooner. */
    private static final long LONGEST_CONNECT_MILLIS = 60_000;

    private final List<RedisAddress> seeds;
    private final Connector connector;
    /** All nodes that anybody has told of, replicas too; whoever is asked replaces them. */
    private volatile Set<RedisAddress> known;

    ClusterTopology(List<RedisAddress> seeds, Connector connector) {
        this.seeds = seeds;
        this.connector = connector;
        this.known = new LinkedHashSet<>(seeds);
    }

    @Override
    public int partitions() {
        return Slots.COUNT;
    }

    @Override
    public int partition(String key) {
        return Slots.of(key);
    }

    @Override
    public @Nullable RedisAddress[] look(Routes routes) {
        DriverException last = DriverException.unknown("no node is known", null);
        @Nullable RedisAddress[] doubtful = null;
        for (Node node : routes.nodesByVigour()) {
            RedisDriver open = node.driver();
            if (open != null) {
                try {
                    boolean well = isWell(open);
                    if (well || doubtful == null) {
                        @Nullable RedisAddress[] told = ask(open, node.address);
                        if (well) {
                            return told;
                        }
                        doubtful = told;
                    }
                } catch (DriverException e) {
                    last = e;
                }
            }
        }
        if (doubtful != null) {
            return doubtful;
        }
        return askOthers(routes, last);
    }

    /** Asks nodes that are not connected. A node that is silent for a while does not keep the next one from being asked. */
    private @Nullable RedisAddress[] askOthers(Routes routes, DriverException before) {
        Set<RedisAddress> candidates = new LinkedHashSet<>(seeds);
        candidates.addAll(known);
        CompletableFuture<@Nullable RedisAddress[]> told = new CompletableFuture<>();
        AtomicReference<DriverException> last = new AtomicReference<>(before);
        CompletableFuture<Void> failed = CompletableFuture.completedFuture(null);
        for (RedisAddress candidate : candidates) {
            CompletableFuture<Void> one = new CompletableFuture<>();
            failed = CompletableFuture.allOf(failed, one);
            routes.work(() -> {
                try (RedisDriver open = connector.connect(candidate)) {
                    told.complete(ask(open, candidate));
                } catch (RuntimeException | Error e) {
                    // Of several reasons, an answer tells more than silence.
                    DriverException failure = Node.failureOf(e);
                    last.updateAndGet(seen -> seen.kind() == DriverException.Kind.REJECTED ? seen : failure);
                } finally {
                    one.complete(null);
                }
            });
            Routes.waitFor(CompletableFuture.anyOf(told, one), NEXT_MILLIS);
            if (told.isDone()) {
                break;
            }
        }
        Routes.waitFor(CompletableFuture.anyOf(told, failed), LONGEST_CONNECT_MILLIS);
        if (!told.isDone()) {
            throw last.get();
        }
        return told.join();
    }

    /** A master that is cut off from the others believes in its slots, but says that the cluster fails. */
    private static boolean isWell(RedisDriver open) {
        try {
            return Routes.await(open.send(Command.of("CLUSTER", "INFO")), open.describe())
                    .asString()
                    .contains("cluster_state:ok");
        } catch (DriverException e) {
            if (e.kind() == DriverException.Kind.REJECTED) {
                return true; // not allowed to ask
            }
            throw e;
        }
    }

    private @Nullable RedisAddress[] ask(RedisDriver open, RedisAddress from) {
        List<Reply> ranges = Routes.await(open.send(Command.of("CLUSTER", "SLOTS")), open.describe())
                .asList();
        @Nullable RedisAddress[] owners = new RedisAddress[Slots.COUNT];
        Set<RedisAddress> told = new LinkedHashSet<>();
        for (Reply range : ranges) {
            List<Reply> parts = range.asList();
            List<RedisAddress> servers = new ArrayList<>();
            for (Reply server : parts.subList(2, parts.size())) {
                servers.add(addressOf(server.asList(), from));
            }
            told.addAll(servers);
            for (int slot = (int) parts.get(0).asLong(); slot <= parts.get(1).asLong(); slot++) {
                owners[slot] = servers.get(0);
            }
        }
        if (told.isEmpty()) {
            throw DriverException.unknown(open.describe() + " knows of no node that has a slot", null);
        }
        known = told;
        return owners;
    }

    /** A node whose own name is not known is at the address of the one that tells. */
    private static RedisAddress addressOf(List<Reply> server, RedisAddress from) {
        Reply host = server.get(0);
        String name =
                host.isNull() || host.asString().isEmpty() || host.asString().equals("?")
                        ? from.host()
                        : host.asString();
        return at(from, name, (int) server.get(1).asLong());
    }

    static RedisAddress at(RedisAddress like, String host, int port) {
        return new RedisAddress(host, port, like.tls(), like.user(), like.password(), like.database());
    }

    @Override
    public String describe() {
        return "the cluster at " + seeds.get(0).host() + ":" + seeds.get(0).port();
    }

    @Override
    public void close() {
        // Nothing stays open.
    }
}
