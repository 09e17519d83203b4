package io.holdfast;

import io.holdfast.internal.lease.Entry;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The common methods of everything that can be acquired: a {@link DistributedLock} of any kind, a
 * {@link DistributedSemaphore}, a {@link LockSet} and a {@link PlainLock}.
 *
 * <table>
 *   <caption>Ways to acquire</caption>
 *   <tr><th>method</th><th>obtained</th><th>not free in time</th><th>not known</th></tr>
 *   <tr><td>{@code acquire}</td><td>a lease, to be closed</td><td>throws</td><td>throws</td></tr>
 *   <tr><td>{@code tryAcquire}</td><td>a lease, to be closed</td><td>empty</td><td>throws</td></tr>
 *   <tr><td>{@code attempt}</td><td colspan="3">each outcome as a value</td></tr>
 *   <tr><td>{@code call}</td><td>the result of the work</td><td>throws</td><td>throws</td></tr>
 *   <tr><td>{@code tryCall}</td><td>the result of the work</td><td>empty</td><td>throws</td></tr>
 *   <tr><td>{@code run}</td><td>the work is done</td><td>throws</td><td>throws</td></tr>
 *   <tr><td>{@code tryRun}</td><td>true</td><td>false</td><td>throws</td></tr>
 * </table>
 *
 * <p>A method without a {@link Wait} or a time limit waits for the time that the options give; {@code tryAcquire},
 * {@code tryAcquireAsync}, {@code tryCall} and {@code tryRun} then do not wait. The methods that take work always release the
 * lease afterwards.
 *
 * @param <L> type of the lease
 */
public abstract class Acquirable<L> {
    /** For the kinds of this package. */
    Acquirable() {}

    // ---- the kinds

    /** How long to wait if the call does not say. */
    abstract Wait usualWait();

    /** Requests it and blocks; a thread that was interrupted before sends no request. */
    abstract Attempt<L> await(Wait wait, boolean scoped) throws InterruptedException;

    /** Requests it without blocking. */
    abstract <R> CompletableFuture<R> async(Wait wait, boolean scoped, Function<Attempt<L>, R> result);

    abstract Entry<?> entryOf(L lease);

    /** Runs work under a lease in the current thread; the caller leaves the lease. */
    abstract <T extends @Nullable Object, X extends Exception> T within(L lease, LeaseFunction<L, T, X> work) throws X;

    // ---- a lease

    /**
     * Acquires it, and waits for the time that the options give.
     *
     * @throws LockNotObtainedException see {@link #acquire(Wait)}
     */
    public final L acquire() throws InterruptedException {
        return acquire(usualWait());
    }

    /**
     * Acquires it, and waits for the time that {@code wait} gives.
     *
     * @throws LockTimeoutException if it was not free in time
     * @throws LockNotObtainedException if it was not obtained for another reason. The exception names the holder and the position
     *     in the queue, as far as they are known
     * @throws ServerUnreachableException if the outcome is unknown
     */
    public final L acquire(Wait wait) throws InterruptedException {
        return await(wait, false).orElseThrow();
    }

    /** Requests it and does not wait; returns empty if it is not free. Throws what {@link #tryAcquire(Wait)} throws. */
    public final Optional<L> tryAcquire() throws InterruptedException {
        return tryAcquire(Wait.none());
    }

    /**
     * Acquires it, and waits for the time that {@code wait} gives; returns empty if it was not free in time.
     *
     * @throws ServerUnreachableException if the outcome is unknown
     * @throws LockNotObtainedException if it was not obtained for a reason that is not {@linkplain Attempt.Reason#isBusy()
     *     busy}. The actor already holds it and cannot enter it again, or the request was ended to break a deadlock. Or the grant
     *     was given back, because too few replicas confirmed it or because of a quarantine
     */
    public final Optional<L> tryAcquire(Wait wait) throws InterruptedException {
        return known(await(wait, false));
    }

    /** As {@link #tryAcquire(Wait)}, with a time limit. */
    public final Optional<L> tryAcquire(Duration atMost) throws InterruptedException {
        return tryAcquire(Wait.upTo(atMost));
    }

    /** Acquires it, waits for the time that the options give, and returns the outcome as a value. */
    public final Attempt<L> attempt() throws InterruptedException {
        return attempt(usualWait());
    }

    /** Acquires it, waits for the time that {@code wait} gives, and returns the outcome as a value. */
    public final Attempt<L> attempt(Wait wait) throws InterruptedException {
        return await(wait, false);
    }

    /**
     * Acquires it without blocking, and waits for the time that the options give.
     *
     * <p>If the caller completes the returned future in any way (by {@code cancel}, {@code orTimeout} or {@code complete}), the
     * request is withdrawn. A lease that was obtained at the same moment is released. The future completes on the client's
     * executor.
     */
    public final CompletableFuture<L> acquireAsync() {
        return acquireAsync(usualWait());
    }

    /** Acquires it without blocking, and waits for the time that {@code wait} gives; see {@link #acquireAsync()}. */
    public final CompletableFuture<L> acquireAsync(Wait wait) {
        return async(wait, false, Attempt::orElseThrow);
    }

    /** Requests it without blocking and does not wait; empty if it is not free. See {@link #acquireAsync()}. */
    public final CompletableFuture<Optional<L>> tryAcquireAsync() {
        return tryAcquireAsync(Wait.none());
    }

    /** Acquires it without blocking, and waits for the time that {@code wait} gives; see {@link #tryAcquire(Wait)}. */
    public final CompletableFuture<Optional<L>> tryAcquireAsync(Wait wait) {
        return async(wait, false, Acquirable::known);
    }

    /** Acquires it without blocking, waits as {@link #acquireAsync()} does, and returns the outcome as a value. */
    public final CompletableFuture<Attempt<L>> attemptAsync() {
        return attemptAsync(usualWait());
    }

    /** Acquires it without blocking, waits for the time that {@code wait} gives, and returns the outcome as a value. */
    public final CompletableFuture<Attempt<L>> attemptAsync(Wait wait) {
        return async(wait, false, attempt -> attempt);
    }

    // ---- work

    /**
     * Acquires it, runs the work, and always releases it afterwards. Waits for the time that the options give. The hold is
     * renewed for at most {@link LockOptions#maxScopedHold()}.
     *
     * @return the result of the work
     * @throws LockTimeoutException if it was not free in time; the work did not begin
     * @throws LeaseLostException if the lease was lost while the work ran; the exception carries the work's result. An exception
     *     of the work itself is thrown unchanged, even if the lease was lost
     * @throws LeaseEndingException if the work ended with an {@code InterruptedException}, which is the cause, after
     *     {@link LockOptions#interruptBefore()} had interrupted it
     */
    public final <T extends @Nullable Object, X extends Exception> T call(LeaseFunction<L, T, X> work)
            throws X, InterruptedException {
        return call(usualWait(), work);
    }

    /** As the method without {@code wait}, but waits for the time that {@code wait} gives. */
    public final <T extends @Nullable Object, X extends Exception> T call(Wait wait, LeaseFunction<L, T, X> work)
            throws X, InterruptedException {
        return under(await(wait, true).orElseThrow(), work);
    }

    /** As {@link #tryCall(Wait, LeaseFunction)}, without waiting. */
    public final <T, X extends Exception> Optional<T> tryCall(LeaseFunction<L, T, X> work)
            throws X, InterruptedException {
        return tryCall(Wait.none(), work);
    }

    /**
     * As {@link #call(Wait, LeaseFunction)}, but returns empty if it was not free in time. The work then did not begin.
     *
     * @throws NullPointerException if the work returns null, which would look as if it had not begun; see
     *     {@link #tryRun(Wait, LeaseAction)}
     */
    public final <T, X extends Exception> Optional<T> tryCall(Wait wait, LeaseFunction<L, T, X> work)
            throws X, InterruptedException {
        Optional<L> lease = known(await(wait, true));
        return lease.isEmpty()
                ? Optional.empty()
                : Optional.of(Objects.requireNonNull(
                        under(lease.get(), work),
                        "the work has returned null, which would look as if it had not begun: use tryRun"));
    }

    /** As {@link #call(LeaseFunction)}, for work without a result. */
    public final <X extends Exception> void run(LeaseAction<L, X> work) throws X, InterruptedException {
        run(usualWait(), work);
    }

    /** As the method without {@code wait}, but waits for the time that {@code wait} gives. */
    public final <X extends Exception> void run(Wait wait, LeaseAction<L, X> work) throws X, InterruptedException {
        under(await(wait, true).orElseThrow(), returningTrue(work));
    }

    /** As {@link #tryRun(Wait, LeaseAction)}, without waiting. */
    public final <X extends Exception> boolean tryRun(LeaseAction<L, X> work) throws X, InterruptedException {
        return tryRun(Wait.none(), work);
    }

    /** As {@link #run(Wait, LeaseAction)}, but returns false if it was not free in time. The work then did not begin. */
    public final <X extends Exception> boolean tryRun(Wait wait, LeaseAction<L, X> work)
            throws X, InterruptedException {
        return tryCall(wait, returningTrue(work)).isPresent();
    }

    /**
     * Acquires it and runs asynchronous work; releases it when the stage that the work returns completes. The result completes
     * when the server has answered the release, or has not answered it within the command timeout. If the caller completes the
     * result while the request waits, the request is withdrawn. If the caller completes it later, the work continues.
     */
    public final <T extends @Nullable Object> CompletableFuture<T> callAsync(
            Function<? super L, ? extends CompletionStage<T>> work) {
        return callAsync(usualWait(), work);
    }

    /** As the method without {@code wait}, but waits for the time that {@code wait} gives. */
    public final <T extends @Nullable Object> CompletableFuture<T> callAsync(
            Wait wait, Function<? super L, ? extends CompletionStage<T>> work) {
        return Calls.under(async(wait, true, Attempt::orElseThrow), this::entryOf, work);
    }

    /** The lease, if it was obtained; throws for outcomes that an empty result must not hide. */
    private static <L> Optional<L> known(Attempt<L> attempt) {
        return attempt instanceof Attempt.NotObtained<L> not && not.reason().isBusy()
                ? Optional.empty()
                : Optional.of(attempt.orElseThrow());
    }

    private static <L, X extends Exception> LeaseFunction<L, Boolean, X> returningTrue(LeaseAction<L, X> work) {
        return lease -> {
            work.accept(lease);
            return true;
        };
    }

    private <T extends @Nullable Object, X extends Exception> T under(L lease, LeaseFunction<L, T, X> work) throws X {
        return Calls.under(entryOf(lease), () -> within(lease, work));
    }
}
