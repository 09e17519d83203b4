package io.holdfast;

import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.polled.PlainGrant;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * One hold of a plain lock. It belongs to no thread: any thread may look at it, extend it or release it.
 *
 * <p>It knows its deadline without asking, as a {@link Lease} does: counted from before the request left, less 1 % and 2 ms.
 * <b>It has no fencing token</b>, because the plain protocol has none: work that must not be done twice needs the
 * {@link DistributedLock}.
 *
 * <p>While a lease is renewed it must stay reachable: if it is dropped without a release, its renewal ends, and the lease
 * expires at the end of its lease duration.
 */
public final class PlainLease implements AutoCloseable {
    final Handle handle;
    private final Hold hold;
    private final PlainGrant plain;

    PlainLease(Handle handle) {
        this.handle = handle;
        this.hold = handle.hold;
        this.plain = (PlainGrant) hold.grant;
    }

    /** The key. */
    public String key() {
        return hold.keys().hold();
    }

    /** The key's value while it is held by this lease. A program that knows it can free the key. */
    public String value() {
        return hold.owner();
    }

    /** Whether the lease is held at this instant. Once false, false for ever. No I/O. */
    public boolean isValid() {
        return handle.isValid();
    }

    /**
     * Asks the server whether the key is there with this lease's value. If it is not, the lease is lost. Blocks for one
     * round trip, at most the command timeout. For a key without expiry this is the only way to notice that it
     * was deleted.
     *
     * @return whether the lease is held; false without asking if it is over
     * @throws ServerUnreachableException if the server did not answer; the lease is as it was
     * @throws ServerRefusedException if the server answered with an error; the lease is as it was
     */
    public boolean isHeldOnServer() {
        return join(plain.check().thenApplyAsync(held -> held, hold.executor()));
    }

    /** How long the lease is still held without a further renewal; zero if it is over; 365 days without expiry. No I/O. */
    public Duration remaining() {
        return handle.hasLeft() ? Duration.ZERO : hold.remaining();
    }

    /**
     * Does nothing if the lease is held. No I/O.
     *
     * @throws LeaseLostException if it was lost or released
     */
    public void requireValid() {
        if (!handle.isValid()) {
            throw handle.lostException(null);
        }
    }

    /**
     * Since when the lease is known to hold the key, by the server's clock. To be compared with times of the same server
     * only. No I/O.
     */
    public Instant since() {
        return hold.since();
    }

    /** How long it took to obtain the lease, from the call. */
    public Duration waited() {
        return hold.waited();
    }

    /** How often the key was asked for; 1 without contention and failures. */
    public int attempts() {
        return hold.attempts();
    }

    /** The value of the stuck holder that this lease took the key over from; mostly empty. */
    public Optional<String> takenOverFrom() {
        return Optional.ofNullable(plain.replaced());
    }

    /**
     * A stage that completes when the lease is lost, with the reason; at once if it was lost already; never after a
     * release. It completes at the deadline at the latest, also when the server hangs, on the client's executor.
     */
    public CompletionStage<LossReason> whenLost() {
        return hold.lost().minimalCompletionStage();
    }

    /**
     * Makes the lease last at least this long from now, if it is still this one's; what it was promised before is never
     * shortened. Blocks for one round trip, at most the command timeout. An extension that fails releases nothing.
     *
     * @param atLeast 1 ms to 365 days; a fraction of a millisecond is dropped
     * @throws LeaseLostException if the lease is over, or the key has another value; nothing was extended
     * @throws ServerUnreachableException if the server did not answer: the lease is still held until its old deadline, and
     *     the extension may take effect or not
     * @throws ServerRefusedException if the server answered with an error; the lease is held until its old deadline
     */
    public void extend(Duration atLeast) {
        var unused = join(extendAsync(atLeast).thenApply(done -> true));
    }

    /** Does not block. */
    public CompletableFuture<Void> extendAsync(Duration atLeast) {
        Require.between("atLeast", atLeast, Duration.ofMillis(1), Require.LONGEST);
        return hold.extend(atLeast)
                .thenApplyAsync(
                        held -> {
                            if (!held) {
                                throw handle.lostException(null);
                            }
                            return null;
                        },
                        hold.executor());
    }

    /**
     * Ends the lease and frees the key, if it still has this lease's value. Blocks for one round trip, at most the command
     * timeout; not interruptible, and never throws for the server's sake. The lease is over before the request leaves.
     * Releasing twice is harmless.
     */
    public ReleaseResult release() {
        return handle.leaveAndWait();
    }

    /** Does not block; the future completes on the client's executor. */
    public CompletableFuture<ReleaseResult> releaseAsync() {
        return handle.leaveAsync();
    }

    /** Releases. */
    @Override
    public void close() {
        release();
    }

    private static boolean join(CompletableFuture<Boolean> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof HoldfastException known) {
                throw known;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return "PlainLease[" + key() + (isValid() ? ", " + remaining().toMillis() + " ms left]" : ", over]");
    }
}
