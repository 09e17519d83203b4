package io.holdfast.routing;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A driver for several servers, over one driver for each.
 *
 * <p><b>Routes.</b> The table says for each partition (slot of a cluster; there is one, where Sentinels watch a master)
 * which server has it. It is looked up again when a server answers that it does not have a key, when a connection breaks,
 * when a server answers nothing for a second or is reported to have been replaced, and every half minute. A command that was sent to the wrong server
 * is sent on, a few times at most; what a server cannot serve at present it rejects, and the caller may ask again.
 *
 * <p><b>Channels.</b> A subscription is made at the server of its name's partition, sharded where the server knows that,
 * and made again where the partition goes. Meanwhile its partition's messages are down.
 *
 * <p><b>Threads.</b> What changes the table and the subscriptions runs on one thread, the lane; connecting and looking
 * up, which block, on others.
 */
public final class RoutedDriver implements RedisDriver {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final int MOST_REDIRECTS = 5;
    private static final long ANSWER_MILLIS = 1_000;
    private static final long LOOK_EVERY_MILLIS = 30_000;
    private static final long SOON_MILLIS = 100;
    private static final long TICK_MILLIS = 250;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long GIVEN_UP_NANOS = TimeUnit.SECONDS.toNanos(6);
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final int FIRST_TRIES = 5;
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** A channel that a caller wants. All fields but the first three belong to the lane. */
    private static final class Subscription {
        final String channel;
        final int partition;
        final Consumer<String> onMessage;
        /** Completed when it is there for the first time. */
        final CompletableFuture<Void> first = new CompletableFuture<>();
        /** Where it was acknowledged; null while it is not. */
        @Nullable
        Node at;

        boolean sharded;
        int failures;

        Subscription(String channel, int partition, Consumer<String> onMessage) {
            this.channel = channel;
            this.partition = partition;
            this.onMessage = onMessage;
        }
    }

    private final Topology topology;
    private final Connector connector;
    private final ScheduledThreadPoolExecutor lane;
    private final ExecutorService workers;
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<RedisAddress, Node> nodes = new ConcurrentHashMap<>();
    private final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>(); // changed on the lane
    private final AtomicBoolean lookWanted = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    /** The server of each partition; null where no server has it. Replaced on the lane, never changed. */
    private volatile @Nullable Node[] table;

    private boolean looking; // belongs to the lane
    private long lastLookNanos; // belongs to the lane

    private RoutedDriver(Topology topology, Connector connector) {
        this.topology = topology;
        this.connector = connector;
        this.table = new Node[topology.partitions()];
        long number = NUMBERS.incrementAndGet();
        this.lane = new ScheduledThreadPoolExecutor(1, daemons("holdfast-routes-" + number));
        this.lane.setRemoveOnCancelPolicy(true);
        this.workers = Executors.newCachedThreadPool(daemons("holdfast-routes-work-" + number));
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * A driver for a cluster. Blocks until the servers of all slots are connected, or some, and the limit has passed.
     *
     * @param seeds some of its nodes; the others are learnt from them. At least one, all alike but for host and port
     * @param limit the longest time
     * @throws DriverException {@code UNKNOWN} if no node answers; {@code REJECTED} if one answers that it is in no cluster,
     *     or refuses the user
     */
    public static RedisDriver cluster(List<RedisAddress> seeds, Connector connector, Duration limit) {
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("seeds must not be empty");
        }
        return open(new ClusterTopology(List.copyOf(seeds), connector), connector, limit);
    }

    /**
     * A driver for the master that sentinels watch. Blocks until it is connected.
     *
     * @param sentinels their addresses, best of all of them; at least one
     * @param name what they call the master
     * @param server the user, password, database and encryption of the servers; its host and port mean nothing
     * @param toSentinels opens drivers to sentinels, with their own user and password
     * @param limit the longest time
     * @throws DriverException {@code UNKNOWN} if no sentinel answers, or what they name is no master; {@code REJECTED} if
     *     they do not know the name, or a server refuses the user
     */
    public static RedisDriver sentinels(
            List<RedisAddress> sentinels,
            String name,
            RedisAddress server,
            Connector connector,
            Connector toSentinels,
            Duration limit) {
        if (sentinels.isEmpty()) {
            throw new IllegalArgumentException("sentinels must not be empty");
        }
        return open(new SentinelTopology(List.copyOf(sentinels), name, server, toSentinels), connector, limit);
    }

    /**
     * A driver for one server that may be replaced by another at another address. Blocks until it is connected.
     *
     * @param whereabouts returns where the server is at present. Asked at the start, when a connection breaks, as long as
     *     nothing is answered, and every half minute; on one thread at a time. Blocks for a bounded time, and throws
     *     {@link DriverException} if it does not know: then it is asked again
     * @param limit the longest time
     * @throws DriverException {@code UNKNOWN} if nothing answers there; {@code REJECTED} if the server refuses the user
     */
    public static RedisDriver moving(Supplier<RedisAddress> whereabouts, Connector connector, Duration limit) {
        return open(new MovingTopology(whereabouts), connector, limit);
    }

    private static RedisDriver open(Topology topology, Connector connector, Duration limit) {
        RoutedDriver driver = new RoutedDriver(topology, connector);
        try {
            driver.open(System.nanoTime() + limit.toNanos());
            return driver;
        } catch (RuntimeException e) {
            driver.close();
            throw e;
        }
    }

    private void open(long deadline) {
        while (true) {
            DriverException failure;
            try {
                install(topology.look(this));
                awaitOpened(deadline);
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
                throw DriverException.unknown("interrupted while connecting to " + describe(), null);
            }
        }
        lane.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void awaitOpened(long deadline) {
        DriverException failure = null;
        boolean some = false;
        for (Node node : inTable()) {
            try {
                node.opened.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                some = true;
            } catch (ExecutionException e) {
                failure = Node.failureOf(e);
            } catch (TimeoutException e) {
                failure = DriverException.unknown(where(node.address) + " did not answer in time", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw DriverException.unknown("interrupted while connecting to " + describe(), e);
            }
        }
        if (!some) {
            throw failure == null ? DriverException.unknown(describe() + " serves nothing", null) : failure;
        }
    }

    // ---- the port

    @Override
    public CompletionStage<Reply> send(Command command) {
        CompletableFuture<Reply> outcome = new CompletableFuture<>();
        String key = command.key();
        int partition = key == null ? anyPartition() : topology.partition(key);
        Node node = table[partition];
        if (node == null) {
            lookSoon();
            outcome.completeExceptionally(unserved(partition));
        } else {
            deliver(node, command, 0, outcome);
        }
        return outcome;
    }

    private DriverException unserved(int partition) {
        return DriverException.unknown(
                describe() + ": no server has "
                        + (topology.partitions() == 1 ? "been found" : "slot " + partition + " at present"),
                null);
    }

    private int anyPartition() {
        @Nullable Node[] now = table;
        for (int i = 0; i < now.length; i++) {
            Node node = now[i];
            if (node != null && node.driver() != null && node.silentNanos() < SILENT_NANOS) {
                return i;
            }
        }
        return 0;
    }

    private void deliver(Node node, Command command, int redirects, CompletableFuture<Reply> outcome) {
        node.send(command).whenComplete((reply, failure) -> {
            if (failure == null) {
                outcome.complete(reply);
            } else {
                failed(Node.failureOf(failure), command, redirects, outcome);
            }
        });
    }

    private void failed(DriverException failure, Command command, int redirects, CompletableFuture<Reply> outcome) {
        String key = command.key();
        switch (failure.code()) {
            case "MOVED", "ASK" -> {
                if (redirects >= MOST_REDIRECTS || key == null) {
                    lookSoon();
                    outcome.completeExceptionally(DriverException.rejected(
                            "TRYAGAIN the servers send each other the command: " + failure.getMessage()));
                    return;
                }
                String[] words = String.valueOf(failure.getMessage()).split(" ", -1);
                Node target = words.length < 3 ? null : told(words[2], key);
                if (target == null) {
                    outcome.completeExceptionally(failure);
                } else if (failure.code().equals("MOVED")) {
                    enter(() -> moved(topology.partition(key), target));
                    deliver(target, command, redirects + 1, outcome);
                } else {
                    target.ask(command, key).whenComplete((reply, problem) -> {
                        if (problem == null) {
                            outcome.complete(reply);
                        } else {
                            failed(Node.failureOf(problem), command, redirects + 1, outcome);
                        }
                    });
                }
            }
            case "READONLY", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "" -> {
                lookSoon();
                outcome.completeExceptionally(failure);
            }
            default -> outcome.completeExceptionally(failure);
        }
    }

    /** The server that a redirection names; without a host it is at that of the one that redirects. */
    private @Nullable Node told(String hostAndPort, String key) {
        int colon = hostAndPort.lastIndexOf(':');
        Node like = table[topology.partition(key)];
        if (colon < 0 || like == null) {
            return null;
        }
        String host = colon == 0 ? like.address.host() : hostAndPort.substring(0, colon);
        try {
            return nodeAt(ClusterTopology.at(like.address, host, Integer.parseInt(hostAndPort.substring(colon + 1))));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        Subscription wanted = new Subscription(channel, topology.partition(channel), onMessage);
        boolean entered = enter(() -> {
            Subscription before = subscriptions.put(channel, wanted);
            if (before != null) {
                leave(before);
                neverBegan(before);
            }
            attach(wanted);
        });
        if (!entered) {
            wanted.first.completeExceptionally(DriverException.unknown("the driver is closed", null));
        }
        return wanted.first;
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        boolean entered = enter(() -> {
            Subscription before = subscriptions.remove(channel);
            if (before == null) {
                done.complete(null);
                return;
            }
            leave(before).whenComplete((nothing, failure) -> done.complete(null));
            neverBegan(before);
        });
        if (!entered) {
            done.complete(null);
        }
        return done;
    }

    @Override
    public RedisDriver another(String key) {
        Node node = table[topology.partition(key)];
        if (node == null) {
            throw unserved(topology.partition(key));
        }
        return connector.connect(node.address);
    }

    @Override
    public @Nullable RedisDriver master(int partition) {
        Node node = table[partition];
        return node == null ? null : node.driver();
    }

    @Override
    public List<RedisDriver> masters() {
        List<RedisDriver> masters = new ArrayList<>();
        for (Node node : inTable()) {
            RedisDriver driver = node.driver();
            if (driver != null) {
                masters.add(driver);
            }
        }
        return masters;
    }

    @Override
    public int partitions() {
        return topology.partitions();
    }

    @Override
    public int partition(String key) {
        return topology.partition(key);
    }

    @Override
    public void reconnect() {
        masters().forEach(RedisDriver::reconnect);
        lookSoon();
    }

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
    }

    @Override
    public String describe() {
        return topology.describe();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        lane.shutdownNow();
        nodes.values().forEach(Node::close);
        topology.close();
        workers.shutdownNow();
        for (Subscription subscription : subscriptions.values()) {
            subscription.first.completeExceptionally(DriverException.unknown("the driver is closed", null));
        }
        try {
            if (!lane.awaitTermination(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
                    || !workers.awaitTermination(ANSWER_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.DEBUG, "threads that connect end a little later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- what topologies use

    /** The servers that are known, those first that answer. */
    List<Node> nodesByVigour() {
        List<Node> list = new ArrayList<>(nodes.values());
        list.sort(Comparator.comparingLong(node -> node.silentNanos() / (SILENT_NANOS / 4)));
        return list;
    }

    /** The server at an address, which is connected to if it is not yet. */
    Node nodeAt(RedisAddress address) {
        Node present = nodes.get(address);
        if (present != null) {
            return present;
        }
        Node node = new Node(address, workers);
        Node faster = nodes.putIfAbsent(address, node);
        if (faster != null) {
            return faster;
        }
        node.open(connector);
        node.opened.whenComplete((driver, failure) -> {
            if (driver == null) {
                nodes.remove(address, node);
                enter(() -> unreachable(node));
            } else if (closed.get()) {
                driver.close();
            } else {
                follow(node, driver);
            }
        });
        return node;
    }

    /** Gives up a server that is not in the table. */
    void forget(RedisAddress address) {
        Node node = nodes.get(address);
        if (node != null && !inTable().contains(node) && nodes.remove(address, node)) {
            work(node::close);
        }
    }

    /** Does something that blocks. */
    void work(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            // Closed: nobody waits for it.
        }
    }

    /** Blocks for a reply, for a second at most. */
    static Reply await(CompletionStage<Reply> stage, String where) {
        try {
            return stage.toCompletableFuture().get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw Node.failureOf(e);
        } catch (TimeoutException e) {
            throw DriverException.unknown(where + " did not answer within " + ANSWER_MILLIS + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DriverException.unknown("interrupted", e);
        }
    }

    // ---- the lane

    /** False once the driver is closed. */
    private boolean enter(Runnable step) {
        return enterIn(0, step);
    }

    private boolean enterIn(long millis, Runnable step) {
        try {
            lane.schedule(
                    () -> {
                        try {
                            step.run();
                        } catch (RuntimeException e) {
                            // A defect of ours, which must not stop the lane.
                            LOG.log(System.Logger.Level.ERROR, "routing failed", e);
                        }
                    },
                    millis,
                    TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void tick() {
        boolean silent = false;
        for (Node node : inTable()) {
            long silence = node.silentNanos();
            silent |= silence > SILENT_NANOS;
            RedisDriver driver = node.driver();
            if (silence > GIVEN_UP_NANOS && driver != null) {
                node.heard();
                LOG.log(
                        System.Logger.Level.WARNING,
                        () -> driver.describe() + " has answered nothing for " + silence / 1_000_000
                                + " ms: connecting anew");
                driver.reconnect();
            }
        }
        if (silent || System.nanoTime() - lastLookNanos > LOOK_EVERY_MILLIS * 1_000_000) {
            lookSoon();
        }
    }

    /** Looks up the table again soon, once, however often it is asked for meanwhile. */
    void lookSoon() {
        if (lookWanted.compareAndSet(false, true)) {
            enter(() -> {
                long since = (System.nanoTime() - lastLookNanos) / 1_000_000;
                enterIn(Math.max(0, SOON_MILLIS - since), this::look);
            });
        }
    }

    private void look() {
        if (looking) {
            enterIn(SOON_MILLIS, this::look);
            return;
        }
        lookWanted.set(false);
        looking = true;
        work(() -> {
            @Nullable RedisAddress[] owners = null;
            try {
                owners = topology.look(this);
            } catch (DriverException e) {
                LOG.log(System.Logger.Level.DEBUG, () -> describe() + ": nobody tells who serves: " + e.getMessage());
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "looking up the routes failed", e);
            }
            @Nullable RedisAddress[] found = owners;
            enter(() -> {
                looking = false;
                lastLookNanos = System.nanoTime();
                if (found == null) {
                    lookSoon();
                } else {
                    install(found);
                    for (RedisAddress owner : found) {
                        if (owner == null) {
                            lookSoon();
                            break;
                        }
                    }
                }
            });
        });
    }

    /** One partition has another server than the table says. */
    private void moved(int partition, Node target) {
        if (table[partition] == target || nodes.get(target.address) != target) {
            return;
        }
        @Nullable Node[] next = table.clone();
        next[partition] = target;
        replace(next);
        lookSoon(); // where one slot has gone, others may have, too
    }

    private void install(@Nullable RedisAddress[] owners) {
        @Nullable Node[] next = new Node[owners.length];
        RedisAddress before = null;
        Node node = null;
        for (int i = 0; i < owners.length; i++) {
            RedisAddress owner = owners[i];
            if (owner == null) {
                continue;
            }
            if (!owner.equals(before) || node == null) {
                node = nodeAt(owner);
                before = owner;
            }
            next[i] = node;
        }
        replace(next);
        Set<Node> used = inTable();
        for (Node old : List.copyOf(nodes.values())) {
            if (!used.contains(old) && nodes.remove(old.address, old)) {
                work(old::close);
            }
        }
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
        // Commands wait for a connection that is being opened; events are told when it is.
        boolean told = false;
        for (Subscription subscription : subscriptions.values()) {
            if (changed.get(subscription.partition)) {
                told = true;
                leave(subscription);
            }
        }
        if (told) {
            tell(listener -> listener.messagesDown(changed::get));
        }
        for (Node node : newcomers) {
            node.opened.whenComplete((driver, failure) -> enter(() -> {
                if (driver != null) {
                    tell(listener -> listener.commandsUp(p -> changed.get(p) && table[p] == node));
                }
            }));
        }
        for (Subscription subscription : List.copyOf(subscriptions.values())) {
            if (subscription.at == null && changed.get(subscription.partition)) {
                attach(subscription);
            }
        }
    }

    private void unreachable(Node node) {
        @Nullable Node[] next = table.clone();
        boolean found = false;
        for (int i = 0; i < next.length; i++) {
            if (next[i] == node) {
                next[i] = null;
                found = true;
            }
        }
        if (found) {
            table = next;
        }
        lookSoon();
    }

    private Set<Node> inTable() {
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

    private void follow(Node node, RedisDriver driver) {
        driver.listen(new ConnectionListener() {
            @Override
            public void commandsUp() {
                enter(() -> tell(listener -> listener.commandsUp(p -> table[p] == node)));
                lookSoon();
            }

            @Override
            public void commandsDown() {
                lookSoon();
            }

            @Override
            public void messagesUp() {
                enter(() -> {
                    Set<Integer> incomplete = new HashSet<>();
                    for (Subscription subscription : subscriptions.values()) {
                        if (subscription.at == null) {
                            incomplete.add(subscription.partition);
                        }
                    }
                    tell(listener -> listener.messagesUp(p -> table[p] == node && !incomplete.contains(p)));
                });
            }

            @Override
            public void messagesDown() {
                enter(() -> tell(listener -> listener.messagesDown(p -> table[p] == node)));
                lookSoon();
            }
        });
    }

    private void tell(Consumer<ConnectionListener> event) {
        for (ConnectionListener listener : listeners) {
            event.accept(listener);
        }
    }

    // ---- subscriptions, on the lane

    private void attach(Subscription subscription) {
        if (subscriptions.get(subscription.channel) != subscription || subscription.at != null) {
            return;
        }
        Node node = table[subscription.partition];
        RedisDriver driver = node == null ? null : node.driver();
        if (node == null || driver == null) {
            if (node == null || node.opened.isDone()) {
                lookSoon();
            }
            notAttached(subscription, unserved(subscription.partition));
            return;
        }
        boolean sharded = topology.partitions() > 1 && !node.plainChannels;
        CompletionStage<Void> asked = sharded
                ? driver.subscribeShard(
                        subscription.channel, subscription.onMessage, () -> enter(() -> ended(subscription, node)))
                : driver.subscribe(subscription.channel, subscription.onMessage);
        asked.whenComplete((nothing, failure) -> enter(() -> {
            if (failure == null) {
                attached(subscription, node, sharded);
            } else {
                DriverException why = Node.failureOf(failure);
                if (sharded && why.code().equals("ERR")) {
                    node.plainChannels = true; // a server older than sharded channels
                    attach(subscription);
                } else {
                    lookSoon();
                    notAttached(subscription, why);
                }
            }
        }));
    }

    private void attached(Subscription subscription, Node node, boolean sharded) {
        Subscription present = subscriptions.get(subscription.channel);
        boolean wanted = present == subscription;
        if (!wanted || table[subscription.partition] != node) {
            RedisDriver driver = node.driver();
            // A newer one to the same channel of the same server has taken its place there.
            boolean replaced = !wanted && present != null && table[subscription.partition] == node;
            if (driver != null && !replaced) {
                detach(driver, subscription.channel, sharded);
            }
            if (wanted) {
                attach(subscription);
            }
            return;
        }
        subscription.at = node;
        subscription.sharded = sharded;
        subscription.failures = 0;
        if (!subscription.first.complete(null)) {
            int partition = subscription.partition;
            for (Subscription other : subscriptions.values()) {
                if (other.partition == partition && other.at == null && other.first.isDone()) {
                    return; // the last one tells
                }
            }
            tell(listener -> listener.messagesUp(p -> p == partition));
        }
    }

    private void notAttached(Subscription subscription, DriverException why) {
        subscription.failures++;
        boolean first = !subscription.first.isDone();
        boolean hopeless =
                why.kind() == DriverException.Kind.REJECTED && !why.code().equals("MOVED");
        if (first && (hopeless || subscription.failures >= FIRST_TRIES)) {
            subscriptions.remove(subscription.channel, subscription);
            subscription.first.completeExceptionally(why);
            return;
        }
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(10, subscription.failures - 1));
        enterIn(pause, () -> attach(subscription));
    }

    /** The server has ended it: the slot has gone elsewhere. */
    private void ended(Subscription subscription, Node node) {
        if (subscription.at == node && subscriptions.get(subscription.channel) == subscription) {
            subscription.at = null;
            int partition = subscription.partition;
            tell(listener -> listener.messagesDown(p -> p == partition));
            lookSoon();
            attach(subscription);
        }
    }

    /** It has ended: the stage of whoever still waits for its acknowledgement fails. */
    private static void neverBegan(Subscription subscription) {
        subscription.first.completeExceptionally(DriverException.unknown("the subscription has ended before", null));
    }

    private CompletionStage<Void> leave(Subscription subscription) {
        Node node = subscription.at;
        subscription.at = null;
        RedisDriver driver = node == null ? null : node.driver();
        return driver == null
                ? CompletableFuture.completedFuture(null)
                : detach(driver, subscription.channel, subscription.sharded);
    }

    private static CompletionStage<Void> detach(RedisDriver driver, String channel, boolean sharded) {
        return sharded ? driver.unsubscribeShard(channel) : driver.unsubscribe(channel);
    }

    private static String where(RedisAddress address) {
        return Objects.requireNonNull(address).host() + ":" + address.port();
    }
}
