package io.holdfast.jedis;

import io.holdfast.jedis.ConnectionSource.Opened;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Writes the requests of many threads to one connection and pairs the replies with them.
 *
 * <h2>Who writes</h2>
 *
 * A caller puts its request into {@link #waiting}, and if nobody is writing at the moment ({@link #writing}) writes what
 * waits there, its own request and those that others add meanwhile. So one thread alone writes without a hand-over,
 * many threads write in batches, and nobody waits for anybody. Whoever stops writing looks once more whether something
 * is left, since others relied on him.
 *
 * <h2>Why a write does not block</h2>
 *
 * A blocking socket write returns at once as long as the bytes fit into the buffers between the two processes. What has
 * been answered is no longer in there. So no more than {@link #MOST_UNANSWERED} bytes without a reply are ever written:
 * that fits into the smallest buffers in use, even if the server is frozen. The rest waits, and the thread that reads
 * replies writes it as room appears. A single request that is larger than that is written by a thread of its own.
 *
 * <h2>The end</h2>
 *
 * {@link #end} takes {@link #writing} and keeps it, so that nothing is written after the socket was closed: Jedis would
 * open a new one by itself, with nobody reading there.
 *
 * <h2>What may be thrown</h2>
 *
 * A request in {@link #unanswered} without its bytes on the wire, or bytes without their request, would give every later
 * request the reply of another. Any statement here may throw, an {@code OutOfMemoryError} or {@code StackOverflowError}
 * more likely than others. So {@link #writing} is given free only by a writer who came to the end of what he did: after
 * anything else it stays taken, which needs no further step that could fail in its turn, and nothing is written any more
 * behind the doubtful request. And a request leaves one queue only once it is in the next, and the last one only once it
 * was told its outcome: so {@link #failAll} finds it, wherever it stood.
 */
final class Pipeline {
    /** Bytes that are written without having been answered. */
    static final int MOST_UNANSWERED = 64 * 1024;

    /** Bytes that wait to be written; beyond that, requests fail. */
    static final int MOST_WAITING = 64 * 1024 * 1024;

    /** How long the end waits for a writer before it closes the socket under him. */
    private static final long END_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long END_POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Opened opened;
    private final Connection connection;
    private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final Queue<Request> unanswered = new ConcurrentLinkedQueue<>();
    private final AtomicLong unansweredBytes = new AtomicLong();

    /** Held by whoever takes from {@link #waiting}, adds to {@link #unanswered} and writes. */
    private final AtomicBoolean writing = new AtomicBoolean();

    /** Why nothing is written any more: a {@link DriverException}, or what was thrown. Set once, without making anything. */
    private volatile @Nullable Throwable ended;

    /** Whether a writer did not come to the end of what he did, so that nobody will ever have {@link #writing} again. */
    private volatile boolean abandoned;

    private final AtomicBoolean ending = new AtomicBoolean();

    /** Why nothing will be answered any more: {@link #failAll} has begun, and may have missed what came since. */
    private volatile @Nullable DriverException failed;

    Pipeline(Opened opened) {
        this.opened = opened;
        this.connection = opened.connection();
    }

    /** Sends a request as soon as it may be written, or fails it. */
    void send(Request request) {
        if (waitingBytes.addAndGet(request.bytes) > MOST_WAITING) {
            waitingBytes.addAndGet(-request.bytes);
            request.waiter.failed(DriverException.unknown(
                    "the server does not keep up: with this request, more than " + MOST_WAITING
                            + " bytes would wait to be sent; the request was not sent",
                    null));
            return;
        }
        try {
            waiting.add(request);
            write();
        } catch (Throwable e) {
            broken(e);
        }
        if (ended != null) {
            // Again: who broke it may have been at the end of his stack.
            opened.cut();
        }
        DriverException failure = failed;
        if (failure != null && waiting.remove(request)) {
            request.waiter.failed(failure);
        }
    }

    /** What the server sends, reply by reply; null if the socket's stream is hidden. */
    @Nullable
    Arrivals arrivals() {
        return opened.arrivals();
    }

    /** Whether something has no reply, or the connection has ended, so that somebody has to read. */
    boolean isOwed() {
        return !unanswered.isEmpty() || !waiting.isEmpty() || hasEnded();
    }

    /** Whether nothing is written any more. */
    boolean hasEnded() {
        return ended != null;
    }

    /** Reads the next reply of the server, or its next message. One thread reads at a time. */
    @Nullable
    Object read() {
        return connection.getUnflushedObject();
    }

    /** The oldest request that has no reply, or null. Only the reading thread asks. */
    @Nullable
    Request oldest() {
        return unanswered.peek();
    }

    /** Hands a reply to the oldest request that has none. */
    void answered(@Nullable Object reply) {
        Request request = next();
        Reply converted;
        try {
            converted = Replies.of(reply);
        } catch (JedisDataException e) {
            request.waiter.failed(rejected(e));
            unanswered.remove();
            return;
        } catch (RuntimeException | Error e) {
            request.waiter.failed(DriverException.unknown("the reply could not be understood: " + e.getMessage(), e));
            throw e;
        }
        request.waiter.replied(converted);
        unanswered.remove();
    }

    /** Hands an error reply to the oldest request that has no reply. */
    void answered(JedisDataException error) {
        next().waiter.failed(rejected(error));
        unanswered.remove();
    }

    /** Closes the connection. Does not block for long. The reading thread notices, and calls {@link #failAll}. */
    void end(DriverException reason) {
        if (ended == null) {
            ended = reason;
        }
        if (ending.compareAndSet(false, true)) {
            long begin = System.nanoTime();
            // A writer who is stuck is left alone after a while: he fails when the socket is closed under him.
            while (!abandoned
                    && !writing.compareAndSet(false, true)
                    && System.nanoTime() - begin < END_PATIENCE_NANOS) {
                LockSupport.parkNanos(END_POLL_NANOS);
            }
        }
        opened.cut();
    }

    /**
     * Fails whatever is left, with the first reason for the end. Called by the reading thread after the end; may be called
     * again if it threw.
     */
    void failAll(DriverException reason) {
        Throwable first = ended;
        DriverException failure = first == null ? reason : first instanceof DriverException known ? known : lost(first);
        failed = failure;
        failAll(unanswered, failure);
        failAll(waiting, failure);
    }

    private static void failAll(Queue<Request> requests, DriverException failure) {
        for (Request request = requests.peek(); request != null; request = requests.peek()) {
            request.waiter.failed(failure);
            requests.remove(request);
        }
    }

    private static DriverException lost(Throwable cause) {
        return DriverException.unknown("the connection to the server broke: " + cause.getMessage(), cause);
    }

    private static DriverException rejected(JedisDataException error) {
        return DriverException.rejected(String.valueOf(error.getMessage()));
    }

    /** The oldest request that has no reply, which stays where it is until it was told. */
    private Request next() {
        Request request = unanswered.peek();
        if (request == null) {
            throw new IllegalStateException("the server has sent a reply that was not requested");
        }
        unansweredBytes.addAndGet(-request.bytes);
        write();
        return request;
    }

    private boolean fits(Request request) {
        long before = unansweredBytes.get();
        return before == 0 || before + request.bytes <= MOST_UNANSWERED;
    }

    private void write() {
        for (Request head = waiting.peek(); head != null && fits(head) && ended == null; head = waiting.peek()) {
            if (!writing.compareAndSet(false, true)) {
                return;
            }
            try {
                if (!writeWhatFits()) {
                    writing.set(false);
                }
            } catch (Throwable e) {
                broken(e);
            }
            missed();
        }
    }

    /** Writes until the queue is empty or the limit reached; true if another thread goes on and releases. */
    private boolean writeWhatFits() {
        boolean written = false;
        for (Request head = waiting.peek(); head != null && fits(head) && ended == null; head = waiting.peek()) {
            if (head.bytes > MOST_UNANSWERED) {
                if (written) {
                    break;
                }
                Thread writer = new Thread(this::writeLarge, "holdfast-jedis-large-request");
                writer.setDaemon(true);
                writer.start();
                return true;
            }
            put(head);
            written = true;
        }
        if (written) {
            flush();
        }
        return false;
    }

    /** Writes one request that does not fit into the buffers. Runs in a thread of its own, which may block. */
    private void writeLarge() {
        try {
            Request head = waiting.peek();
            if (head != null && ended == null) {
                put(head);
                flush();
            }
            writing.set(false);
        } catch (Throwable e) {
            broken(e);
        }
        missed();
        write();
    }

    /** Fails what a slow writer has moved behind the back of {@link #failAll}. */
    private void missed() {
        DriverException failure = failed;
        if (failure != null) {
            failAll(failure);
        }
    }

    private void put(Request head) {
        unanswered.add(head);
        if (!waiting.remove(head)) {
            throw new IllegalStateException("the connection was given up meanwhile"); // failAll() has it
        }
        waitingBytes.addAndGet(-head.bytes);
        unansweredBytes.addAndGet(head.bytes);
        if (head.prelude != null) {
            connection.sendCommand(head.prelude);
        }
        connection.sendCommand(head.arguments);
    }

    private void flush() {
        // The one public method that does nothing but flush.
        connection.getMany(0);
    }

    /** Lets the reading thread find out, and tell everybody: stages are completed there. */
    private void broken(Throwable e) {
        abandoned = true;
        if (ended == null) {
            ended = e;
        }
        opened.cut();
    }
}
