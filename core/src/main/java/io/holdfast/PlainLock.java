package io.holdfast;

import io.holdfast.internal.lease.Answer;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.PlainHolding;
import io.holdfast.internal.polled.PlainLocks;
import io.holdfast.internal.polled.PolledRequest;
import io.holdfast.internal.queue.Client;
import io.holdfast.internal.wire.Answers;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock of the <em>plain protocol</em>: one key, whose value identifies the holder ({@code SET key value NX PX term}, freed
 * and extended by comparing the value). Many programs in many languages lock in this way, and a plain lock excludes
 * them. Cheap, stateless, and usable by any number of threads.
 *
 * <p>It is weaker than a {@link DistributedLock}: no queue (whichever request comes at the right moment gets it, and
 * waiting means asking repeatedly), no fencing token, and no defence against a copy of a request that reaches the server after
 * its caller has given up; such a copy keeps the key taken, without a holder, until the term is over. Use it to share a lock with
 * others, or to leave them ({@link MigrationLock}).
 *
 * <p><b>Ways of asking.</b> {@code acquire} returns a lease or throws. {@code tryAcquire} returns an empty result if the lock
 * was not free, and throws if that is not known. {@code attempt} returns every outcome as a value. {@code call} does work
 * under the lock and releases it in every case. Each form waits as long as the options say, or as the call says, and asks at least
 * once, however short the wait.
 *
 * <p><b>Interruption.</b> Every blocking form throws {@code InterruptedException} if the thread is interrupted when it
 * calls or while it waits. What was or will be granted is then given back, in the background if necessary.
 *
 * <p><b>Memory effects</b> are those of {@link DistributedLock}.
 *
 * <p><b>Errors</b> common to all: {@link ServerUnreachableException} (outcome unknown; what may have been granted is given
 * back), {@link ServerRefusedException} (not held), {@link HoldfastClosedException} (not held), what the caller's own
 * functions in {@link PlainOptions} throw (not held), and {@code IllegalStateException} for a value of the caller's that
 * another request of this client has in use (not held).
 */
public final class PlainLock {
    private final Client client;
    private final Keys keys;
    private final PlainOptions options;
    private final LockOptions leases;

    PlainLock(Client client, Keys keys, PlainOptions options) {
        this.client = client;
        this.keys = keys;
        this.options = options;
        this.leases = PlainLocks.leases(options);
    }

    /** The key, as it is on the server. */
    public String key() {
        return keys.hold();
    }

    /** The options with which this lock is asked for. */
    public PlainOptions options() {
        return options;
    }

    /** The same lock, asked for with other options. */
    public PlainLock with(PlainOptions other) {
        return new PlainLock(client, keys, other);
    }

    /**
     * Waits for the lock as long as the options say.
     *
     * @throws LockTimeoutException if it was not free in time, or at none of the attempts
     */
    public PlainLease acquire() throws InterruptedException {
        return acquire(options.waitLimit());
    }

    /**
     * Waits for the lock as long as {@code wait} says.
     *
     * @throws LockTimeoutException if it was not free (in time), or at none of the attempts
     */
    public PlainLease acquire(Wait wait) throws InterruptedException {
        return attempt(wait).orElseThrow();
    }

    /** Asks once, without waiting: empty if the key is taken. */
    public Optional<PlainLease> tryAcquire() throws InterruptedException {
        return tryAcquire(Wait.none());
    }

    /**
     * Waits for the lock as long as {@code wait} says: empty if it was not free (in time), or at none of the attempts.
     *
     * @throws ServerUnreachableException if that is not known
     */
    public Optional<PlainLease> tryAcquire(Wait wait) throws InterruptedException {
        return known(attempt(wait));
    }

    /** Waits for the lock as long as the options say, and returns the outcome as a value. */
    public PlainAttempt attempt() throws InterruptedException {
        return attempt(options.waitLimit());
    }

    /** Waits for the lock as long as {@code wait} says, and returns the outcome as a value. */
    public PlainAttempt attempt(Wait wait) throws InterruptedException {
        return await(wait, false);
    }

    /**
     * Acquires without blocking, waiting as long as the options say.
     *
     * <p>If the returned future is completed from outside in any way (cancelled, {@code orTimeout}, {@code complete}), the
     * request is withdrawn; a lease that was obtained at that very moment is released. It completes on the client's
     * executor.
     */
    public CompletableFuture<PlainLease> acquireAsync() {
        return acquireAsync(options.waitLimit());
    }

    /** Acquires without blocking, waiting as long as {@code wait} says; see {@link #acquireAsync()}. */
    public CompletableFuture<PlainLease> acquireAsync(Wait wait) {
        return async(wait, false, PlainAttempt::orElseThrow);
    }

    /** Acquires without blocking, and returns the outcome as a value; see {@link #acquireAsync()}. */
    public CompletableFuture<PlainAttempt> attemptAsync(Wait wait) {
        return async(wait, false, attempt -> attempt);
    }

    /**
     * Does work under the lock, waiting for it as long as the options say, and releases it in every case. The hold is
     * renewed for an hour at most, or as {@link PlainOptions#maxHold()} says.
     *
     * @return what the work returned
     * @throws LockTimeoutException if the lock was not free in time; the work was not begun
     * @throws LeaseLostException if the lease was lost while the work was done; it carries the work's result. An exception
     *     of the work itself is passed on as it is, whatever became of the lease
     */
    public <T extends @Nullable Object, X extends Exception> T call(PlainLeaseFunction<T, X> work)
            throws X, InterruptedException {
        return under(await(options.waitLimit(), true).orElseThrow(), work);
    }

    /** The same, waiting as long as {@code wait} says: empty, without the work being begun, if the lock was not free. */
    public <T, X extends Exception> Optional<T> tryCall(Wait wait, PlainLeaseFunction<T, X> work)
            throws X, InterruptedException {
        Optional<PlainLease> lease = known(await(wait, true));
        return lease.isPresent() ? Optional.ofNullable(under(lease.get(), work)) : Optional.empty();
    }

    /**
     * Does asynchronous work under the lock: it is released when the stage that the work returns completes. The result
     * completes after the release was answered. Completing the result from outside while the request waits withdraws it;
     * later, it does not stop the work.
     */
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(
            Function<? super PlainLease, ? extends CompletionStage<T>> work) {
        return Calls.under(async(options.waitLimit(), true, PlainAttempt::orElseThrow), lease -> lease.handle, work);
    }

    /**
     * Asks the server who holds the lock, whatever program it is; empty if nobody does. Blocks for one round trip, at most
     * the command timeout.
     *
     * @throws ServerUnreachableException if the server did not answer
     */
    public Optional<PlainHolder> holder() {
        return Answers.await(client.server, callback -> client.server.plainScripts.info(keys.hold(), "", callback));
    }

    /** How long the present hold lasts without renewal, whoever has it: zero if nobody does, 365 days without expiry. */
    public Duration remaining() {
        return holder().map(holder -> holder.remaining().orElse(Require.LONGEST))
                .orElse(Duration.ZERO);
    }

    private static Optional<PlainLease> known(PlainAttempt attempt) {
        if (attempt instanceof PlainAttempt.Unknown unknown) {
            throw unknown.cause();
        }
        return attempt.asOptional();
    }

    private <T extends @Nullable Object, X extends Exception> T under(PlainLease lease, PlainLeaseFunction<T, X> work)
            throws X {
        return Calls.under(lease.handle, () -> work.apply(lease));
    }

    private PlainAttempt await(Wait wait, boolean scoped) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return Calls.await(client.kit, newRequest(Require.given("wait", wait), scoped), PlainLock::attemptOf);
    }

    private <T> CompletableFuture<T> async(Wait wait, boolean scoped, Function<PlainAttempt, T> result) {
        return Calls.async(client.kit.executor(), newRequest(wait, scoped), answer -> result.apply(attemptOf(answer)));
    }

    private PolledRequest<PlainAttempt> newRequest(Wait wait, boolean scoped) {
        return client.plain.newRequest(keys, options, leases, wait, scoped);
    }

    private static PlainAttempt attemptOf(Answer<PlainAttempt> answer) {
        Handle handle = answer.handle();
        return handle != null && handle.hold instanceof Hold hold && hold.grant instanceof PlainHolding plain
                ? new PlainAttempt.Obtained(new PlainLease(handle, plain))
                : Objects.requireNonNull(answer.refusal());
    }

    @Override
    public String toString() {
        return "PlainLock[" + keys.hold() + "]";
    }
}
