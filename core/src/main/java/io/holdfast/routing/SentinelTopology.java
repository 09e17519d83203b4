package io.holdfast.routing;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A master that Sentinels watch: one partition.
 *
 * <p>All sentinels are asked, since one that was cut off names an old master: of their answers, the one with the highest
 * configuration epoch counts, and an epoch lower than one that was seen before never does. An epoch has one master: whoever
 * names another for the epoch that counts is not believed. What they name has to say of itself that it is a master.
 *
 * <p>Each is asked for the epoch first and for the address after that. The sentinel that leads a failover has the new epoch
 * as soon as the replica is promoted, and describes the old master for about a second more; the address that it gives when
 * asked for the address alone is the new one from that moment on.
 */
final class SentinelTopology implements Topology {
    private static final long LOOK_MILLIS = 2_000;
    private static final String SWITCHED = "+switch-master";

    /** What a sentinel answers. */
    private record Master(RedisAddress address, long epoch) {}

    private final List<RedisAddress> sentinels;
    private final String name;
    private final RedisAddress like;
    private final Connector toSentinels;
    private final Map<RedisAddress, RedisDriver> links = new ConcurrentHashMap<>();
    private volatile @Nullable Master newest;
    private volatile boolean closed;
    private volatile String presently;

    /** @param like the user, password, database and encryption of the servers */
    SentinelTopology(List<RedisAddress> sentinels, String name, RedisAddress like, Connector toSentinels) {
        this.sentinels = sentinels;
        this.name = name;
        this.like = like;
        this.toSentinels = toSentinels;
        this.presently = "master '" + name + "'";
    }

    @Override
    public int partitions() {
        return 1;
    }

    @Override
    public int partition(String key) {
        return 0;
    }

    @Override
    public @Nullable RedisAddress[] look(Routes routes) {
        Master master = ask(routes);
        // One that takes longer goes on, and the next look finds it; one that fails is forgotten.
        RedisDriver server = Routes.await(
                routes.nodeAt(master.address()).opened,
                LOOK_MILLIS,
                "no connection to " + master.address().hostAndPort() + " yet");
        try {
            String role = Routes.await(server.send(Command.of("ROLE")), server.describe())
                    .asList()
                    .get(0)
                    .asString();
            if (!role.equals("master")) {
                throw DriverException.unknown(
                        "the sentinels name " + master.address().hostAndPort() + ", which is no master (yet)", null);
            }
        } catch (DriverException e) {
            if (!e.code().equals("NOPERM")) {
                throw e;
            }
        }
        newest = master;
        presently = master.address().hostAndPort() + " (master '" + name + "')";
        return new RedisAddress[] {master.address()};
    }

    private Master ask(Routes routes) {
        int majority = sentinels.size() / 2 + 1;
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger finished = new AtomicInteger();
        AtomicReference<@Nullable Master> best = new AtomicReference<>();
        AtomicReference<@Nullable DriverException> refusal = new AtomicReference<>();
        CompletableFuture<Void> enough = new CompletableFuture<>();
        for (RedisAddress sentinel : sentinels) {
            routes.work(() -> {
                try {
                    Master told = ask(routes, sentinel);
                    best.accumulateAndGet(told, (a, b) -> a == null || (b != null && b.epoch() > a.epoch()) ? b : a);
                    if (answered.incrementAndGet() >= majority) {
                        enough.complete(null);
                    }
                } catch (DriverException e) {
                    refusal.accumulateAndGet(
                            e, (a, b) -> a == null || a.kind() == DriverException.Kind.UNKNOWN ? b : a);
                } finally {
                    if (finished.incrementAndGet() == sentinels.size()) {
                        enough.complete(null);
                    }
                }
            });
        }
        Routes.waitFor(enough, LOOK_MILLIS); // and then with what there is
        Master told = best.get();
        if (told == null) {
            DriverException why = refusal.get();
            throw why == null
                    ? DriverException.unknown("no sentinel answered within " + LOOK_MILLIS + " ms", null)
                    : why;
        }
        Master known = newest;
        if (known != null
                && (told.epoch() < known.epoch()
                        || (told.epoch() == known.epoch() && !told.address().equals(known.address())))) {
            throw DriverException.unknown("the sentinels that answer name an older master than they did before", null);
        }
        return told;
    }

    private Master ask(Routes routes, RedisAddress sentinel) {
        RedisDriver link = links.get(sentinel);
        if (link == null) {
            link = toSentinels.connect(sentinel);
            if (closed || links.putIfAbsent(sentinel, link) != null) {
                link.close();
                throw DriverException.unknown("asked already", null);
            }
            // Without this notice the change is found when the old master does not answer, or by the next look.
            link.subscribe(SWITCHED, message -> routes.lookSoon());
        }
        // In this order, see above.
        List<Reply> facts = ask(link, sentinel, "MASTER").asList();
        long epoch = 0;
        for (int i = 0; i + 1 < facts.size(); i += 2) {
            if (facts.get(i).asString().equals("config-epoch")) {
                epoch = Long.parseLong(facts.get(i + 1).asString());
            }
        }
        Reply address = ask(link, sentinel, "GET-MASTER-ADDR-BY-NAME");
        if (address.isNull()) {
            throw DriverException.unknown(
                    "sentinel " + sentinel.hostAndPort() + " does not know master '" + name + "' any more", null);
        }
        String host = address.asList().get(0).asString();
        int port = Integer.parseInt(address.asList().get(1).asString());
        return new Master(ClusterTopology.at(like, host, port), epoch);
    }

    private Reply ask(RedisDriver link, RedisAddress sentinel, String question) {
        try {
            return Routes.await(link.send(Command.of("SENTINEL", question, name)), sentinel.hostAndPort());
        } catch (DriverException e) {
            if (e.getCause() instanceof TimeoutException) {
                link.reconnect(); // else it is silent for as long as TCP takes to give up
            }
            if (e.kind() == DriverException.Kind.REJECTED) {
                throw DriverException.rejected(
                        e.getMessage() + " (sentinel " + sentinel.hostAndPort() + ", master '" + name + "')");
            }
            throw e;
        }
    }

    @Override
    public String describe() {
        return presently;
    }

    @Override
    public void close() {
        closed = true;
        links.values().forEach(RedisDriver::close);
    }
}
