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
 * What can be acquired: a {@link DistributedLock}, of whatever kind, a {@link DistributedSemaphore}, a {@link LockSet}, a
 * {@link PlainLock}. All are asked for in the same ways.
 *
 * <table>
 *   <caption>Ways of asking</caption>
 *   <tr><th>form</th><th>obtained</th><th>not free in time</th><th>not known</th></tr>
 *   <tr><td>{@code acquire}</td><td>a lease, to be closed</td><td>throws</td><td>throws</td></tr>
 *   <tr><td>{@code tryAcquire}</td><td>a lease, to be closed</td><td>empty</td><td>throws</td></tr>
 *   <tr><td>{@code attempt}</td><td colspan="3">each outcome as a value</td></tr>
 *   <tr><td>{@code call}</td><td>the result of the work</td><td>throws</td><td>throws</td></tr>
 *   <tr><td>{@code tryCall}</td><td>the result of the work</td><td>empty</td><td>throws</td></tr>
 *   <tr><td>{@code run}</td><td>the work is done</td><td>throws</td><td>throws</td></tr>
 *   <tr><td>{@code tryRun}</td><td>true</td><td>false</td><td>throws</td></tr>
 * </table>
 *
 * <p>A form without a wait waits as long as the options say; {@code tryAcquire}, {@code tryAcquireAsync}, {@code tryCall} and {@code tryRun}
 * do not wait then. The forms of work release in every case.
 *
 * @param <L> its lease
 */
public abstract class Acquirable<L> {
    /** For the kinds of this package. */
    Acquirable() {}

    // ---- the kinds

    /** How long to wait unless the call says so. */
    abstract Wait usualWait();

    /** Asks and blocks; a thread that is interrupted before does not ask. */
    abstract Attempt<L> await(Wait wait, boolean scoped) throws InterruptedException;

    /** Asks without blocking. */
    abstract <R> CompletableFuture<R> async(Wait wait, boolean scoped, Function<Attempt<L>, R> result);

    abstract Entry<?> entryOf(L lease);

    /** Does work under a lease in the present thread; the lease is left by the caller. */
    abstract <T extends @Nullable Object, X extends Exception> T within(L lease, LeaseFunction<L, T, X> work) throws X;

    // ---- a lease

    /**
     * Waits as long as the options say.
     *
     * @throws LockNotObtainedException see {@link #acquire(Wait)}
     */
    public final L acquire() throws InterruptedException {
        return acquire(usualWait());
    }

    /**
     * Waits as long as {@code wait} says.
     *
     * @throws LockNotObtainedException if it was not obtained: as {@link LockTimeoutException} if it was not free (in time). The
     *     exception names the holder and the position in the queue
     */
    public final L acquire(Wait wait) throws InterruptedException {
        return await(wait, false).orElseThrow();
    }

    /** Asks once, without waiting: empty if it is not free. */
    public final Optional<L> tryAcquire() throws InterruptedException {
        return tryAcquire(Wait.none());
    }

    /**
     * Waits as long as {@code wait} says: empty if it was not free (in time).
     *
     * @throws ServerUnreachableException if that is not known
     * @throws LockNotObtainedException if it was not obtained for a reason that is not {@linkplain Attempt.Reason#isBusy() busy}: the
     *     actor holds it itself, and the options say to refuse that; the grant was not confirmed as they ask for; or the
     *     request was ended to break a deadlock
     */
    public final Optional<L> tryAcquire(Wait wait) throws InterruptedException {
        return known(await(wait, false));
    }

    /** As {@link #tryAcquire(Wait)}, for so long at most. */
    public final Optional<L> tryAcquire(Duration atMost) throws InterruptedException {
        return tryAcquire(Wait.upTo(atMost));
    }

    /** Waits as long as the options say, and returns the outcome as a value. */
    public final Attempt<L> attempt() throws InterruptedException {
        return attempt(usualWait());
    }

    /** Waits as long as {@code wait} says, and returns the outcome as a value. */
    public final Attempt<L> attempt(Wait wait) throws InterruptedException {
        return await(wait, false);
    }

    /**
     * Acquires without blocking, waiting as long as the options say.
     *
     * <p>If the returned future is completed from outside in any way (cancelled, {@code orTimeout}, {@code complete}), the
     * request is withdrawn; a lease that was obtained at that very moment is released. It completes on the client's
     * executor.
     */
    public final CompletableFuture<L> acquireAsync() {
        return acquireAsync(usualWait());
    }

    /** Acquires without blocking, waiting as long as {@code wait} says; see {@link #acquireAsync()}. */
    public final CompletableFuture<L> acquireAsync(Wait wait) {
        return async(wait, false, Attempt::orElseThrow);
    }

    /** Asks once, without blocking: empty if it is not free; see {@link #tryAcquire()} and {@link #acquireAsync()}. */
    public final CompletableFuture<Optional<L>> tryAcquireAsync() {
        return tryAcquireAsync(Wait.none());
    }

    /** Acquires without blocking, and waits as long as {@code wait} says: empty if it was not free (in time); see {@link #tryAcquire(Wait)}. */
    public final CompletableFuture<Optional<L>> tryAcquireAsync(Wait wait) {
        return async(wait, false, Acquirable::known);
    }

    /** Acquires without blocking, and returns the outcome as a value; see {@link #acquireAsync()}. */
    public final CompletableFuture<Attempt<L>> attemptAsync() {
        return attemptAsync(usualWait());
    }

    /** Acquires without blocking, waits as long as {@code wait} says, and returns the outcome as a value. */
    public final CompletableFuture<Attempt<L>> attemptAsync(Wait wait) {
        return async(wait, false, attempt -> attempt);
    }

    // ---- work

    /**
     * Does work under it, waiting for it as long as the options say, and releases it in every case. The hold is
     * renewed for {@link LockOptions#maxScopedHold()} at most.
     *
     * @return what the work returned
     * @throws LockTimeoutException if it was not free in time; the work was not begun
     * @throws LeaseLostException if the lease was lost while the work was done; it carries the work's result. An exception
     *     of the work itself is passed on as it is, whatever became of the lease
     * @throws LeaseEndingException if the work ended with an {@code InterruptedException}, which is the cause, after
     *     {@link LockOptions#interruptBefore()} had interrupted it
     */
    public final <T extends @Nullable Object, X extends Exception> T call(LeaseFunction<L, T, X> work)
            throws X, InterruptedException {
        return call(usualWait(), work);
    }

    /** As the method without {@code wait}, but waits as long as that says. */
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
     * As {@link #call(Wait, LeaseFunction)}: empty, without the work being begun, if it was not free (in time).
     *
     * @throws NullPointerException if the work returns null, which would look as if it had not been begun; see {@link #tryRun(Wait, LeaseAction)}
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

    /** As the method without {@code wait}, but waits as long as that says. */
    public final <X extends Exception> void run(Wait wait, LeaseAction<L, X> work) throws X, InterruptedException {
        under(await(wait, true).orElseThrow(), returningTrue(work));
    }

    /** As {@link #tryRun(Wait, LeaseAction)}, without waiting. */
    public final <X extends Exception> boolean tryRun(LeaseAction<L, X> work) throws X, InterruptedException {
        return tryRun(Wait.none(), work);
    }

    /** As {@link #run(Wait, LeaseAction)}: false, without the work being begun, if it was not free (in time). */
    public final <X extends Exception> boolean tryRun(Wait wait, LeaseAction<L, X> work)
            throws X, InterruptedException {
        return tryCall(wait, returningTrue(work)).isPresent();
    }

    /**
     * Does asynchronous work under it: it is released when the stage that the work returns completes. The result
     * completes after the release was answered. Completing the result from outside while the request waits withdraws it;
     * later, it does not stop the work.
     */
    public final <T extends @Nullable Object> CompletableFuture<T> callAsync(
            Function<? super L, ? extends CompletionStage<T>> work) {
        return callAsync(usualWait(), work);
    }

    /** As the method without {@code wait}, but waits as long as that says. */
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
