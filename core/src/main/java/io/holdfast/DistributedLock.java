package io.holdfast;

import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock: a name, and the options with which it is requested. Cheap, stateless, and usable by any number of threads.
 *
 * <pre>{@code
 * DistributedLock lock = holdfast.lock("month-end");
 * Optional<String> done = lock.tryCall(Wait.upTo(Duration.ofSeconds(5)), lease -> report(lease.token()));
 * if (done.isEmpty()) {
 *     send("another holder had the lock for five seconds: nothing was done");
 * }
 * }</pre>
 *
 * <p>At most one {@link Lease} of an exclusive lock is valid at a time, apart from re-entries, among all clients of one server
 * with one prefix. See docs/safety.md for the assumptions behind this. Clients that wait are served in the order in which their
 * requests reached the server, unless their options say otherwise. In its
 * {@linkplain LockOptions#withLocalHandoffs(int, Duration) turn}, a client serves several of its own requests. A lock of a
 * {@link Quorum} is requested in the same ways, but its waiters have no queue.
 *
 * <p><b>Not re-entrant by default.</b> A lease belongs to no thread, so that another thread may release it. If a thread
 * requests a lock that it already holds, it therefore waits for itself, until the wait is over.
 * {@link LockOptions#withReentrancy} lets it enter, or refuses it at once. A warning in the log names a thread that waits for
 * itself, when its wait begins. The outcome of its request reports this as well ({@link Contention#heldByCallerSince()}).
 *
 * <p><b>Ways to acquire.</b> {@link Acquirable} describes them. The time to wait is that of the lock's options
 * ({@link LockOptions#waitLimit()}, 60 s by default), unless the call gives another. A {@code try} method without a given time
 * does not wait.
 *
 * <p><b>Interruption.</b> Every blocking method that acquires the lock throws {@code InterruptedException} if the thread is
 * interrupted when it calls or while it waits. The request is then withdrawn, in the background if necessary: nothing stays in
 * the queue, and nothing stays held.
 *
 * <p><b>Memory effects.</b> Within one JVM, a thread's actions before it releases a lease happen-before any thread's actions
 * under a later lease of the same lock. The actions under a lease begin when the call that obtained it has returned, or when
 * its stage has completed. Data that is accessed only under the lock therefore needs no other synchronization among the threads
 * of a JVM, as with a lock of {@code java.util.concurrent}. A lease that was lost orders nothing: its thread may still be at
 * work when the next lease is granted. Between processes there is no happens-before: each store, such as a file or a database,
 * determines what the next holder sees of it.
 *
 * <p>The actions that led to the completion of a stage, or to an event, happen-before the actions that depend on the stage.
 * They also happen-before the call that notifies a listener of the event. The listeners of a client are called for one event
 * after the other, on any threads of its executor, and each call happens-before the next.
 *
 * <p><b>Errors</b> common to all ways to acquire: {@link ServerUnreachableException} (outcome unknown; a lock that may have
 * been granted is given back), {@link ServerRefusedException} (not held), {@link HoldfastClosedException} (not held).
 */
public final class DistributedLock extends Acquirable<Lease> {
    final Engine engine;
    final Keys keys;
    final Asked what;
    private final LockOptions options;
    private final @Nullable String actor;
    private final boolean shared; // whether several may hold it

    DistributedLock(Engine engine, Keys keys, LockOptions options, @Nullable String actor) {
        this(engine, keys, Asked.ALONE, options, actor);
    }

    /**
     * Creates a lock.
     *
     * @param what the mode and amount that its requests ask for
     */
    DistributedLock(Engine engine, Keys keys, Asked what, LockOptions options, @Nullable String actor) {
        engine.accept(options);
        this.shared = keys.kind().isLine();
        if (shared) {
            acceptShared(what, options);
        }
        this.engine = engine;
        this.keys = keys;
        this.what = what;
        this.options = options;
        this.actor = actor;
    }

    /** Refuses options that have no meaning for a lock that several may hold. */
    private static void acceptShared(Asked what, LockOptions options) {
        if (!options.keepFor().isZero()) {
            throw new IllegalArgumentException("keepFor is " + options.keepFor() + ", must be " + Duration.ZERO
                    + " for a lock that several may hold: what its client keeps is a hold that excludes all others");
        }
        refuseUntilStuck("waitLimit", options.waitLimit());
        if (what.mode() == LockMode.PERMITS && options.reentrancy() != LockOptions.Reentrancy.WAIT) {
            throw new IllegalArgumentException("reentrancy is " + options.reentrancy()
                    + ", must be WAIT for a semaphore: its permits belong to no actor");
        }
    }

    private static Wait refuseUntilStuck(String parameter, Wait wait) {
        if (wait.untilStuck()) {
            throw new IllegalArgumentException(parameter + " is " + wait
                    + ", must be none, limited or for ever for a lock that several may hold: no single holder"
                    + " is the stuck one");
        }
        return wait;
    }

    /** Returns the lock's name. */
    public String name() {
        return keys.name();
    }

    /** Returns the holder and the first hundred waiters. Blocks for one round trip, at most the command timeout. */
    public LockInfo info() {
        return engine.look(keys);
    }

    /** Returns the key under which the server keeps the hold. */
    public String key() {
        return keys.hold();
    }

    /** Returns the options with which this lock is requested. */
    public LockOptions options() {
        return options;
    }

    /** Returns a copy of this lock with the given options. */
    public DistributedLock with(LockOptions other) {
        return new DistributedLock(engine, keys, what, other, actor);
    }

    /**
     * Returns a copy whose requests belong to the given actor. {@link LockOptions#reentrancy()} refers to this actor, and
     * listings show it. By default, the actor is the calling thread. An actor's id is known within one client only: the same id
     * in two clients is two actors.
     *
     * @param id 1 to 100 characters
     */
    public DistributedLock withActor(String id) {
        return new DistributedLock(engine, keys, what, options, Require.text("actor", id, 100));
    }

    /**
     * Returns a copy whose requests belong to the given actor, unless {@link #withActor} has already named one. It is for code
     * between the caller and the lock whose threads do not identify callers. On an event loop's thread, for example, two
     * callers would be one actor.
     *
     * @param id 1 to 100 characters
     */
    public DistributedLock withDefaultActor(String id) {
        return actor == null ? withActor(id) : this;
    }

    /**
     * Returns a view of this lock as a lock of {@code java.util.concurrent}: owned by the thread that locked it, and
     * re-entrant, like a {@code ReentrantLock}. All views of one lock in one client are one lock, whatever their options: a
     * thread enters again through any of them, and unlocks through any of them. Another client is another owner.
     *
     * <p>It differs from {@code ReentrantLock} as follows:
     *
     * <ul>
     *   <li>{@code lock()} and {@code lockInterruptibly()} wait for ever, even while the server is away. {@code lock()} throws
     *       {@link LockRefusedException} or {@link DeadlockException} if the options allow such answers. {@code tryLock} throws
     *       {@link ServerUnreachableException} if the server does not answer; a lock that may have been granted is given back.
     *   <li>{@code tryLock()} overtakes no waiter: a lock that goes to the next waiter is never free in between. Like
     *       {@code tryLock(0, unit)} it asks the server once, for at most the command timeout. A wait that is not zero lasts at
     *       least 1 ms.
     *   <li>A lock can be lost. {@code unlock()} then counts down, and throws {@link LeaseLostException}: work under the lock may
     *       have overlapped with another holder's. If the thread locks again before it has unlocked a lost lock, that call also
     *       throws it, and counts nothing.
     *   <li>A thread that ends without unlocking leaves the lock locked for a limited time. Renewal of its lease stops once the
     *       garbage collector has run, and the lease then expires. The client keeps no object of that thread. The views of a
     *       living thread count as in use until {@link LockOptions#maxHold()} is over or the client is closed.
     *   <li>If a thread holds the lock by a lease that does not belong to a view, a view enters that hold, and unlocking leaves
     *       it. Views therefore request the lock in {@linkplain LockOptions#withStrictOrder() strict order}. But if that lease
     *       was obtained in a {@linkplain LockOptions#withLocalHandoffs(int, Duration) turn}, which is the default, or if this
     *       client {@linkplain LockOptions#withKeepFor keeps} the lock, such a thread waits for itself.
     *   <li>The thread is the owner even if {@link #withActor} has named another actor: threads of one actor exclude each other.
     *   <li>Conditions are not supported: {@code newCondition()} throws {@code UnsupportedOperationException}.
     * </ul>
     *
     * @throws UnsupportedOperationException if this is a request for permits of a semaphore, which belong to no thread
     */
    public java.util.concurrent.locks.Lock asJavaLock() {
        if (what.mode() == LockMode.PERMITS) {
            throw new UnsupportedOperationException(LogText.lock(name())
                    + " is a semaphore, whose permits belong to no thread: only locks have a view as a"
                    + " java.util.concurrent lock; acquire permits with try-with-resources");
        }
        return new JavaLock(this);
    }

    /**
     * Returns whether any client holds the lock, or whether the lock {@linkplain Holder#resting() rests}. Each side of a
     * read/write lock answers for itself: whether it is held for reading, or for writing. Blocks for one round trip, at most the
     * command timeout.
     */
    public boolean isLocked() {
        LockInfo now = engine.look(keys);
        return now.isLocked() && isOfThisSide(now);
    }

    /**
     * Returns how long the lock stays held without renewal, by any client, or how long it rests; zero if it is free. Each side
     * of a read/write lock answers for itself; with several holders the result is the longest of their times. Blocks for one
     * round trip, at most the command timeout.
     */
    public Duration remaining() {
        LockInfo now = engine.look(keys);
        return isOfThisSide(now) ? now.remaining() : Duration.ZERO;
    }

    private boolean isOfThisSide(LockInfo now) {
        return keys.kind() != Keys.Kind.READ_WRITE
                || now.shares().stream().anyMatch(share -> share.mode() == what.mode());
    }

    /**
     * Makes a lease last at least this lock's lease duration from now; if it is over, requests the lock again. The result says
     * which of the two happened. After a loss, others may have held the lock in between, so the caller must check again the
     * data that the lease protected.
     *
     * @param lease a lease of this lock
     * @param wait how long to wait for the lock if it must be requested again
     * @throws LockTimeoutException if the lease is over and the lock was not free in time
     * @throws IllegalArgumentException if the lease is of another lock, or of a request with another mode or other permits
     */
    public Extension extendOrReacquire(Lease lease, Wait wait) throws InterruptedException {
        if (!lease.hold.keys().equals(keys) || !lease.hold.what().equals(what)) {
            throw new IllegalArgumentException("lease is of " + LogText.lock(lease.name()) + ", must be of "
                    + LogText.lock(name()) + " and of its mode");
        }
        if (lease.isValid()) {
            try {
                lease.extend(options.leaseDuration());
                return new Extension(lease, true);
            } catch (LeaseLostException e) {
                // It has ended meanwhile: as if it had ended before.
            }
        }
        return new Extension(acquire(wait), false);
    }

    /**
     * The result of {@link #extendOrReacquire}.
     *
     * @param lease the lease that is held now
     * @param continuous whether it is the old lease, held without a gap; otherwise it is a new one, with a newer token
     */
    public record Extension(Lease lease, boolean continuous) {}

    /** Returns the time of the client's clock. */
    long nanoTime() {
        return engine.kit().nanoTime();
    }

    @Override
    Wait usualWait() {
        return options.waitLimit();
    }

    @Override
    Attempt<Lease> await(Wait wait, boolean scoped) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return Calls.await(engine.kit(), newRequest(Require.given("wait", wait), scoped, true), Lease::new);
    }

    @Override
    Entry<?> entryOf(Lease lease) {
        return lease.handle;
    }

    @Override
    <T extends @Nullable Object, X extends Exception> T within(Lease lease, LeaseFunction<Lease, T, X> work) throws X {
        return BodyLimit.run(lease, options.interruptBefore(), work);
    }

    private Question<Handle> newRequest(Wait wait, boolean scoped, boolean blocks) {
        return engine.newRequest(demand(wait, scoped, blocks));
    }

    /** Returns this lock's request for the caller; it may block until it is answered. */
    Demand demand(Wait wait, boolean scoped, boolean blocks) {
        return Demand.of(keys, what, options, shared ? refuseUntilStuck("wait", wait) : wait, scoped, actor, blocks);
    }

    /** Requests the lock and waits without responding to interrupts, which stay set. */
    Attempt<Lease> attemptUninterruptibly(Wait wait) {
        return Calls.awaitUninterruptibly(newRequest(wait, false, true)).map(Lease::new);
    }

    /**
     * Requests the lock for the library itself, and waits for ever. The answer comes on a thread that no code of the user's can
     * block.
     */
    CompletableFuture<Attempt<Lease>> attemptInBackground() {
        return Calls.async(
                engine.kit()::background, newRequest(Wait.forever(), false, false), answer -> answer.map(Lease::new));
    }

    @Override
    <T> CompletableFuture<T> async(Wait wait, boolean scoped, Function<Attempt<Lease>, T> result) {
        return Calls.async(
                engine.kit().executor(),
                newRequest(wait, scoped, false),
                answer -> result.apply(answer.map(Lease::new)));
    }

    @Override
    public String toString() {
        return "DistributedLock[" + LogText.name(name()) + "]";
    }
}
