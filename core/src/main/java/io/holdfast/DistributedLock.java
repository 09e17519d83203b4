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
 * <p>At most one {@link Lease} of a lock is valid at a time, among all clients of one server with one prefix; see
 * docs/safety.md for what this rests on. Waiters are served in the order in which their requests reached the server. A lock
 * of a {@link Quorum} is requested in the same ways, but its waiters have no queue.
 *
 * <p><b>Not re-entrant by default.</b> A thread that asks again for a lock that it holds waits for itself, until the wait is over: a lease belongs
 * to no thread, so that another one may release it. {@link LockOptions#withReentrancy} lets it in, or refuses it at once. A thread that waits
 * for itself is named in a warning of the log when its wait begins, and in what it is refused with ({@link Contention#heldByCallerSince()}).
 *
 * <p><b>Ways of asking</b> are those of {@link Acquirable}. Each form waits as long as the lock's options say
 * ({@link LockOptions#waitLimit()}, 60 s by default), or as the call says.
 *
 * <p><b>Interruption.</b> Every blocking form throws {@code InterruptedException} if the thread is interrupted when it
 * calls or while it waits. The request is then withdrawn, in the background if necessary: nothing stays in the queue,
 * and nothing stays held.
 *
 * <p><b>Memory effects.</b> Within one JVM, what a thread does before it releases a lease happens-before what any thread
 * does with a later lease of the same lock, after the call that obtained it has returned or its stage has completed. So
 * data that is touched only under the lock needs no other synchronization among the threads of a JVM, as with a lock of
 * {@code java.util.concurrent}. A lease that was lost orders nothing: its thread may still be at work when the next lease is
 * granted. Between processes there is no happens-before: what the next holder sees of a file, a database or another store
 * is what that store guarantees. What led to the completion of a stage, or to an event, happens-before the actions that
 * depend on the stage, and before the call that notifies a listener of the event. The listeners of a client are called for
 * one event after the other, on whatever threads of its executor, and each call happens-before the next.
 *
 * <p><b>Errors</b> common to all: {@link ServerUnreachableException} (outcome unknown; what may have been granted is given
 * back), {@link ServerRefusedException} (not held), {@link HoldfastClosedException} (not held).
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

    /** @param what is asked for of it */
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

    /** Refuses options that mean nothing where several may hold a lock. */
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
            throw new IllegalArgumentException(
                    parameter + " is " + wait
                            + ", must be none, limited or for ever for a lock that several may hold: no one of them is the stuck one");
        }
        return wait;
    }

    /** The name. */
    public String name() {
        return keys.name();
    }

    /** Who has it and who waits. Blocks for one round trip, at most the command timeout. */
    public LockInfo info() {
        return engine.look(keys);
    }

    /** The key under which the server keeps the hold. */
    public String key() {
        return keys.hold();
    }

    /** The options with which this lock is asked for. */
    public LockOptions options() {
        return options;
    }

    /** Returns this lock with other options. */
    public DistributedLock with(LockOptions other) {
        return new DistributedLock(engine, keys, what, other, actor);
    }

    /**
     * Returns this lock, requested by an actor that the caller names: the actor to which {@link LockOptions#reentrancy()} refers,
     * and which listings show. Without it, the actor is the calling thread. An actor's id is known within one client only;
     * the same id in two clients is two actors.
     *
     * @param id 1 to 100 characters
     */
    public DistributedLock withActor(String id) {
        return new DistributedLock(engine, keys, what, options, Require.text("actor", id, 100));
    }

    /**
     * Returns this lock, requested by an actor of this name unless {@link #withActor} has named one already. For code between the caller and
     * the lock whose threads mean nothing, such as an event loop's, on which two callers would be one actor.
     *
     * @param id 1 to 100 characters
     */
    public DistributedLock withDefaultActor(String id) {
        return actor == null ? withActor(id) : this;
    }

    /**
     * This lock as one of {@code java.util.concurrent}: owned by the thread that locked it, and re-entrant, as a
     * {@code ReentrantLock}. All views of one lock in one client are one lock, whatever their options: a thread enters again through
     * any of them, and unlocks through any of them. Another client is another owner.
     *
     * <p>What differs from {@code ReentrantLock}:
     *
     * <ul>
     *   <li>{@code lock()} and {@code lockInterruptibly()} wait for ever, also while the server is away; {@code lock()} throws
     *       {@link LockRefusedException} or {@link DeadlockException} where the options have such answers. {@code tryLock} throws
     *       {@link ServerUnreachableException} if the server does not answer: what may have been granted is given back.
     *   <li>{@code tryLock()} overtakes no waiter: a lock that goes to the next in line is never free in between. Like
     *       {@code tryLock(0, unit)} it asks the server once, for as long as the command timeout at most. A wait lasts 1 ms at least.
     *   <li>A lock can be lost. {@code unlock()} then counts down, and throws {@link LeaseLostException}: work under the lock may have
     *       overlapped with another holder's. Locking again while the thread has not unlocked what it lost throws that, too, and counts
     *       nothing.
     *   <li>A thread that ends without unlocking leaves the lock locked for a limited time. Renewal of its lease stops once
     *       the garbage collector has run, and the lease then expires. The client keeps no object of that thread. The views of a
     *       living thread count as in use, until {@link LockOptions#maxHold()} is over or the client is closed.
     *   <li>A thread that holds the lock by a lease that is no view's enters that hold, and unlocking leaves it; therefore views ask in
     *       {@linkplain LockOptions#withStrictOrder() strict order}. Where this client keeps the lock ({@link LockOptions#withKeepFor}) the
     *       thread would wait for itself.
     *   <li>The thread is the owner also where {@link #withActor} has named another actor: threads of one actor exclude each other.
     *   <li>Conditions are not supported: {@code newCondition()} throws {@code UnsupportedOperationException}.
     * </ul>
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
     * Whether the lock is held by any client. Of a read/write lock, each side answers for itself: whether it is held for reading,
     * or for writing. Blocks for one round trip, at most the command timeout.
     */
    public boolean isLocked() {
        LockInfo now = engine.look(keys);
        return now.isLocked() && isOfThisSide(now);
    }

    /**
     * How long the lock stays held without renewal, by any client; zero if it is free. Each side of a read/write lock answers for itself,
     * and with several readers it is the longest of their times. Blocks for one round trip, at most the command timeout.
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
     * Makes a lease last at least this lock's lease duration from now; if it is over, requests the lock again. The answer says which of the two,
     * because after a loss others may have held the lock in between, so that what the lease protected must be checked again.
     *
     * @param lease of this lock
     * @param wait for the lock, if it has to be requested again
     * @throws LockTimeoutException if the lease is over and the lock was not free (in time)
     * @throws IllegalArgumentException if the lease is of another lock
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
     * What came of {@link #extendOrReacquire}.
     *
     * @param lease the lease that is held now
     * @param continuous whether it is the old one, held without a gap; otherwise it is a new one, with a newer token
     */
    public record Extension(Lease lease, boolean continuous) {}

    /** The clock of its client. */
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

    /** This lock's request for the caller; it may block until it is answered. */
    Demand demand(Wait wait, boolean scoped, boolean blocks) {
        return Demand.of(keys, what, options, shared ? refuseUntilStuck("wait", wait) : wait, scoped, actor, blocks);
    }

    /** Waits without heeding interrupts, which stay set. */
    Attempt<Lease> attemptUninterruptibly(Wait wait) {
        return Calls.awaitUninterruptibly(newRequest(wait, false, true)).map(Lease::new);
    }

    /** Waits for ever, for the library itself: the answer comes on a thread that no code of the user's can hold up. */
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
