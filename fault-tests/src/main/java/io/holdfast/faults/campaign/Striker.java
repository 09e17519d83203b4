package io.holdfast.faults.campaign;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import io.holdfast.faults.history.History.Disturbance;
import io.holdfast.faults.subjects.Way;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Makes one kind of fault happen, and notes when it began and when all was healed. For use by one thread at a time. */
final class Striker {
    /** Scripts have no clock that all servers let run on: they count. */
    private static final String BUSY = "local sum = 0 for i = 1, tonumber(ARGV[1]) do sum = sum + i % 7 end return sum";

    private static final long SAMPLE = 1_000_000;

    /** After so long a driver has replaced a connection for messages that has died silently, and subscribed again. */
    private static final Duration NOTICED = Duration.ofSeconds(12);

    private final Fault fault;
    private final Servers servers;
    private final Crew crew;
    private final ServerClock clock;
    private final Duration term;
    private final Way way;
    private final String name; // of a lock that a fault may be about
    private final String lock; // as it stands in the braces of its keys
    private final Random random;

    Striker(
            Fault fault,
            Servers servers,
            Crew crew,
            ServerClock clock,
            Duration term,
            Way way,
            String name,
            Random random) {
        this.fault = fault;
        this.servers = servers;
        this.crew = crew;
        this.clock = clock;
        this.term = term;
        this.way = way;
        this.name = name;
        lock = way.tag(name);
        this.random = random;
    }

    /** Lets each happen once, at the same time, and returns when all are over. */
    static void strikeTogether(List<Striker> strikers) {
        List<FutureTask<?>> others = new ArrayList<>();
        for (Striker each : strikers.subList(1, strikers.size())) {
            FutureTask<?> other = new FutureTask<>(each::strike, each);
            TcpProxy.start("strike-" + each.fault.label(), other);
            others.add(other);
        }
        strikers.get(0).strike();
        for (FutureTask<?> other : others) {
            try {
                other.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(
                        "of two faults at a time one could not be made to happen", e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    /** Lets it happen once, and returns when it is over. */
    void strike() {
        switch (fault) {
            case NONE -> {}
            case KILL_PROCESS -> {
                crew.kill(anyWorker(), fault.label());
                crew.start(1);
            }
            case FREEZE_PROCESS -> freezeWorker();
            case FREEZE_SERVER -> toAll(servers.one()::freeze, upToLongerThanATerm(), servers.one()::thaw);
            case RESTART_WITH_DATA, RESTART_EMPTY ->
                toAll(servers.one()::kill, between(100, 800), servers.one()::restart);
            case RESTART_OLDER -> restartOlder();
            case KILL_COMMANDS -> toAll(() -> proxies(each -> each.killConnections(Kind.COMMANDS)));
            case KILL_MESSAGES -> toAll(() -> proxies(each -> each.killConnections(Kind.MESSAGES)));
            case PARTITION_ONE -> partitionOne();
            case PARTITION_ALL ->
                toAll(() -> proxies(each -> each.stall(Kind.ANY)), upToLongerThanATerm(), this::healProxies);
            case REPLIES_HELD ->
                toAll(() -> proxies(each -> each.stallReplies(Kind.ANY)), between(100, 1_500), this::healProxies);
            case REPLIES_LOST ->
                toAll(() -> proxies(each -> each.dropReplies(Kind.ANY)), between(20, 1_000), this::healProxies);
            case REQUESTS_LOST ->
                toAll(() -> proxies(each -> each.dropRequests(Kind.ANY)), between(20, 1_000), this::healProxies);
            case MESSAGES_LOST ->
                toAll(() -> proxies(each -> each.dropReplies(Kind.MESSAGES)), between(20, 3_000), this::healProxies);
            case MESSAGES_DEAD -> letMessagesDie();
            case PACKETS_LOST_ONE -> losePacketsOfOne();
            case PACKETS_LOST_TO ->
                toAll(() -> Firewall.drop(proxyPorts(), true, false), between(200, 3_000), Firewall::clear);
            case PACKETS_LOST_FROM ->
                toAll(() -> Firewall.drop(proxyPorts(), false, true), between(200, 3_000), Firewall::clear);
            case DELAY ->
                toAll(
                        () -> proxies(each -> each.delay(Kind.ANY, Duration.ofMillis(5 + random.nextInt(56)))),
                        between(1_000, 2_000),
                        this::healProxies);
            case SCRIPT_FLUSH -> toAll(() -> servers.one().command("SCRIPT", "FLUSH"));
            case FLUSHALL -> toAll(() -> servers.one().command("FLUSHALL"));
            case CLOCK_FORWARD -> toAll(() -> clock.step(between(1_000, 20_000)));
            case CLOCK_BACK -> toAll(() -> clock.step(between(1_000, 20_000).negated()));
            case SLOW_SCRIPT -> {
                long begin = System.nanoTime();
                servers.one().command("EVAL", BUSY, "0", Long.toString(SAMPLE));
                double aSample = (System.nanoTime() - begin) / 1e9;
                long count = (long) (SAMPLE * (0.3 + random.nextDouble() * 1.2) / aSample);
                toAll(() -> servers.one().command("EVAL", BUSY, "0", Long.toString(count)));
            }
            case PAUSE -> pauseLock();
            case MEMORY_FULL -> toAll(() -> memoryLimit("1mb"), between(200, 2_000), () -> memoryLimit("0"));
            case FAILOVER -> toAll(() -> servers.sentinels().failOver());
            case KILL_MASTER -> killMaster();
            case FREEZE_MASTER -> freezeMaster();
            case SLOT_MOVE -> moveSlot();
            case SLOT_MOVE_ATOMIC -> moveSlotAtomically();
            case FREEZE_MINORITY -> {
                RedisServer node = anyNode();
                toAll(node::freeze, upToLongerThanATerm(), node::thaw);
            }
            case KILL_MINORITY -> {
                RedisServer node = anyNode();
                toAll(node::kill, between(100, 800), node::restart);
                // Until it is out of the quarantine, it is the one that may fail.
                pause(term.plusSeconds(2));
            }
            case FLUSH_MINORITY -> {
                RedisServer node = anyNode();
                toAll(() -> node.command("FLUSHALL"));
                pause(term.plusSeconds(2));
            }
            case FLUSH_MAJORITY -> toAll(this::flushMajority);
        }
    }

    private void restartOlder() {
        RedisServer server =
                servers.nodes().size() > 1 ? anyNode() : servers.masters().get(0);
        save(server);
        pause(between(200, term.toMillis()));
        // A master is back before its sentinels look for another.
        toAll(server::kill, between(0, RedisSentinels.DOWN_AFTER_MILLIS / 4), server::restart);
        // A node is the one that may fail until it is out of the quarantine.
        pause(servers.nodes().size() > 1 ? term.plusSeconds(2) : Duration.ZERO);
    }

    /** A replica that has just come back may make the server save in the background, and meanwhile it saves nothing else. */
    private void save(RedisServer server) {
        while (true) {
            try {
                server.command("SAVE");
                return;
            } catch (DriverException e) {
                if (!String.valueOf(e.getMessage()).contains("save already in progress")) {
                    throw e;
                }
                pause(Duration.ofMillis(50));
            }
        }
    }

    private void freezeWorker() {
        int worker = anyWorker();
        long from = System.nanoTime();
        crew.freeze(worker);
        pause(upToLongerThanATerm().plus(term.dividedBy(2)));
        crew.thaw(worker);
        crew.note(fault.label(), from, worker);
    }

    private void partitionOne() {
        int worker = anyWorker();
        long from = System.nanoTime();
        List<TcpProxy> proxies = servers.proxies(worker);
        proxies.forEach(each -> each.stall(Kind.ANY));
        pause(upToLongerThanATerm().plus(term.dividedBy(2)));
        proxies.forEach(TcpProxy::resume);
        crew.note(fault.label(), from, worker);
    }

    /**
     * Nobody heals it: the clients have to notice. It is noted as moments, between which it lasts: so idle time counts from the
     * first on, and not from the last.
     */
    private void letMessagesDie() {
        toAll(() -> proxies(each -> each.silence(Kind.MESSAGES)));
        for (int i = 0; i < 3; i++) {
            pause(NOTICED.dividedBy(3));
            crew.note(fault.label(), System.nanoTime(), Disturbance.ALL);
        }
    }

    private void losePacketsOfOne() {
        int worker = anyWorker();
        long from = System.nanoTime();
        Firewall.drop(ports(servers.proxies(worker)), true, true);
        pause(upToLongerThanATerm().plus(term.dividedBy(2)));
        Firewall.clear();
        crew.note(fault.label(), from, worker);
    }

    private List<Integer> proxyPorts() {
        return ports(servers.proxies());
    }

    private static List<Integer> ports(List<TcpProxy> proxies) {
        return proxies.stream().map(TcpProxy::port).toList();
    }

    private void killMaster() {
        toAll(() -> {
            if (servers.masters().size() > 1) {
                RedisCluster cluster = servers.cluster();
                cluster.failOver(cluster.masterOf(cluster.slotOf("{" + lock + "}")));
            } else {
                RedisServer master = servers.sentinels().master();
                master.kill();
                servers.sentinels().awaitOtherMasterThan(master);
            }
        });
    }

    private void freezeMaster() {
        RedisServer master = servers.sentinels().master();
        toAll(() -> {
            master.freeze();
            servers.sentinels().awaitOtherMasterThan(master);
        });
        master.thaw();
    }

    private void moveSlot() {
        RedisCluster cluster = servers.cluster();
        int slot = cluster.slotOf("{" + lock + "}");
        RedisServer source = cluster.masterOf(slot);
        RedisServer target = cluster.otherThan(source);
        toAll(() -> cluster.beginMove(slot, source, target), between(50, 800), () -> {
            cluster.moveKeys(slot, source, target);
            cluster.endMove(slot, source, target);
        });
    }

    private void moveSlotAtomically() {
        RedisCluster cluster = servers.cluster();
        int slot = cluster.slotOf("{" + lock + "}");
        RedisServer source = cluster.masterOf(slot);
        toAll(() -> cluster.moveAtOnce(slot, source, cluster.otherThan(source)));
    }

    /** Noted from the time on at which the lock is free, and nothing more may be granted. */
    private void pauseLock() {
        RedisDriverProvider any =
                ServiceLoader.load(RedisDriverProvider.class).findFirst().orElseThrow();
        try (Holdfast operator = Holdfast.over(any.connect(servers.one().address(), ConnectOptions.defaults()))) {
            Admin admin = operator.admin().of(way.kind());
            while (!admin.pause(name, Duration.ofMinutes(1), "")) {
                pause(Duration.ofMillis(20));
            }
            long from = System.nanoTime();
            pause(between(1_000, 3_000));
            crew.note(fault.label(), from, Disturbance.ALL);
            admin.resume(name);
        }
    }

    private void flushMajority() {
        for (RedisServer node : servers.nodes().subList(0, 2)) {
            node.command("FLUSHALL");
            node.admit();
        }
    }

    private void memoryLimit(String limit) {
        servers.one().command("CONFIG", "SET", "maxmemory", limit);
    }

    private void proxies(Consumer<TcpProxy> act) {
        servers.proxies().forEach(act);
    }

    private void healProxies() {
        proxies(TcpProxy::resume);
    }

    private void toAll(Runnable act) {
        toAll(act, Duration.ZERO, () -> {});
    }

    private void toAll(Runnable begin, Duration meanwhile, Runnable end) {
        long from = System.nanoTime();
        try {
            begin.run();
            pause(meanwhile);
            end.run();
        } catch (DriverException e) {
            throw new IllegalStateException(fault.label() + " could not be made to happen", e);
        }
        crew.note(fault.label(), from, Disturbance.ALL);
    }

    private int anyWorker() {
        return crew.living().get(random.nextInt(crew.living().size()));
    }

    private RedisServer anyNode() {
        return servers.nodes().get(random.nextInt(servers.nodes().size()));
    }

    private Duration upToLongerThanATerm() {
        return between(200, term.toMillis() + 1_000);
    }

    private Duration between(long leastMillis, long mostMillis) {
        return Duration.ofMillis(leastMillis + (long) (random.nextDouble() * (mostMillis - leastMillis)));
    }

    /** How long a fault lasts is a part of it: nothing is awaited here. */
    static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)));
        }
    }
}
