package io.holdfast.routing;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Which server has which partition, by a table that is looked up anew whenever it may be wrong; and the servers themselves,
 * each connected to as soon as somebody names it and closed when the table no longer does. Tells the listeners of commands
 * which partitions have another server, or have theirs back.
 *
 * <p><b>Threads.</b> The table changes on the lane only, and there the followers hear of it. Looking up blocks, and so runs
 * on a worker, for the first time on the thread that opens the routes; one look at a time. Reading, asking for a look and
 * naming a server are for every thread.
 */
final class Routes {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final String FAILED = "looking up the routes failed";
    private static final long ANSWER_MILLIS = 1_000;
    private static final long LOOK_EVERY_MILLIS = 30_000;
    private static final long SOON_MILLIS = 100;
    private static final long TICK_MILLIS = 250;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long GIVEN_UP_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** Keeps something at the server of each partition, and moves it when that is another. Told on the lane. */
    interface Follower {
        /** Some partitions have another server now. Told before anybody hears that commands can be sent there. */
        void moved(BitSet partitions);

        /** Messages of this server come again. */
        void messagesUp(Node node);

        /** Messages of this server may be missed from here on. */
        void messagesDown(Node node);
    }

    private final Topology topology;
    private final Connector connector;
    private final Lane lane;
    private final List<ConnectionListener> listeners;
    private final List<Follower> followers = new CopyOnWriteArrayList<>();
    private final Map<RedisAddress, Node> nodes = new ConcurrentHashMap<>();
    private final AtomicBoolean lookWanted = new AtomicBoolean();
    /** The server of each partition; null where nobody has it. Replaced on the lane, never changed. */
    private volatile @Nullable Node[] table;

    private volatile boolean closed;
    private boolean looking = true; // belongs to the lane; from the start, since whoever opens looks
    private long lastLookNanos = System.nanoTime(); // belongs to the lane

    /** @param listeners told on the lane; may grow */
    Routes(Topology topology, Connector connector, Lane lane, List<ConnectionListener> listeners) {
        this.topology = topology;
        this.connector = connector;
        this.lane = lane;
        this.listeners = listeners;
        this.table = new Node[topology.partitions()];
    }

    /**
     * Looks up the table for the first time. Blocks until the servers in it are connected, or some, and time is up. Called
     * once, before anything else.
     *
     * @throws DriverException if nobody tells, or none of the servers can be connected to
     */
    void open(Follower follower, long deadline) {
        followers.add(follower);
        while (true) {
            DriverException failure;
            try {
                @Nullable RedisAddress[] owners = topology.look(this);
                awaitOpened(
                        CompletableFuture.supplyAsync(() -> install(owners), lane::enter)
                                .join(),
                        deadline);
                break;
            } catch (DriverException e) {
                failure = e;
            }
            // Somebody who says no will say it again; who does not answer may be on the way up, or on the way out.
            if (failure.kind() == DriverException.Kind.REJECTED
                    || System.nanoTime() + SOON_MILLIS * 1_000_000 - deadline > 0) {
                throw failure;
            }
            LockSupport.parkNanos(SOON_MILLIS * 1_000_000);
            if (Thread.currentThread().isInterrupted()) {
                throw DriverException.unknown("interrupted while connecting to " + topology.describe(), null);
            }
        }
        lane.enter(() -> looking = false);
        lane.enterIn(TICK_MILLIS, this::tick);
    }

    private void awaitOpened(Set<Node> servers, long deadline) {
        DriverException failure = null;
        boolean some = false;
        for (Node node : servers) {
            try {
                long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
                await(node.opened, left, node.address.hostAndPort() + " did not answer in time");
                some = true;
            } catch (DriverException e) {
                failure = e;
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
        }
        if (!some) {
            throw failure == null ? DriverException.unknown(topology.describe() + " serves nothing", null) : failure;
        }
    }

    // ---- for every thread

    /** The server of a partition; null if nobody has it. */
    @Nullable
    Node at(int partition) {
        return table[partition];
    }

    /** What to say to those who want something of a partition that nobody has. */
    DriverException unserved(int partition) {
        return DriverException.unknown(
                topology.describe() + ": no server has "
                        + (topology.partitions() == 1 ? "been found" : "slot " + partition + " at present"),
                null);
    }

    /** A partition whose server answers, if there is one. */
    int anyPartition() {
        @Nullable Node[] now = table;
        for (int i = 0; i < now.length; i++) {
            Node node = now[i];
            if (node != null && node.driver() != null && node.silentNanos() < SILENT_NANOS) {
                return i;
            }
        }
        return 0;
    }

    /** The servers that have partitions. */
    Set<Node> servers() {
        Set<Node> found = new LinkedHashSet<>();
        Node before = null;
        for (Node node : table) {
            if (node != null && node != before) {
                found.add(node);
                before = node;
            }
        }
        return found;
    }

    /** Looks up the table anew, shortly, however often it is asked for meanwhile. */
    void lookSoon() {
        if (lookWanted.compareAndSet(false, true)) {
            lane.enter(() -> {
                long since = (System.nanoTime() - lastLookNanos) / 1_000_000;
                lane.enterIn(Math.max(0, SOON_MILLIS - since), this::look);
            });
        }
    }

    /** A server has said that one partition is at another than the table says. */
    void moved(int partition, Node target) {
        lane.enter(() -> {
            if (table[partition] == target || nodes.get(target.address) != target) {
                return;
            }
            @Nullable Node[] next = table.clone();
            next[partition] = target;
            replace(next);
            lookSoon(); // where one slot has gone, others may have, too
        });
    }

    /** The server at an address, which is connected to if it is not yet. */
    Node nodeAt(RedisAddress address) {
        Node present = nodes.get(address);
        if (present != null) {
            return present;
        }
        Node node = new Node(address, lane.workers);
        Node faster = nodes.putIfAbsent(address, node);
        if (faster != null) {
            return faster;
        }
        node.open(connector);
        node.opened.whenComplete((driver, failure) -> {
            if (driver == null) {
                nodes.remove(address, node);
                lane.enter(() -> unreachable(node));
            } else if (closed) {
                driver.close();
            } else {
                listenTo(node, driver);
            }
        });
        return node;
    }

    /** Closes the servers, of which more may be named meanwhile. What they were asked ends as they say. */
    void close() {
        closed = true;
        nodes.values().forEach(Node::close);
        topology.close();
    }

    // ---- for topologies, while they look

    /** The servers that are known, those first that answer. */
    List<Node> nodesByVigour() {
        List<Node> list = new ArrayList<>(nodes.values());
        list.sort(Comparator.comparingLong(node -> node.silentNanos() / (SILENT_NANOS / 4)));
        return list;
    }

    /** Does something that blocks, beside whoever looks. */
    void work(Runnable task) {
        lane.work(task);
    }

    /** Blocks for a reply, for a second at most. */
    static Reply await(CompletionStage<Reply> reply, String where) {
        return await(reply, ANSWER_MILLIS, where + " did not answer within " + ANSWER_MILLIS + " ms");
    }

    /**
     * Blocks for something, for a bounded time.
     *
     * @param late what to say if it is not there in time
     * @throws DriverException as that fails; {@code UNKNOWN} if it is late, or this thread is interrupted
     */
    static <T> T await(CompletionStage<T> stage, long millis, String late) {
        try {
            return stage.toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw Node.failureOf(e);
        } catch (TimeoutException e) {
            throw DriverException.unknown(late, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DriverException.unknown("interrupted", e);
        }
    }

    /**
     * Blocks until something is completed in whatever way, for a bounded time: its caller goes on with what there is.
     *
     * @throws DriverException {@code UNKNOWN} if this thread is interrupted
     */
    static void waitFor(CompletionStage<?> stage, long millis) {
        try {
            await(stage, millis, "late");
        } catch (DriverException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
        }
    }

    // ---- on the lane

    private void tick() {
        lane.enterIn(TICK_MILLIS, this::tick);
        boolean silent = false;
        for (Node node : servers()) {
            long silence = node.silentNanos();
            silent |= silence > SILENT_NANOS;
            RedisDriver driver = node.driver();
            if (silence > GIVEN_UP_NANOS && driver != null) {
                node.heard();
                LOG.log(
                        System.Logger.Level.WARNING,
                        () -> driver.describe() + " has answered nothing for " + silence / 1_000_000
                                + " ms: connecting again");
                driver.reconnect();
            }
        }
        if (silent || System.nanoTime() - lastLookNanos > LOOK_EVERY_MILLIS * 1_000_000) {
            lookSoon();
        }
    }

    private void look() {
        if (looking) {
            lane.enterIn(SOON_MILLIS, this::look);
            return;
        }
        lookWanted.set(false);
        looking = true;
        try {
            work(() -> {
                @Nullable RedisAddress[] owners = owners();
                lane.enter(() -> looked(owners));
            });
        } catch (Error e) {
            // There may be no room for another thread. Without a next look no failover would be followed any more.
            LOG.log(System.Logger.Level.ERROR, FAILED, e);
            looked(null);
        }
    }

    /** What the topology tells; null if it does not. On a worker. */
    private @Nullable RedisAddress @Nullable [] owners() {
        try {
            return topology.look(this);
        } catch (DriverException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    () -> topology.describe() + ": no address says which server is the present one: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, FAILED, e);
        }
        return null;
    }

    private void looked(@Nullable RedisAddress @Nullable [] owners) {
        looking = false;
        lastLookNanos = System.nanoTime();
        if (owners != null) {
            install(owners);
        }
        if (owners == null || Arrays.asList(owners).contains(null)) {
            lookSoon();
        }
    }

    /** The servers in the new table, of which some may be known a moment later not to be reachable. */
    private Set<Node> install(@Nullable RedisAddress[] owners) {
        @Nullable Node[] next = new Node[owners.length];
        Map<RedisAddress, Node> named = new HashMap<>();
        for (int i = 0; i < owners.length; i++) {
            RedisAddress owner = owners[i];
            next[i] = owner == null ? null : named.computeIfAbsent(owner, this::nodeAt);
        }
        replace(next);
        Set<Node> used = servers();
        for (Node old : List.copyOf(nodes.values())) {
            if (!used.contains(old) && nodes.remove(old.address, old) && !lane.work(old::close)) {
                old.close(); // the driver is being closed, and did not find it among the others
            }
        }
        return used;
    }

    private void replace(@Nullable Node[] next) {
        @Nullable Node[] old = table;
        BitSet changed = new BitSet(next.length);
        Set<Node> newcomers = new LinkedHashSet<>();
        for (int i = 0; i < next.length; i++) {
            Node node = next[i];
            if (node != null && old[i] != node) {
                changed.set(i);
                newcomers.add(node);
            }
        }
        table = next;
        if (changed.isEmpty()) {
            return;
        }
        // Commands wait for a connection that is being opened; listeners are told when it is, in a later step than
        // this.
        for (Node node : newcomers) {
            node.opened.whenComplete((driver, failure) -> lane.enter(() -> {
                if (driver != null) {
                    listeners.forEach(each -> each.commandsUp(p -> changed.get(p) && table[p] == node));
                }
            }));
        }
        followers.forEach(follower -> follower.moved(changed));
    }

    private void unreachable(Node node) {
        @Nullable Node[] next = table.clone();
        for (int i = 0; i < next.length; i++) {
            next[i] = next[i] == node ? null : next[i];
        }
        table = next;
        lookSoon();
    }

    /** What its connections tell becomes a step on the lane; and where one breaks, the server may have been replaced. */
    private void listenTo(Node node, RedisDriver driver) {
        driver.listen(new ConnectionListener() {
            @Override
            public void commandsUp() {
                lane.enter(() -> listeners.forEach(each -> each.commandsUp(p -> table[p] == node)));
                lookSoon();
            }

            @Override
            public void commandsDown() {
                lookSoon();
            }

            @Override
            public void messagesUp() {
                lane.enter(() -> followers.forEach(follower -> follower.messagesUp(node)));
            }

            @Override
            public void messagesDown() {
                lane.enter(() -> followers.forEach(follower -> follower.messagesDown(node)));
                lookSoon();
            }
        });
    }
}
