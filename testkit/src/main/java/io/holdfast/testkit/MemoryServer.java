package io.holdfast.testkit;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A server inside the JVM, for tests: no network, no process, no Redis. It runs the very scripts that a real server runs,
 * in a Lua interpreter, so that locks behave here as they do there; what is missing is the world around: persistence,
 * replicas, permissions. Its memory is full if {@code CONFIG SET maxmemory} says other than 0: what is used is not counted. Any number of
 * clients may share one.
 *
 * <p>{@link #start} makes one whose time is the system's, and whose commands run on a daemon thread of its own, one after
 * the other. {@link #start(VirtualTime)} makes one whose time stands still until the test moves it, and whose commands
 * run in the calling thread; it and its clients are for use by one thread, and waiting for a lock in a call that blocks
 * would never end.
 *
 * <p>It knows the commands of Redis 7.0 that locks and their tests need, and answers to others as Redis does to unknown
 * ones. All methods may be called from any thread, unless said above.
 */
public final class MemoryServer implements TestServer {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final String HOST = "memory";

    /** A message on its way. */
    private record Message(MemoryDriver to, String channel, String payload) {}

    private final ReentrantLock lock = new ReentrantLock(); // no code of others runs while it is held
    private final Keyspace keyspace = new Keyspace(); // guarded by lock, as are the next four
    private final CommandTable commands = new CommandTable(new LuaScripts());
    private final Map<String, Set<MemoryDriver>> channels = new TreeMap<>(); // by octets
    private final Queue<Runnable> held = new ArrayDeque<>(); // what came while the server was frozen
    private boolean frozen;
    private final AtomicInteger restarts = new AtomicInteger();
    private @Nullable Rule rule;
    private final List<MemoryDriver> drivers = new CopyOnWriteArrayList<>();
    private final Queue<Message> messages = new ConcurrentLinkedQueue<>(); // in the order of publishing
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final AtomicLong driverIds = new AtomicLong();
    private final long beginNanos;
    private final AtomicLong beginMicros; // the server's clock at that time; moved when it is set
    private final int number = 1 + Math.floorMod(NUMBERS.getAndIncrement(), 65_535);
    private final Ticker ticker;
    private final Executor executor;
    private final @Nullable VirtualTime time;
    private volatile boolean reachable = true;
    private volatile long maxMemory;

    private MemoryServer(Ticker ticker, long epochMicros, Executor executor, @Nullable VirtualTime time) {
        this.ticker = ticker;
        this.beginNanos = ticker.nanoTime();
        this.beginMicros = new AtomicLong(epochMicros);
        this.executor = executor;
        this.time = time;
    }

    /** A server by the system's time. */
    public static MemoryServer start() {
        ThreadPoolExecutor thread =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "holdfast-memory-server");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
        return new MemoryServer(Ticker.system(), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), thread, null);
    }

    /** A server by virtual time, which begins at the same instant in every run; for use by one thread. */
    public static MemoryServer start(VirtualTime time) {
        return new MemoryServer(time, 1_790_000_000_000_000L, Runnable::run, time);
    }

    // ---- clients

    /** A new client of this server, with the default options. The caller closes it. */
    public Holdfast client() {
        return client(HoldfastOptions.defaults());
    }

    /**
     * A new client of this server. In virtual time its callbacks run in the calling thread, whatever executor the options
     * name, and its owner ids are the same in every run.
     *
     * @throws io.holdfast.ServerUnreachableException if the server is cut off at present
     */
    public Holdfast client(HoldfastOptions options) {
        return client(driver(), options);
    }

    Holdfast client(RedisDriver driver, HoldfastOptions options) {
        VirtualTime virtual = time;
        return virtual == null
                ? Holdfast.over(driver, options, Environment.system())
                : Holdfast.over(driver, options.withExecutor(Runnable::run), virtual.environment(driverIds.get()));
    }

    /** A new driver that is connected to this server: for {@code Holdfast.over}, or to be wrapped. */
    public RedisDriver driver() {
        return open();
    }

    MemoryDriver open() {
        MemoryDriver driver = new MemoryDriver(this, driverIds.incrementAndGet(), reachable);
        drivers.add(driver);
        return driver;
    }

    /** A provider whose drivers are connected to this server, whatever address they are given. */
    public RedisDriverProvider provider() {
        return new RedisDriverProvider() {
            @Override
            public String name() {
                return HOST;
            }

            @Override
            public RedisDriver connect(RedisAddress address, io.holdfast.spi.ConnectOptions options) {
                return driver();
            }
        };
    }

    /** The virtual time of this server. */
    VirtualTime time() {
        if (time == null) {
            throw new IllegalStateException("this server goes by the system's time: start it with a VirtualTime");
        }
        return time;
    }

    boolean isVirtual() {
        return time != null;
    }

    // ---- faults

    /** Breaks the connections of all clients, and opens no new ones until {@link #connect}. */
    public void disconnect() {
        reachable = false;
        drivers.forEach(MemoryDriver::cut);
    }

    /** Lets all clients connect again, which they do at once. */
    public void connect() {
        reachable = true;
        drivers.forEach(MemoryDriver::restore);
    }

    @Override
    public void freeze() {
        locked(() -> frozen = true);
    }

    @Override
    public void thaw() {
        List<Runnable> waiting = new ArrayList<>();
        lock.lock();
        try {
            frozen = false;
            waiting.addAll(held);
            held.clear();
        } finally {
            lock.unlock();
        }
        waiting.forEach(executor::execute);
    }

    /** What a server has stored, as it would be on a disk. */
    public static final class Snapshot {
        private final Map<String, Object> stored;

        private Snapshot(Map<String, Object> stored) {
            this.stored = stored;
        }
    }

    /** Saves what is stored now. */
    public Snapshot snapshot() {
        return new Snapshot(locked(keyspace::copy));
    }

    /**
     * The server's process ends and begins again: it has another run id, and knows no scripts. Connections are left as they
     * are; see {@link #disconnect}.
     *
     * @param data what it finds on its disk; null if it finds what it had when it ended
     */
    public void restart(@Nullable Snapshot data) {
        locked(() -> {
            restarts.incrementAndGet();
            if (data != null) {
                keyspace.load(data.stored);
            }
            return true;
        });
        command("SCRIPT", "FLUSH");
    }

    /** The id that distinguishes one process of a server from the next, and from other servers, as {@code INFO} reports it. */
    public String runId() {
        return String.format("%032x%08x", number, restarts.get());
    }

    /** Sets the server's clock forward, or back. */
    public void stepClock(Duration by) {
        beginMicros.addAndGet(by.toNanos() / 1_000);
    }

    // ---- questions

    /** Runs one command at once, past all clients; also on a server that is frozen or cut off. */
    @Override
    public Reply command(String... words) {
        Answer answer = execute(null, Arrays.asList(words));
        executor.execute(this::deliver);
        return answer.toReply();
    }

    /** A name that distinguishes servers; nothing can connect to it but {@link #provider}. */
    @Override
    public RedisAddress address() {
        return new RedisAddress(HOST, number, false, null, null, 0);
    }

    /** Cuts off all clients for good and drops all data. */
    @Override
    public void close() {
        disconnect();
        locked(() -> {
            keyspace.clear();
            return true;
        });
    }

    @Override
    public String toString() {
        return "MemoryServer[" + describe() + ", " + drivers.size() + " clients]";
    }

    // ---- for its parts

    /** Changes what becomes of commands; called under the server's lock, so that the whole is one step. */
    interface Rule {
        Answer apply(Call call);

        /** A command has published something that a subscriber hears. */
        default void published(String channel, String payload) {}
    }

    /** Puts a rule in front of the commands of all clients; what the server itself is asked goes past it. */
    void obey(Rule commandsOfClients) {
        locked(() -> rule = commandsOfClients);
    }

    Answer execute(@Nullable MemoryDriver session, List<String> words) {
        List<String> octets = new ArrayList<>(words.size());
        for (String word : words) {
            octets.add(Octets.ofText(word));
        }
        lock.lock();
        try {
            keyspace.turn(nowMicros());
            Call call = new Call(this, session, octets);
            Rule present = session == null ? null : rule;
            return present == null ? commands.run(call) : present.apply(call);
        } finally {
            lock.unlock();
        }
    }

    private long nowMicros() {
        return beginMicros.get() + (ticker.nanoTime() - beginNanos) / 1_000;
    }

    /** Looks at what is stored, or changes it, in one step. */
    <T extends @Nullable Object> T inOneStep(Function<Keyspace, T> step) {
        return locked(() -> {
            keyspace.turn(nowMicros());
            return step.apply(keyspace);
        });
    }

    /** Runs something on the server's thread, or when it thaws. */
    void submit(Runnable task) {
        boolean now = locked(() -> !frozen || !held.add(task));
        if (now) {
            executor.execute(task);
        }
    }

    /** The log of the events on the side of the clients. */
    void submitAlways(Runnable task) {
        executor.execute(task);
    }

    /** Hands on what was published. Messages of one channel go in their order, one at a time. */
    void deliver() {
        while (!messages.isEmpty() && delivering.compareAndSet(false, true)) {
            try {
                for (Message next = messages.poll(); next != null; next = messages.poll()) {
                    next.to().receive(next.channel(), next.payload());
                }
            } finally {
                delivering.set(false);
            }
        }
    }

    /** Called by a command. */
    int publish(String channel, String payload) {
        Set<MemoryDriver> listening = channels.getOrDefault(channel, Set.of());
        Rule present = rule;
        if (present != null && !listening.isEmpty()) {
            present.published(channel, payload);
        }
        for (MemoryDriver driver : listening) {
            messages.add(new Message(driver, Octets.toText(channel), Octets.toText(payload)));
        }
        return listening.size();
    }

    /** Called by a command. */
    int listeners(String channel) {
        return channels.getOrDefault(channel, Set.of()).size();
    }

    /** Called by a command. */
    List<String> channels() {
        return List.copyOf(channels.keySet());
    }

    /** Called by a command. */
    int channelsOf(MemoryDriver driver) {
        return (int) channels.values().stream()
                .filter(listening -> listening.contains(driver))
                .count();
    }

    void listen(MemoryDriver driver, String channel, boolean begin) {
        String octets = Octets.ofText(channel);
        locked(() -> {
            if (begin) {
                return channels.computeIfAbsent(octets, c -> new LinkedHashSet<>())
                        .add(driver);
            }
            Set<MemoryDriver> listening = channels.getOrDefault(octets, Set.of());
            boolean removed = listening.contains(driver) && listening.remove(driver);
            if (removed && listening.isEmpty()) {
                channels.remove(octets);
            }
            return removed;
        });
    }

    /** The driver listens to nothing any more. */
    void forget(MemoryDriver driver) {
        locked(() -> channels.values().removeIf(listening -> listening.remove(driver) && listening.isEmpty()));
    }

    void remove(MemoryDriver driver) {
        drivers.remove(driver);
        forget(driver);
    }

    private interface Step<T extends @Nullable Object> {
        T run();
    }

    private <T extends @Nullable Object> T locked(Step<T> step) {
        lock.lock();
        try {
            return step.run();
        } finally {
            lock.unlock();
        }
    }

    Keyspace keyspace() {
        return keyspace;
    }

    CommandTable commands() {
        return commands;
    }

    List<MemoryDriver> drivers() {
        return drivers;
    }

    boolean isReachable() {
        return reachable;
    }

    boolean isFull() {
        return maxMemory != 0;
    }

    long maxMemory() {
        return maxMemory;
    }

    void limitMemory(long bytes) {
        maxMemory = bytes;
    }

    String describe() {
        return HOST + ":" + number;
    }
}
