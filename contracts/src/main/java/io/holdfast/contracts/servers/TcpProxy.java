package io.holdfast.contracts.servers;

import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A loopback port that forwards to another one, and breaks what passes in the ways in which networks do.
 *
 * <p>Faults are of two sorts. <em>Switches</em> ({@link #stall}, {@link #dropReplies}, {@link #delay}…) act on all
 * connections of a kind, present and future, from the call on until {@link #resume}; what is being written at the very
 * moment of the call may still pass. <em>Traps</em> ({@link #onRequest}) wait for one request and act on its connection.
 *
 * <p>TCP loses the rest of a stream or nothing, never something out of its middle. So does this proxy: a connection on
 * which something was dropped carries nothing more in that direction, and {@code resume} resets it.
 *
 * <p>Connections that do not speak RESP (TLS, for example) are of kind {@link Kind#COMMANDS}; traps do not see them.
 *
 * <p>All methods may be called from any thread, and none waits for the network.
 */
public final class TcpProxy implements AutoCloseable {
    /** Which connections a fault concerns. */
    public enum Kind {
        /** Those that have not sent a {@code SUBSCRIBE}. */
        COMMANDS,
        /** Those that have sent a {@code SUBSCRIBE}. */
        MESSAGES,
        /** All. */
        ANY
    }

    /** What happens when a trapped request passes. */
    public enum Fault {
        /** Nothing: the test only wants to know, or to {@link Caught#deliver} a copy. */
        NONE,
        /** The request, and all that its connection sends after it, waits for {@link TcpProxy#resume}. */
        STALL_REQUEST,
        /** The server gets the request; the reply, and all that comes after it, waits for {@link TcpProxy#resume}. */
        STALL_REPLY,
        /** The request is swallowed, with all that its connection sends after it. The connection stays open. */
        DROP_REQUEST,
        /** The server gets the request; the reply is swallowed with all that follows. The connection stays open. */
        DROP_REPLY,
        /** The connection is reset, and the request never reaches the server. */
        KILL_BEFORE,
        /** The server executes the request, and the connection is reset in place of the reply. */
        KILL_AFTER
    }

    /** A request that went into a trap. */
    public final class Caught {
        private final String text;
        private final byte[] bytes;

        Caught(String text, byte[] bytes) {
            this.text = text;
            this.bytes = bytes;
        }

        /** The request's words, with one space between them. */
        public String text() {
            return text;
        }

        /**
         * Sends a copy of the request to the server on a fresh connection (database 0, not authenticated), and waits
         * for the reply. After {@link Fault#DROP_REQUEST} or {@link Fault#KILL_BEFORE} this is the request arriving
         * late, otherwise it arrives twice.
         */
        public Reply deliver() {
            try (RespClient client = RespClient.connect("127.0.0.1", targetPort)) {
                client.sendRaw(bytes);
                return client.read();
            }
        }

        @Override
        public String toString() {
            return text;
        }
    }

    enum Direction {
        REQUESTS,
        REPLIES
    }

    enum Mode {
        PASS,
        STALL,
        DROP
    }

    /** A trap: which request, what to do, and whom to tell. */
    record Trap(Predicate<String> request, Fault fault, CompletableFuture<Caught> sprung) {}

    /** The listening socket, and when the thread that accepts from it has ended. */
    private record Listening(ServerSocket socket, CompletableFuture<Listening> ended) {}

    /** Guards all that is not final, here and in the connections. Never held while reading or writing. */
    final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a switch or a connection changes. */
    final Condition changed = lock.newCondition();

    private final int targetPort;
    private final int port;
    private final Set<ProxyConnection> connections = new HashSet<>();
    private final List<Trap> traps = new ArrayList<>();
    private final Map<Kind, Map<Direction, Mode>> modes = new EnumMap<>(Kind.class);
    private final Map<Kind, Duration> delays = new EnumMap<>(Kind.class);
    private Consumer<String> watcher = text -> {};
    private @Nullable Listening listening;
    private boolean closed;

    private TcpProxy(int targetPort) {
        this.targetPort = targetPort;
        this.port = FreePort.find();
        clearSwitches();
    }

    /** Starts a proxy in front of a loopback port. Nobody needs to listen there yet. */
    public static TcpProxy to(int targetPort) {
        TcpProxy proxy = new TcpProxy(targetPort);
        proxy.accept();
        return proxy;
    }

    /** The port that clients of this proxy connect to. */
    public int port() {
        return port;
    }

    /** The address that clients of this proxy connect to, without user and password. */
    public RedisAddress address() {
        return new RedisAddress("127.0.0.1", port, false, null, null, 0);
    }

    /** How many connections of a kind are open. */
    public int connections(Kind kind) {
        return locked(() -> matching(kind).size());
    }

    /** Holds back all bytes in both directions, until {@link #resume} delivers them. */
    public void stall(Kind kind) {
        set(kind, Direction.REQUESTS, Mode.STALL);
        set(kind, Direction.REPLIES, Mode.STALL);
    }

    /** Holds back what the server sends, until {@link #resume} delivers it. */
    public void stallReplies(Kind kind) {
        set(kind, Direction.REPLIES, Mode.STALL);
    }

    /** Swallows what clients send. */
    public void dropRequests(Kind kind) {
        set(kind, Direction.REQUESTS, Mode.DROP);
    }

    /** Swallows what the server sends: requests are executed and never answered. */
    public void dropReplies(Kind kind) {
        set(kind, Direction.REPLIES, Mode.DROP);
    }

    /** Delays what arrives from now on, by this much in each direction. Order is kept. */
    public void delay(Kind kind, Duration delay) {
        locked(() -> delays.put(kind, delay));
    }

    /**
     * Lets the connections of a kind that are open now carry nothing any more, in either direction. They stay open: such a
     * connection is half-open for good, as when a middlebox has forgotten it. Those that are opened later are not concerned.
     *
     * @return how many
     */
    public int silence(Kind kind) {
        return locked(() -> {
            List<ProxyConnection> silent = matching(kind);
            silent.forEach(ProxyConnection::silence);
            changed.signalAll();
            return silent.size();
        });
    }

    /**
     * Ends all switches, and what traps did to connections: delivers what was stalled, and resets connections that have
     * lost something. Traps that have not sprung stay; a refusing proxy goes on refusing.
     */
    public void resume() {
        locked(() -> {
            clearSwitches();
            for (ProxyConnection connection : List.copyOf(connections)) {
                connection.recover();
            }
            changed.signalAll();
            return this;
        });
    }

    /**
     * Resets connections (RST), at once and without delivering what is under way.
     *
     * @return how many
     */
    public int killConnections(Kind kind) {
        return locked(() -> {
            List<ProxyConnection> doomed = matching(kind);
            doomed.forEach(ProxyConnection::reset);
            return doomed.size();
        });
    }

    /** Stops listening: new connections are refused until {@link #accept}. Open ones go on. */
    public void refuse() {
        Listening before = locked(() -> {
            Listening open = listening;
            listening = null;
            return open;
        });
        if (before != null) {
            close(before.socket());
            // The kernel goes on listening for as long as a thread is inside accept().
            before.ended().join();
        }
    }

    /** Listens again after {@link #refuse}; otherwise a no-op. */
    public void accept() {
        locked(() -> {
            if (listening == null && !closed) {
                try {
                    Listening fresh = new Listening(FreePort.listen(port), new CompletableFuture<>());
                    listening = fresh;
                    start("proxy-" + port + "-accept", () -> {
                        try {
                            acceptFrom(fresh.socket());
                        } finally {
                            fresh.ended().complete(fresh);
                        }
                    });
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return this;
        });
    }

    /**
     * Sets a trap for the next request that fits. Each trap springs once; one request springs at most one trap, the
     * oldest that fits.
     *
     * @param request sees the words of each request, with one space between them
     * @return completes when the fault has been applied: the request was noticed, held, swallowed or cut off, or the
     *     reply was
     */
    public CompletableFuture<Caught> onRequest(Predicate<String> request, Fault fault) {
        CompletableFuture<Caught> sprung = new CompletableFuture<>();
        locked(() -> traps.add(new Trap(request, fault, sprung)));
        return sprung;
    }

    /** Shows every request from now on to a watcher, in place of an earlier one. It must not block. */
    public void watch(Consumer<String> requests) {
        locked(() -> watcher = requests);
    }

    /** Stops listening and resets all connections. */
    @Override
    public void close() {
        locked(() -> closed = true);
        refuse();
        killConnections(Kind.ANY);
    }

    private void set(Kind kind, Direction direction, Mode mode) {
        locked(() -> {
            for (Kind each : kind == Kind.ANY ? List.of(Kind.COMMANDS, Kind.MESSAGES) : List.of(kind)) {
                modes.computeIfAbsent(each, k -> new EnumMap<>(Direction.class)).put(direction, mode);
            }
            changed.signalAll();
            return this;
        });
    }

    private void clearSwitches() {
        modes.clear();
        delays.clear();
    }

    /** Called under the lock. */
    Mode mode(Kind kind, Direction direction) {
        return modes.getOrDefault(kind, Map.of()).getOrDefault(direction, Mode.PASS);
    }

    Duration delayOf(Kind kind) {
        return locked(() -> delays.getOrDefault(kind, delays.getOrDefault(Kind.ANY, Duration.ZERO)));
    }

    /** The trap that a request springs, removed from the list. Called under the lock. */
    @Nullable
    Trap spring(String text) {
        watcher.accept(text);
        for (Trap trap : traps) {
            if (trap.request().test(text)) {
                traps.remove(trap);
                return trap;
            }
        }
        return null;
    }

    void remove(ProxyConnection connection) {
        locked(() -> connections.remove(connection));
    }

    <T extends @Nullable Object> T locked(Supplier<T> act) {
        lock.lock();
        try {
            return act.get();
        } finally {
            lock.unlock();
        }
    }

    /** Runs a task on a thread of its own, which keeps no JVM alive. */
    public static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            // Nothing to save on a connection that is being broken on purpose.
        }
    }

    private List<ProxyConnection> matching(Kind kind) {
        return connections.stream()
                .filter(connection -> kind == Kind.ANY || connection.kind() == kind)
                .toList();
    }

    private void acceptFrom(ServerSocket socket) {
        try {
            while (true) {
                Socket client = socket.accept();
                Socket server;
                try {
                    server = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), targetPort);
                } catch (IOException e) {
                    // Nobody listens behind the proxy. The client sees its connection closed, as behind a balancer.
                    client.setSoLinger(true, 0);
                    client.close();
                    continue;
                }
                ProxyConnection connection = new ProxyConnection(this, client, server);
                boolean open = locked(() -> !closed && connections.add(connection));
                if (open) {
                    connection.start();
                } else {
                    connection.reset();
                }
            }
        } catch (IOException e) {
            // refuse() or close() has closed the socket.
        }
    }
}
