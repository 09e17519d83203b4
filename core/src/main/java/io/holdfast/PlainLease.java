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
 * A lease of a plain lock. It belongs to no thread: any thread may check, extend or release it.
 *
 * <p>It knows its deadline without asking the server, as a {@link Lease} does. The deadline is counted from before the request
 * was sent, less 1 % and 2 ms. <b>A plain lease has no fencing token</b>, because the plain protocol has none: work that must
 * not be done twice needs the {@link DistributedLock}.
 *
 * <p>A lease that is renewed must stay reachable. If the last reference to it is dropped without a release, its renewal ends,
 * and the lease expires at the end of its lease duration.
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

    /** Returns the key. */
    public String key() {
        return hold.keys().hold();
    }

    /** Returns the key's value while this lease holds it. A program that knows the value can free the key. */
    public String value() {
        return hold.owner();
    }

    /** Returns whether the lease is held at this instant. Once false, it stays false. No I/O. */
    public boolean isValid() {
        return handle.isValid();
    }

    /**
     * Asks the server whether the key exists with this lease's value. If it does not, the lease is lost. Blocks for one
     * round trip, for at most the command timeout. If the key has no expiry, only this method, {@link #extend} and the release
     * notice that it was deleted.
     *
     * @return whether the lease is held; false, without a call to the server, if it is over
     * @throws ServerUnreachableException if the server did not answer; the lease is as it was
     * @throws ServerRefusedException if the server answered with an error; the lease is as it was
     */
    public boolean isHeldOnServer() {
        return join(plain.check().thenApplyAsync(held -> held, hold.executor()));
    }

    /**
     * Returns how long the lease is still held without a further renewal: zero if it is over, and 365 days if the key does not
     * expire. No I/O.
     */
    public Duration remaining() {
        return handle.hasLeft() ? Duration.ZERO : hold.remaining();
    }

    /**
     * Throws an exception if the lease is not held at this instant; otherwise does nothing. No I/O.
     *
     * @throws LeaseLostException if it was lost or released
     */
    public void requireValid() {
        if (!handle.isValid()) {
            throw handle.lostException(null);
        }
    }

    /**
     * Returns the time, by the server's clock, since when the lease is known to hold the key. Compare it only with times of the
     * same server. No I/O.
     */
    public Instant since() {
        return hold.since();
    }

    /** Returns how long it took to obtain the lease, counted from the call. */
    public Duration waited() {
        return hold.waited();
    }

    /** Returns how many tries it took to obtain the lease; 1 without contention and failures. */
    public int attempts() {
        return hold.attempts();
    }

    /** Returns the value of the stuck holder from which this lease took the key over; empty if it took nothing over. */
    public Optional<String> takenOverFrom() {
        return Optional.ofNullable(plain.replaced());
    }

    /**
     * Returns a stage that completes with the reason when the lease is lost. If the lease is already lost, it completes at
     * once; after a release, never. It completes on the client's executor, no later than the deadline, even if the server
     * hangs.
     */
    public CompletionStage<LossReason> whenLost() {
        return hold.lost().minimalCompletionStage();
    }

    /**
     * Extends the lease, if it still holds the key, to at least {@code atLeast} from now. An extension never shortens the
     * remaining time. Blocks for one round trip, for at most the command timeout. A failed extension releases nothing.
     *
     * @param atLeast 1 ms to 365 days; a fraction of a millisecond is dropped
     * @throws LeaseLostException if the lease is over, or the key is gone or has another value; nothing was extended
     * @throws ServerUnreachableException if the server did not answer: the lease is held until its old deadline, and the
     *     extension may or may not take effect
     * @throws ServerRefusedException if the server answered with an error; the lease is held until its old deadline
     */
    public void extend(Duration atLeast) {
        var unused = join(extendAsync(atLeast).thenApply(done -> true));
    }

    /** As {@link #extend}, without blocking; the future completes on the client's executor. */
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
     * Ends the lease, and frees the key if it still has this lease's value. Blocks for one round trip, for at most the command
     * timeout; cannot be interrupted. Never throws because of a server error. The lease is over before the request is
     * sent. A second release is harmless.
     */
    public ReleaseResult release() {
        return handle.leaveAndWait();
    }

    /** As {@link #release()}, without blocking; the future completes on the client's executor. */
    public CompletableFuture<ReleaseResult> releaseAsync() {
        return handle.leaveAsync();
    }

    /** Releases the lease; see {@link #release()}. */
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
