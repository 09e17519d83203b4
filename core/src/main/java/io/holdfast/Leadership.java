package io.holdfast;

import io.holdfast.internal.wire.LogText;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The time for which one candidate leads, once. It ends when the candidate resigns, when its deadline passes, or when the
 * server reports that it is gone; once over, it is over for ever. Like a {@link Lease} it knows its deadline without asking:
 * it is over here, by this client's clock, before the server lets another lead. Any thread may use it.
 */
public final class Leadership {
    private final Lease lease;
    private final CompletableFuture<Optional<LossReason>> whenOver = new CompletableFuture<>();
    private volatile @Nullable Thread body; // as long as the leader is at work
    private volatile boolean toInterrupt;

    Leadership(Lease lease) {
        this.lease = lease;
    }

    /** The fencing token: positive, below 2^53, greater than that of every earlier leadership of this election. */
    public long token() {
        return lease.token();
    }

    /** The public part of the owner id, as {@link Election#leader()} and listings show it. */
    public String owner() {
        return lease.owner();
    }

    /** Whether it lasts at this instant. Once false, false for ever. No I/O. */
    public boolean isValid() {
        return lease.isValid();
    }

    /**
     * Does nothing while it lasts. No I/O.
     *
     * @throws LeaseLostException if it is over
     */
    public void requireValid() {
        if (!lease.isValid()) {
            throw lease.lostException(null);
        }
    }

    /** How long it lasts yet without a further renewal; zero if it is over. No I/O. */
    public Duration remaining() {
        return lease.remaining();
    }

    /**
     * A stage that completes when it is over, at its deadline at the latest, also when the server hangs: with the reason if it
     * was lost, empty if the candidate resigned or was closed. Completes on the client's executor.
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

    /** The leader begins to work in this thread. */
    void enter() {
        body = Thread.currentThread();
        if (toInterrupt) { // since before this thread was known
            Thread.currentThread().interrupt();
        }
    }

    /** The leader works no more. Its thread, which ends now, may be interrupted a moment longer. */
    void leave() {
        body = null;
        var unused = Thread.interrupted();
    }

    /** Whether its leader was to be interrupted. */
    boolean isInterrupted() {
        return toInterrupt;
    }

    /** Any thread may say so; a caller in the leader's own thread knows already. */
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
