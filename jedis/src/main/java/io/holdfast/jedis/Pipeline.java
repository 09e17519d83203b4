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

    /** Why nothing is written any more. Set once. */
    private volatile @Nullable DriverException ended;

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
                    "the server does not keep up: " + MOST_WAITING + " bytes wait to be sent; this was not sent",
                    null));
            return;
        }
        waiting.add(request);
        write();
        DriverException failure = failed;
        if (failure != null && waiting.remove(request)) {
            request.waiter.failed(failure);
        }
    }

    /** Reads the next reply of the server, or its next message. Only one thread reads. */
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
            return;
        } catch (RuntimeException e) {
            request.waiter.failed(DriverException.unknown("the reply could not be understood: " + e.getMessage(), e));
            throw e;
        }
        request.waiter.replied(converted);
    }

    /** Hands an error reply to the oldest request that has no reply. */
    void answered(JedisDataException error) {
        next().waiter.failed(rejected(error));
    }

    /** Closes the connection. Does not block for long. The reading thread notices, and calls {@link #failAll}. */
    void end(DriverException reason) {
        if (ended == null) {
            ended = reason;
        }
        if (ending.compareAndSet(false, true)) {
            long begin = System.nanoTime();
            // A writer who is stuck is left alone after a while: he fails when the socket is closed under him.
            while (!writing.compareAndSet(false, true) && System.nanoTime() - begin < END_PATIENCE_NANOS) {
                LockSupport.parkNanos(END_POLL_NANOS);
            }
        }
        opened.cut();
    }

    /** Fails whatever is left, with the first reason for the end. Called by the reading thread after the end. */
    void failAll(DriverException reason) {
        DriverException first = ended;
        DriverException failure = first == null ? reason : first;
        failed = failure;
        for (Request request = unanswered.poll(); request != null; request = unanswered.poll()) {
            request.waiter.failed(failure);
        }
        for (Request request = waiting.poll(); request != null; request = waiting.poll()) {
            request.waiter.failed(failure);
        }
    }

    private static DriverException rejected(JedisDataException error) {
        return DriverException.rejected(String.valueOf(error.getMessage()));
    }

    private Request next() {
        Request request = unanswered.poll();
        if (request == null) {
            throw new IllegalStateException("the server has answered without having been asked");
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
            boolean handedOver = false;
            try {
                handedOver = writeWhatFits();
            } catch (RuntimeException e) {
                broken(e);
            } finally {
                if (!handedOver) {
                    writing.set(false);
                }
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
        } catch (RuntimeException e) {
            broken(e);
        } finally {
            writing.set(false);
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
        if (waiting.remove(head)) {
            waitingBytes.addAndGet(-head.bytes);
            unansweredBytes.addAndGet(head.bytes);
            unanswered.add(head);
            if (head.prelude != null) {
                connection.sendCommand(head.prelude);
            }
            connection.sendCommand(head.arguments);
        }
    }

    private void flush() {
        // The one public method that does nothing but flush.
        connection.getMany(0);
    }

    /** Lets the reading thread find out, and tell everybody: stages are completed there. */
    private void broken(RuntimeException e) {
        if (ended == null) {
            ended = DriverException.unknown("the connection to the server broke: " + e.getMessage(), e);
        }
        opened.cut();
    }
}
