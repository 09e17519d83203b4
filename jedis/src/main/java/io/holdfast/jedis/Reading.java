package io.holdfast.jedis;

import io.holdfast.spi.BlockingCall;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Who reads the replies on one connection: the keeper's thread, or a caller that waits for one ({@link BlockingCall}). A reply
 * that the keeper reads costs two switches of threads, and one that its caller reads none.
 *
 * <h2>The role</h2>
 *
 * <pre>
 *              steps back, since calls have come one at a time
 *     KEEPER ----------------------------------------------------> NOBODY
 *       ^ ^   <----------------------------------------------------  | ^
 *       | |    a request without a call was sent; nobody has read    | |
 *       | |    for a while; the connection ends                      | | nothing is
 *       | |                                              a call that | | unanswered
 *       | |   something is unanswered, or time is up       has sent  v |
 *       | +--------------------------------------------------------- CALLER
 *       +-- DOUBTFUL <------------------------------------------------+
 *            it ends the connection           something was thrown
 * </pre>
 *
 * <p><b>Who may read.</b> Whoever has the role: only that thread reads, tells waiters, and touches {@link Arrivals}. The keeper
 * has it in KEEPER, one caller in CALLER, nobody in NOBODY and DOUBTFUL. What one has done before it gives the role up, the
 * next one sees. <b>Who may write</b> is another matter, see {@link Pipeline}. <b>Who ends the connection</b>: anybody, by closing
 * the socket; whoever reads then fails, and the keeper alone tells those who wait, after it has taken the role for good. So no
 * request is told its end by two.
 *
 * <p><b>Nobody waits without somebody who reads.</b> Who sends adds the request first and reads the role then ({@link #sent});
 * who gives the role up to NOBODY writes that first and looks for requests then. So one of the two sees the other. In NOBODY
 * there is nothing unanswered but what a call has sent that is about to read, or to decline. Should it never come to that,
 * as after an error in its thread, the keeper finds out within two times {@link #IDLE_NANOS}, for it never sleeps longer.
 *
 * <p><b>How long a caller reads.</b> Until its own requests are answered. After {@link #TURN_MILLIS} it takes no further reply, and
 * it waits no longer than that for one: for about so long it hears neither interrupts nor time limits. Only whole replies are
 * taken out of the socket's stream, so it can leave at any time, with half a reply left for the keeper. If there are others' requests left, the keeper goes on; callers do not hand the role
 * to each other, since with several at a time one thread that reads for all costs less.
 *
 * <p><b>When the keeper reads.</b> At first, and always where there is no {@link Arrivals}: on connections of a pool, whose
 * sockets are hidden, and on encrypted ones. It steps back after {@link #LONE} replies in a row to single requests of calls,
 * and reads again when nobody has read for {@link #IDLE_NANOS}: then it notices at once, as ever, that the connection breaks.
 * A blocked read cannot be taken over: while it reads, callers wait.
 *
 * <p><b>Callbacks</b> of whoever waits run in the thread that reads, as ever. One that asks and blocks in its turn, which only
 * the user's code could do, on an executor that runs it at once, finds the role taken: nobody reads until its time limit, just
 * as in the keeper's thread.
 *
 * <p><b>What is thrown</b> while a caller reads, by Jedis, by a callback, or since heap or stack are used up, ends the
 * connection and not the call, which learns of it as of any broken connection. To give the role up needs neither of the two.
 */
final class Reading implements BlockingCall.Source {
    /** How long a caller reads. */
    static final int TURN_MILLIS = 5;

    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);

    /** How long nobody has to have read for the keeper to read. */
    static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** So many calls in a row had the connection for themselves: probably the next one has. */
    static final int LONE = 8;

    private final Pipeline pipeline;
    private final @Nullable Arrivals arrivals;
    private final Thread keeper;

    private final ReadingRole role;

    /** How many callers have read. */
    private final AtomicInteger turns = new AtomicInteger();

    /** What a caller has met. Written by who has the role. */
    private @Nullable Throwable thrown;

    /** Whether anything else happened, since the keeper has looked, than calls that came one at a time. */
    private volatile boolean crowded;

    /** How many replies in a row left nothing unanswered. Of the keeper's thread. */
    private int lone;

    /** Made by the keeper's thread. */
    Reading(Pipeline pipeline) {
        this.pipeline = pipeline;
        this.arrivals = pipeline.arrivals();
        this.keeper = Thread.currentThread();
        this.role = new ReadingRole(pipeline::isOwed, () -> LockSupport.unpark(keeper));
    }

    // ---- senders

    /** Sends a request, and sees to it that somebody reads the reply. */
    void send(Request request, CompletionStage<?> answer) {
        pipeline.send(request);
        if (arrivals != null) {
            sent(answer);
        }
    }

    private void sent(CompletionStage<?> answer) {
        BlockingCall call = BlockingCall.present();
        if (call == null || !call.sent(this, answer)) {
            if (!crowded) {
                crowded = true;
            }
            role.summon();
        }
    }

    @Override
    public void decline() {
        role.summon();
    }

    // ---- callers

    @Override
    public void read(BlockingCall call) {
        if (call.isAnswered()) {
            role.summonIfOwed();
            return;
        }
        if (arrivals == null || !role.take()) {
            return;
        }
        int next = ReadingRole.DOUBTFUL;
        try {
            turns.incrementAndGet();
            readFor(call, arrivals);
            if (pipeline.isOwed()) {
                crowded = true;
                next = ReadingRole.KEEPER;
            } else {
                next = ReadingRole.NOBODY;
            }
        } catch (Throwable e) {
            thrown = e;
        } finally {
            role.holder = next;
        }
        role.left(next);
    }

    private void readFor(BlockingCall call, Arrivals from) {
        long begin = System.nanoTime();
        while (await(from)) {
            readOne();
            if (call.isAnswered() || System.nanoTime() - begin > TURN_NANOS) {
                return;
            }
        }
    }

    private static boolean await(Arrivals from) {
        try {
            return from.await(TURN_MILLIS);
        } catch (IOException e) {
            throw new JedisConnectionException(e); // as Jedis would
        }
    }

    // ---- the keeper

    /** Reads until the connection breaks, which is the only way in which this ends. */
    void keep() {
        while (true) {
            if (arrivals != null) {
                waitForEver(arrivals);
            }
            readOne();
            if (arrivals != null && isLone()) {
                stepBack();
            }
        }
    }

    private static void waitForEver(Arrivals from) {
        try {
            from.waitForEver();
        } catch (IOException e) {
            throw new JedisConnectionException(e);
        }
    }

    private boolean isLone() {
        if (crowded) {
            crowded = false;
            lone = 0;
            return false;
        }
        lone = pipeline.isOwed() ? 0 : lone + 1;
        return lone >= LONE;
    }

    /** Leaves the role to callers, until it comes back. */
    private void stepBack() {
        role.stepBack();
        int seen = turns.get();
        long sinceNanos = System.nanoTime();
        while (!role.isKeepers()) {
            if (role.takeDoubtful()) {
                throw ofCaller();
            }
            LockSupport.parkNanos(this, IDLE_NANOS);
            boolean unused = Thread.interrupted(); // by close(), which has ended the connection
            int now = turns.get();
            long nowNanos = System.nanoTime();
            if (now != seen) {
                seen = now;
                sinceNanos = nowNanos;
            }
            if (nowNanos - sinceNanos >= IDLE_NANOS || pipeline.hasEnded()) {
                role.summon();
            }
        }
    }

    private RuntimeException ofCaller() {
        Throwable cause = thrown;
        if (cause instanceof RuntimeException known) {
            return known;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a thread that read replies could not continue", cause);
    }

    private void readOne() {
        Object reply;
        try {
            reply = pipeline.read();
        } catch (JedisDataException e) {
            pipeline.answered(e);
            return;
        }
        pipeline.answered(reply);
    }
}
