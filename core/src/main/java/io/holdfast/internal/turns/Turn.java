package io.holdfast.internal.turns;

import io.holdfast.LockOptions;

/**
 * One turn of a {@link LocalLine}: the time for which it has the lock, and whom of its line it may serve in that time. Pure:
 * it is told what happens and when, and answers what may be done; its line guards it by its lock.
 *
 * <p><b>States.</b> OPEN: this client knows of nobody else who waits for the lock; whoever joins the line may be served. CLOSED:
 * others wait; as many from the head of the line as stood there when it was closed are served, at most so many and for so long
 * as the options say, and nobody who came after them. A turn is closed once: nothing opens it again, and nothing that is
 * learned later adds to those who are served.
 *
 * <p><b>What closes it.</b> At its start, the grant says so, by reply or message, or a recall of it had come before. Later, a
 * recall, the mark that the answer to a question reports, or silence.
 *
 * <p><b>Questions and silence.</b> What is known counts from when the question left whose answer it was; the first question is
 * the request that was granted. When that is an interval ago, the next who joins the line or is served makes the client ask
 * again, in the call that renews the hold. When it is two intervals ago, others are taken to wait since then, whether the
 * question was not answered, or nobody came meanwhile who would have made the client ask. So whoever queues at the server is
 * overtaken, with all messages lost, by sections that begin within two intervals, and by one closed line. The clock is looked at
 * whenever it matters, and there is no timer: who joins after the two intervals does not belong to the closed line.
 *
 * <p><b>Kept locks.</b> Where the client keeps the lock for nobody ({@link LockOptions#keepFor}), the interval is a third of the
 * term, and its renewals are the questions: this is what that option promises. Without turns such a line serves nobody after it
 * is closed.
 */
final class Turn {
    /** Between two questions. */
    static final long INTERVAL_NANOS = 100_000_000L;

    private static final int OPEN = -1;

    private final int sections;
    private final long timeNanos;
    private final long interval;
    private long knownNanos; // when the question left that was answered last
    private boolean asking;
    private int left = OPEN; // how many are served yet; their places are the first of the line
    private long closedNanos; // meaningful once it is closed

    /**
     * An open turn.
     *
     * @param sections how many it may have at most
     * @param knownNanos when the request left, or was granted, whose grant says that nobody else waits
     */
    Turn(LockOptions options, int sections, long knownNanos) {
        this.sections = sections;
        this.timeNanos = options.localHandoffTime().toNanos();
        this.interval = options.keepFor().isZero()
                ? INTERVAL_NANOS
                : options.leaseDuration().toNanos() / 3;
        this.knownNanos = knownNanos;
    }

    boolean isOpen() {
        return left == OPEN;
    }

    /** Others waited when it began, of which the first lease is one section. */
    void beginsClosed(int inLine, long now) {
        close(Math.min(inLine, sections - 1), now);
    }

    /** Others wait. */
    void close(int inLine, long now) {
        if (isOpen()) {
            left = Math.max(0, Math.min(inLine, sections));
            closedNanos = now;
        }
    }

    /** To be called before anybody joins the line, leaves it, or is served: silence closes it, too. */
    void look(int inLine, long now) {
        if (isOpen() && now - knownNanos >= 2 * interval) {
            close(inLine, knownNanos + 2 * interval);
        }
    }

    /** Whether the first of the line may be served. */
    boolean mayServe(long now) {
        return isOpen() || (left > 0 && now - closedNanos < timeNanos);
    }

    /** The first of the line is served, or has turned out to be gone: its place is used up. */
    void served() {
        left(0);
    }

    /** Somebody has left the line, and takes the place along. */
    void left(int place) {
        if (place < left) {
            left--;
        }
    }

    /** Whether the server is to be asked now whether others wait; said once for each question. */
    boolean asks(long now) {
        if (!isOpen() || asking || now - knownNanos < interval) {
            return false;
        }
        asking = true;
        return true;
    }

    /** The answer to a question, or to a renewal, that left then: nobody else waited. */
    void answered(long sentNanos) {
        if (sentNanos - knownNanos > 0) {
            knownNanos = sentNanos;
            asking = false;
        }
    }
}
