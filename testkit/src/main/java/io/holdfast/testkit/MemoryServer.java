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
 * A server inside the JVM, for tests: no network, no process, no Redis. It runs the same scripts as a real server, in a Lua
 * interpreter, so locks behave as on a real server. It has no persistence, no replicas and no permissions. It does not count the
 * memory that it uses: its memory is full if {@code CONFIG SET maxmemory} sets a value other than 0. Any number of clients may
 * share one server.
 *
 * <p>{@link #start} starts a server that uses the system's time, and runs its commands one after the other on its own daemon
 * thread. {@link #start(VirtualTime)} starts a server whose time stands still until the test moves it, and whose commands run in
 * the calling thread. That server and its clients are for use by one thread; a blocking call that would have to wait for a lock
 * throws {@code IllegalStateException} there.
 *
 * <p>It knows the commands of Redis 7.0 that locks and their tests need, and answers others as Redis answers unknown commands.
 * All methods may be called from any thread, except as said above.
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

    /** Starts a server that uses the system's time. */
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

    /** Starts a server in virtual time, which begins at the same instant in every run. For use by one thread. */
    public static MemoryServer start(VirtualTime time) {
        return new MemoryServer(time, 1_790_000_000_000_000L, Runnable::run, time);
    }

    // ---- clients

    /** Returns a new client of this server, with the default options. The caller must close it. */
    public Holdfast client() {
        return client(HoldfastOptions.defaults());
    }

    /**
     * Returns a new client of this server. In virtual time its callbacks run in the calling thread, whatever executor the options
     * name, and its owner ids are the same in every run.
     *
     * @throws io.holdfast.ServerUnreachableException if the server is disconnected at present
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

    /** Returns a new driver that is connected to this server, for {@code Holdfast.over} or for a wrapper. */
    public RedisDriver driver() {
        return open();
    }

    MemoryDriver open() {
        MemoryDriver driver = new MemoryDriver(this, driverIds.incrementAndGet(), reachable);
        drivers.add(driver);
        return driver;
    }

    /** Returns a provider whose drivers are connected to this server, whatever address they are given. */
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

    /** The data that a server has stored, as it would be on a disk. */
    public static final class Snapshot {
        private final Map<String, Object> stored;

        private Snapshot(Map<String, Object> stored) {
            this.stored = stored;
        }
    }

    /** Returns a copy of the data that is stored now. */
    public Snapshot snapshot() {
        return new Snapshot(locked(keyspace::copy));
    }

    /**
     * Restarts the server as if its process had ended and started again: it has another run id, and knows no scripts. Connections
     * stay as they are; see {@link #disconnect}.
     *
     * @param data the data that it finds on its disk; null for the data that it had when it ended
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

    /**
     * Returns the id that distinguishes a server's process from the next one and from other servers, as {@code INFO} reports it.
     */
    public String runId() {
        return String.format("%032x%08x", number, restarts.get());
    }

    /** Sets the server's clock forward, or back if the duration is negative. */
    public void stepClock(Duration by) {
        beginMicros.addAndGet(by.toNanos() / 1_000);
    }

    // ---- questions

    /** Runs one command at once, bypassing all clients, even if the server is frozen or disconnected. */
    @Override
    public Reply command(String... words) {
        Answer answer = execute(null, Arrays.asList(words));
        executor.execute(this::deliver);
        return answer.toReply();
    }

    /** Returns a name that distinguishes servers; only {@link #provider} can connect to it. */
    @Override
    public RedisAddress address() {
        return new RedisAddress(HOST, number, false, null, null, 0);
    }

    /** Disconnects all clients for good, and drops all data. */
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
