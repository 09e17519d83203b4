package io.holdfast;

import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.sets.SetRequest;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import io.holdfast.routing.Slots;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
 * <p><b>No deadlock among sets.</b> The locks are requested one after the other, in an order that all clients of a deployment
 * have in common; the order in which they were named does not matter. The order is by the cluster slot of the lock's key, even
 * without a cluster, and then by the key. Each lock is requested when the one before is held, so no set waits for a lock while
 * it holds a later one. At any time, at least one set therefore waits for no other (Havender, "Avoiding deadlock in
 * multitasking systems", IBM Systems Journal 7, 1968). This is true only of sets: a client that requests a set, or a lock,
 * while it holds others can still wait for another client that waits for them.
 *
 * <p><b>Fair and whole.</b> Each request waits in the queue of its lock, like any other request; a {@link Quorum} has no queues.
 * Locks that are already held stay held and are renewed meanwhile, so that a large set is served like a small one. Until the
 * set is released, other requests for these locks wait, too. If one of the locks is lost while the set waits for another, all
 * are given back first. The set then begins again, with the time that is left of its wait. If the request ends without all
 * locks, for any reason, all that were obtained are released.
 *
 * <p><b>Ways to acquire</b>: see {@link Acquirable}. Interruption, memory effects and errors are those of a
 * {@link DistributedLock}. One wait counts for all locks together. n free locks cost n round trips.
 */
public final class LockSet extends Acquirable<LeaseSet> {
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
                        "locks contain " + LogText.lock(lock.name()) + " of another client, must be of this one");
            }
            if (!names.add(lock.name())) { // also of two kinds: a set's leases are told apart by name
                throw new IllegalArgumentException(
                        "locks contain " + LogText.lock(lock.name()) + " twice, must have different names");
            }
        }
        return new LockSet(engine, wait, locks.stream().sorted(ORDER).toList());
    }

    /** Returns a set of locks with options of their own. */
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

    /** Returns the names, in the order in which the locks are requested. */
    public List<String> names() {
        return locks.stream().map(DistributedLock::name).toList();
    }

    /**
     * Returns a copy with the given wait, for calls that give none. By default this is the wait of the client's default options
     * ({@link LockOptions#waitLimit()}).
     *
     * @param limit the wait for all locks together
     * @throws IllegalArgumentException if it is a wait until a lock is stuck
     */
    public LockSet withWait(Wait limit) {
        return new LockSet(engine, refuseUntilStuck("wait", limit), locks);
    }

    /**
     * Returns a copy whose requests belong to the given actor; see {@link DistributedLock#withActor}.
     *
     * @param id 1 to 100 characters
     */
    public LockSet withActor(String id) {
        return new LockSet(
                engine, wait, locks.stream().map(lock -> lock.withActor(id)).toList());
    }

    /**
     * Returns a copy in which the requests for locks without a named actor belong to the given actor; see
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

    @Override
    Wait usualWait() {
        return wait;
    }

    @Override
    Entry<?> entryOf(LeaseSet leases) {
        return leases.entry;
    }

    @Override
    <T extends @Nullable Object, X extends Exception> T within(LeaseSet leases, LeaseFunction<LeaseSet, T, X> work)
            throws X {
        return within(0, leases, work);
    }

    private <T extends @Nullable Object, X extends Exception> T within(
            int from, LeaseSet leases, LeaseFunction<LeaseSet, T, X> work) throws X {
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

    @Override
    Attempt<LeaseSet> await(Wait limit, boolean scoped) throws InterruptedException {
        SetRequest request = newRequest(limit, scoped, true);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return Calls.await(engine.kit(), request, LeaseSet::new);
    }

    @Override
    <T> CompletableFuture<T> async(Wait limit, boolean scoped, Function<Attempt<LeaseSet>, T> result) {
        return Calls.async(
                engine.kit().executor(),
                newRequest(limit, scoped, false),
                answer -> result.apply(answer.map(LeaseSet::new)));
    }

    private SetRequest newRequest(Wait limit, boolean scoped, boolean blocks) {
        refuseUntilStuck("wait", limit);
        List<Demand> demands =
                locks.stream().map(lock -> lock.demand(limit, scoped, blocks)).toList();
        return new SetRequest(engine, demands, limit);
    }

    @Override
    public String toString() {
        return "LockSet["
                + String.join(", ", names().stream().map(LogText::name).toList()) + "]";
    }
}
