package io.holdfast.contracts.servers;

import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Direction;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import io.holdfast.contracts.servers.TcpProxy.Mode;
import io.holdfast.contracts.servers.TcpProxy.Trap;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One connection through the proxy.
 *
 * <p>Each direction has a thread that reads frames into a queue and a thread that takes them out, applies the faults and
 * writes: so a delay does not slow down reading, and order is kept. Replies are counted against requests, which is how a
 * trap finds the reply of its request. All state is guarded by the proxy's lock; sockets are read and written outside.
 */
final class ProxyConnection {
    /** Frames held in one direction; the reader waits beyond that, and then so does the sender. */
    private static final int QUEUE_CAPACITY = 50_000;

    /** Bytes on their way, or the end of the stream. */
    private static final class Frame {
        final byte[] bytes;
        final long dueNanos;

        Frame(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }

        static Frame end() {
            return new Frame(new byte[0], System.nanoTime());
        }

        boolean isEnd() {
            return bytes.length == 0;
        }
    }

    /** A trap that has sprung, and what it caught. */
    private record Sprung(Trap trap, Caught caught) {
        void tell() {
            trap.sprung().complete(caught);
        }
    }

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private final Map<Direction, Mode> own = new EnumMap<>(Direction.class);

    /** One entry for each reply that the server owes. */
    private final Deque<Optional<Sprung>> owed = new ArrayDeque<>();

    private Kind kind = Kind.COMMANDS;
    private boolean lossy;
    private boolean closed;

    ProxyConnection(TcpProxy proxy, Socket client, Socket server) throws IOException {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
    }

    void start() {
        start(Direction.REQUESTS, client, server);
        start(Direction.REPLIES, server, client);
    }

    Kind kind() {
        return kind;
    }

    /** Swallows all that comes from now on. Called under the lock. */
    void silence() {
        own.put(Direction.REQUESTS, Mode.DROP);
        own.put(Direction.REPLIES, Mode.DROP);
    }

    /** Ends what traps have done. Called under the lock. */
    void recover() {
        if (lossy) {
            reset();
        } else {
            own.clear();
        }
    }

    /** Closes both sides with RST. */
    void reset() {
        try {
            client.setSoLinger(true, 0);
            server.setSoLinger(true, 0);
        } catch (IOException e) {
            // Closed already.
        }
        close();
    }

    private void close() {
        TcpProxy.close(client);
        TcpProxy.close(server);
        proxy.locked(() -> {
            closed = true;
            proxy.changed.signalAll();
            return this;
        });
        proxy.remove(this);
    }

    private void start(Direction direction, Socket from, Socket to) {
        BlockingQueue<Frame> queue = new LinkedBlockingQueue<>(QUEUE_CAPACITY);
        String name = "proxy-" + proxy.port() + "-" + direction.name().toLowerCase(Locale.ROOT);
        TcpProxy.start(name + "-in", () -> read(from, queue));
        TcpProxy.start(name + "-out", () -> write(direction, queue, to));
    }

    private void read(Socket from, BlockingQueue<Frame> queue) {
        try {
            RespFrames frames = new RespFrames(new BufferedInputStream(from.getInputStream(), 1 << 16));
            for (byte[] bytes = frames.next(); bytes != null; bytes = frames.next()) {
                queue.put(
                        new Frame(bytes, System.nanoTime() + proxy.delayOf(kind).toNanos()));
            }
        } catch (IOException | InterruptedException e) {
            // The end of this direction, like an orderly one.
        }
        try {
            queue.put(Frame.end());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Direction direction, BlockingQueue<Frame> queue, Socket to) {
        try {
            while (true) {
                Frame frame = queue.take();
                boolean pass = direction == Direction.REQUESTS ? passRequest(frame) : passReply(frame);
                if (frame.isEnd()) {
                    break;
                }
                if (pass) {
                    to.getOutputStream().write(frame.bytes);
                }
            }
            close();
        } catch (IOException | InterruptedException e) {
            reset();
        }
    }

    private boolean passRequest(Frame frame) throws InterruptedException {
        List<String> words = frame.isEnd() ? List.of() : RespFrames.words(frame.bytes);
        Sprung sprung = null;
        if (!words.isEmpty()) {
            sprung = proxy.locked(() -> note(words, frame));
        }
        if (sprung != null) {
            switch (sprung.trap().fault()) {
                case STALL_REQUEST -> spring(sprung, Direction.REQUESTS, Mode.STALL);
                case DROP_REQUEST -> spring(sprung, Direction.REQUESTS, Mode.DROP);
                case KILL_BEFORE -> {
                    reset();
                    sprung.tell();
                }
                case NONE -> sprung.tell();
                case STALL_REPLY, DROP_REPLY, KILL_AFTER -> {
                    // Acts when the reply comes.
                }
            }
        }
        return gate(Direction.REQUESTS, frame);
    }

    /** Finds the kind, the trap and the number of replies. Called under the lock. */
    private @Nullable Sprung note(List<String> words, Frame frame) {
        String name = words.get(0).toUpperCase(Locale.ROOT);
        boolean subscription = name.endsWith("SUBSCRIBE");
        if (subscription && !name.contains("UNSUBSCRIBE")) {
            kind = Kind.MESSAGES;
        }
        // Clients spell the names of commands as they like, and servers do not care.
        words.set(0, name);
        String text = String.join(" ", words);
        Trap trap = proxy.spring(text);
        Sprung sprung = trap == null ? null : new Sprung(trap, proxy.new Caught(text, frame.bytes));
        // A subscription is acknowledged once for each of its channels.
        for (int i = 0; i < (subscription ? Math.max(1, words.size() - 1) : 1); i++) {
            owed.add(Optional.ofNullable(i == 0 ? sprung : null));
        }
        return sprung;
    }

    private boolean passReply(Frame frame) throws InterruptedException {
        Sprung sprung = frame.isEnd() || isMessage(frame.bytes) ? null : proxy.locked(this::answered);
        if (sprung != null) {
            switch (sprung.trap().fault()) {
                case STALL_REPLY -> spring(sprung, Direction.REPLIES, Mode.STALL);
                case DROP_REPLY -> spring(sprung, Direction.REPLIES, Mode.DROP);
                case KILL_AFTER -> {
                    reset();
                    sprung.tell();
                }
                case NONE, STALL_REQUEST, DROP_REQUEST, KILL_BEFORE -> {
                    // Has acted on the request.
                }
            }
        }
        return gate(Direction.REPLIES, frame);
    }

    private @Nullable Sprung answered() {
        Optional<Sprung> first = owed.poll();
        return first == null ? null : first.orElse(null);
    }

    /** Whether this is something the server sends without having been asked. */
    private boolean isMessage(byte[] reply) {
        if (reply[0] != '>' && !(reply[0] == '*' && kind == Kind.MESSAGES)) {
            return false;
        }
        String begin = new String(reply, 0, Math.min(reply.length, 32), StandardCharsets.ISO_8859_1);
        return !begin.contains("subscribe\r\n") && !begin.contains("pong\r\n");
    }

    private void spring(Sprung sprung, Direction direction, Mode mode) {
        proxy.locked(() -> own.put(direction, mode));
        sprung.tell();
    }

    /** Waits until the frame may go on its way; false if it was swallowed or the connection is closed. */
    private boolean gate(Direction direction, Frame frame) throws InterruptedException {
        proxy.lock.lock();
        try {
            while (!closed) {
                long early = frame.dueNanos - System.nanoTime();
                Mode mode = own.getOrDefault(direction, proxy.mode(kind, direction));
                if (mode == Mode.DROP) {
                    // Swallowed for good: whatever follows must not be taken for the bytes that are missing.
                    own.put(direction, Mode.DROP);
                    lossy = true;
                    return false;
                }
                if (mode == Mode.PASS && early <= 0) {
                    return true;
                }
                if (mode == Mode.STALL) {
                    proxy.changed.await();
                } else {
                    proxy.changed.awaitNanos(early);
                }
            }
            return false;
        } finally {
            proxy.lock.unlock();
        }
    }
}
