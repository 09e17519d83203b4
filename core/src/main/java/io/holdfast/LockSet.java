package io.holdfast;

import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.sets.SetAnswer;
import io.holdfast.internal.sets.SetEntry;
import io.holdfast.internal.sets.SetRequest;
import io.holdfast.internal.wire.Require;
import io.holdfast.internal.wire.Shown;
import io.holdfast.routing.Slots;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Several locks that are obtained together or not at all. Cheap, stateless, and usable by any number of threads.
 *
 * <pre>{@code
 * LockSet accounts = holdfast.locks("account/17", "account/4711"); // in any order
 * String done = accounts.call(leases -> compute(leases.token("account/17")));
 * }</pre>
 *
 * <p><b>No deadlock among sets.</b> The locks are asked for one after the other, in an order that all clients of a deployment
 * have in common, whatever the order in which they were named: by the slot of a cluster that the lock's key has, also where
 * there is none, and then by the key. The next one is asked for when the one before is held, so nobody waits for a lock while
 * holding a later one, and some set always waits for nobody (Havender, "Avoiding deadlock in multitasking systems", IBM
 * Systems Journal 7, 1968). This speaks of sets only: whoever asks for a set, or a lock, while holding others can still wait
 * for somebody who waits for them.
 *
 * <p><b>Fair and whole.</b> Each request waits in its own lock's queue, in turn, and what is held already stays held and is
 * renewed meanwhile, so that a large set is served like a small one; those who want only the first of its locks wait for it,
 * too. If one of the locks is lost while the set waits for another, all are given back first, and the set begins anew with
 * what is left of the wait. However it ends without all of them, all that was obtained is released.
 *
 * <p><b>Ways of asking</b> are those of a {@link DistributedLock}, and so are interruption, memory effects and errors: read
 * there. One wait counts for all locks together. n free locks cost n round trips.
 */
public final class LockSet {
    private static final int FEWEST = 2;
    private static final int MOST = 100;

    private static final Comparator<DistributedLock> ORDER = Comparator.<DistributedLock>comparingInt(
                    lock -> Slots.of(lock.key()))
            .thenComparing(lock -> lock.key().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private final Engine engine;
    private final List<DistributedLock> locks; // in the order of all clients
    private final Wait wait;

    private LockSet(Engine engine, Wait wait, List<DistributedLock> locks) {
        this.engine = engine;
        this.wait = wait;
        this.locks = locks;
    }

    static LockSet of(Engine engine, Wait wait, List<DistributedLock> locks) {
        Require.between("number of locks", locks.size(), FEWEST, MOST);
        Set<String> names = new HashSet<>();
        for (DistributedLock lock : locks) {
            if (lock.engine != engine) {
                throw new IllegalArgumentException(
                        "locks contain " + Shown.lock(lock.name()) + " of another client, must be of this one");
            }
            if (!names.add(lock.name())) { // also of two kinds: a set's leases are told apart by name
                throw new IllegalArgumentException(
                        "locks contain " + Shown.lock(lock.name()) + " twice, must have different names");
            }
        }
        return new LockSet(engine, wait, locks.stream().sorted(ORDER).toList());
    }

    /** The same of locks with options of their own. */
    static LockSet ofEach(Engine engine, Wait wait, List<DistributedLock> locks) {
        for (DistributedLock lock : locks) {
            refuseUntilStuck("waitLimit of " + lock, lock.options().waitLimit());
        }
        return of(engine, wait, locks);
    }

    private static Wait refuseUntilStuck(String parameter, Wait wait) {
        if (Require.given(parameter, wait).untilStuck()) {
            throw new IllegalArgumentException(parameter + " is " + wait
                    + ", must be none, limited or for ever: a set does not judge how long one holder has kept a lock");
        }
        return wait;
    }

    /** The names, in the order in which the locks are asked for. */
    public List<String> names() {
        return locks.stream().map(DistributedLock::name).toList();
    }

    /**
     * The same set, which waits so long where the call does not say; without this, as long as the client's default options
     * say ({@link LockOptions#waitLimit()}).
     *
     * @param limit for all locks together
     * @throws IllegalArgumentException if it is a wait until a lock is stuck
     */
    public LockSet withWait(Wait limit) {
        return new LockSet(engine, refuseUntilStuck("wait", limit), locks);
    }

    /**
     * The same set, requested by an actor that the caller names; see {@link DistributedLock#withActor}.
     *
     * @param id 1 to 100 characters
     */
    public LockSet withActor(String id) {
        return new LockSet(
                engine, wait, locks.stream().map(lock -> lock.withActor(id)).toList());
    }

    /**
     * The same set, in which the locks for which no actor is named yet are requested by one of this name; see
     * {@link DistributedLock#withDefaultActor}.
     *
     * @param id 1 to 100 characters
     */
    public LockSet withDefaultActor(String id) {
        return new LockSet(
                engine,
                wait,
                locks.stream().map(lock -> lock.withDefaultActor(id)).toList());
    }

    /**
     * Waits for all locks as long as the set says.
     *
     * @throws LockTimeoutException if they were not free in time; the exception names the one that it waited for last, its
     *     holder and the position in the queue. None is held
     */
    public LeaseSet acquire() throws InterruptedException {
        return acquire(wait);
    }

    /**
     * Waits for all locks as long as {@code limit} says, in all.
     *
     * @throws LockTimeoutException if they were not free (in time); see {@link #acquire()}
     */
    public LeaseSet acquire(Wait limit) throws InterruptedException {
        return attempt(limit).orElseThrow();
    }

    /** Asks once for each, without waiting: empty if one is taken. */
    public Optional<LeaseSet> tryAcquire() throws InterruptedException {
        return tryAcquire(Wait.none());
    }

    /**
     * Waits for all locks as long as {@code limit} says, in all: empty if they were not free (in time).
     *
     * @throws ServerUnreachableException if that is not known
     * @throws LockRefusedException if the actor holds one of them itself, and its options say to refuse that, or if a grant
     *     was not confirmed as they ask for
     */
    public Optional<LeaseSet> tryAcquire(Wait limit) throws InterruptedException {
        return known(attempt(limit));
    }

    /** Waits for all locks as long as the set says, and returns the outcome as a value. */
    public SetAttempt attempt() throws InterruptedException {
        return attempt(wait);
    }

    /** Waits for all locks as long as {@code limit} says, in all, and returns the outcome as a value. */
    public SetAttempt attempt(Wait limit) throws InterruptedException {
        return await(limit, false);
    }

    /**
     * Acquires without blocking, waiting as long as the set says.
     *
     * <p>If the returned future is completed from outside in any way (cancelled, {@code orTimeout}, {@code complete}), the
     * request is withdrawn; what was obtained by then is released. It completes on the client's executor.
     */
    public CompletableFuture<LeaseSet> acquireAsync() {
        return acquireAsync(wait);
    }

    /** Acquires without blocking, waiting as long as {@code limit} says; see {@link #acquireAsync()}. */
    public CompletableFuture<LeaseSet> acquireAsync(Wait limit) {
        return async(limit, false, SetAttempt::orElseThrow);
    }

    /** Acquires without blocking, and returns the outcome as a value; see {@link #acquireAsync()}. */
    public CompletableFuture<SetAttempt> attemptAsync(Wait limit) {
        return async(limit, false, attempt -> attempt);
    }

    /**
     * Does work under all locks, waiting for them as long as the set says, and releases them in every case. Each hold is
     * renewed for its {@link LockOptions#maxScopedHold()} at most; the work is interrupted before the end of a lock whose
     * options say so ({@link LockOptions#interruptBefore()}).
     *
     * @return what the work returned
     * @throws LockTimeoutException if the locks were not free in time; the work was not begun
     * @throws LeaseLostException if a lock was lost while the work was done; it names the first, and carries the work's
     *     result. An exception of the work itself is passed on as it is, whatever became of the locks
     * @throws LeaseEndingException if the work ended with an {@code InterruptedException} after it had been interrupted for
     *     the end of a lock
     */
    public <T extends @Nullable Object, X extends Exception> T call(LeaseSetFunction<T, X> work)
            throws X, InterruptedException {
        return under(await(wait, true).orElseThrow(), work);
    }

    /** The same, waiting as long as {@code limit} says: empty, without the work being begun, if the locks were not free. */
    public <T, X extends Exception> Optional<T> tryCall(Wait limit, LeaseSetFunction<T, X> work)
            throws X, InterruptedException {
        Optional<LeaseSet> leases = known(await(limit, true));
        return leases.isPresent() ? Optional.ofNullable(under(leases.get(), work)) : Optional.empty();
    }

    /**
     * Does asynchronous work under all locks: they are released when the stage that the work returns completes. The result
     * completes after the releases were answered. Completing the result from outside while the request waits withdraws it;
     * later, it does not stop the work.
     */
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(
            Function<? super LeaseSet, ? extends CompletionStage<T>> work) {
        return Calls.under(async(wait, true, SetAttempt::orElseThrow), leases -> leases.entry, work);
    }

    /** Throws for outcomes that an empty result must not hide. */
    private static Optional<LeaseSet> known(SetAttempt attempt) {
        if (attempt instanceof SetAttempt.Unknown unknown) {
            throw unknown.cause();
        } else if (attempt instanceof SetAttempt.NotAll notAll) {
            DistributedLock.refuseUnclear(notAll.why());
        }
        return attempt.asOptional();
    }

    private <T extends @Nullable Object, X extends Exception> T under(LeaseSet leases, LeaseSetFunction<T, X> work)
            throws X {
        return Calls.under(leases.entry, () -> within(0, leases, work));
    }

    /** Does the work within the limits of the locks from this one on. */
    private <T extends @Nullable Object, X extends Exception> T within(
            int from, LeaseSet leases, LeaseSetFunction<T, X> work) throws X {
        for (int i = from; i < locks.size(); i++) {
            Duration before = locks.get(i).options().interruptBefore();
            if (before != null) {
                int next = i + 1;
                Lease lease = leases.lease(locks.get(i).name());
                return BodyLimit.run(lease, before, limited -> within(next, leases, work));
            }
        }
        return work.apply(leases);
    }

    private SetAttempt await(Wait limit, boolean scoped) throws InterruptedException {
        SetRequest request = newRequest(limit, scoped, true);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return Calls.await(engine.kit(), request, LockSet::attemptOf);
    }

    private <T> CompletableFuture<T> async(Wait limit, boolean scoped, Function<SetAttempt, T> result) {
        return Calls.async(
                engine.kit().executor(), newRequest(limit, scoped, false), answer -> result.apply(attemptOf(answer)));
    }

    private SetRequest newRequest(Wait limit, boolean scoped, boolean blocks) {
        refuseUntilStuck("wait", limit);
        List<Demand> demands =
                locks.stream().map(lock -> lock.demand(limit, scoped, blocks)).toList();
        return new SetRequest(engine, demands, limit);
    }

    private static SetAttempt attemptOf(SetAnswer answer) {
        SetEntry held = answer.held();
        return held == null ? Objects.requireNonNull(answer.refusal()) : new SetAttempt.Obtained(new LeaseSet(held));
    }

    @Override
    public String toString() {
        return "LockSet[" + String.join(", ", names().stream().map(Shown::name).toList()) + "]";
    }
}
