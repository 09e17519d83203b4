package io.holdfast;

import io.holdfast.internal.wire.LogText;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One continuous period for which one candidate leads. It ends when the candidate resigns or is closed, when its deadline
 * passes, or when the server reports that it is gone. Once over, it is over for ever. Like a {@link Lease}, it knows its
 * deadline without asking the server. The deadline passes here, by this client's clock, before the server lets another
 * candidate lead. If an operator releases the leadership by name, this client learns of it afterwards. Any thread may use it.
 */
public final class Leadership {
    private final Lease lease;
    private final CompletableFuture<Optional<LossReason>> whenOver = new CompletableFuture<>();
    private volatile @Nullable Thread body; // non-null while the leader is at work
    private volatile boolean toInterrupt;

    Leadership(Lease lease) {
        this.lease = lease;
    }

    /** Returns the fencing token: positive, below 2^53, and greater than that of every earlier leadership of this election. */
    public long token() {
        return lease.token();
    }

    /** Returns the public part of the owner id, as {@link Election#leader()} and listings show it. */
    public String owner() {
        return lease.owner();
    }

    /** Returns whether the leadership is valid at this instant. Once false, the answer is false for ever. No I/O. */
    public boolean isValid() {
        return lease.isValid();
    }

    /**
     * Throws an exception if the leadership is over, and otherwise does nothing. No I/O.
     *
     * @throws LeaseLostException if it is over
     */
    public void requireValid() {
        if (!lease.isValid()) {
            throw lease.lostException(null);
        }
    }

    /** Returns how long the leadership still lasts without a further renewal; zero if it is over. No I/O. */
    public Duration remaining() {
        return lease.remaining();
    }

    /**
     * Returns a stage that completes when the leadership is over: at its deadline at the latest, even if the server hangs. The
     * value is the reason if the leadership was lost, and empty if the candidate resigned or was closed. The stage completes on
     * the client's executor.
     */
    public CompletionStage<Optional<LossReason>> whenOver() {
        return whenOver.minimalCompletionStage();
    }

    Lease lease() {
        return lease;
    }

    void ended(@Nullable LossReason reason) {
        whenOver.complete(Optional.ofNullable(reason));
    }

    // ---- the thread of the leader

    /** Called when the leader begins to work, in its thread. */
    void enter() {
        body = Thread.currentThread();
        if (toInterrupt) { // since before this thread was known
            Thread.currentThread().interrupt();
        }
    }

    /** Called when the leader has ended its work. Its thread, which ends now, may still be interrupted for a moment. */
    void leave() {
        body = null;
        var unused = Thread.interrupted();
    }

    /** Returns whether an interrupt of its leader was requested. */
    boolean isInterrupted() {
        return toInterrupt;
    }

    /** Interrupts the leader. May be called by any thread; the leader's own thread does not interrupt itself. */
    void interruptBody() {
        toInterrupt = true;
        Thread present = body;
        if (present != null && present != Thread.currentThread()) {
            present.interrupt();
        }
    }

    @Override
    public String toString() {
        return "Leadership[" + LogText.name(lease.name()) + ", token " + token()
                + (isValid() ? ", " + remaining().toMillis() + " ms left]" : ", over]");
    }
}
