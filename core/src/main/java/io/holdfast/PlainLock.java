package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.polled.PlainLocks;
import io.holdfast.internal.polled.PolledRequest;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock of the <em>plain protocol</em>: one key, whose value identifies the holder ({@code SET key value NX PX milliseconds}, freed
 * and extended by comparing the value). Many programs in many languages lock in this way, and a plain lock excludes
 * them. An instance is cheap and stateless, and any number of threads may use it.
 *
 * <p>It is weaker than a {@link DistributedLock}. It has no queue: waiting means asking repeatedly, and the first request that
 * comes when the key is free gets it. It has no fencing token. It does not defend against a copy of a request that reaches the
 * server after its caller has given up. Such a copy keeps the key taken, without a holder, for at most the lease duration.
 * Use it to share a lock with other programs, or to migrate from their locks ({@link MigrationLock}).
 *
 * <p><b>Ways to acquire</b>: see {@link Acquirable}. Each method waits for the time that the options or the call give, and asks
 * at least once, however short the wait.
 *
 * <p><b>Interruption.</b> Every method that acquires and blocks throws {@code InterruptedException} if the thread is interrupted
 * when it calls or while it waits. A lease that was or will be granted is then given back, in the background if necessary.
 * {@link #holder()} and {@link #remaining()} do not respond to interrupts.
 *
 * <p><b>Memory effects</b> are those of {@link DistributedLock}.
 *
 * <p><b>Errors</b> that all methods that acquire may throw:
 * <ul>
 *   <li>{@link ServerUnreachableException}: the outcome is unknown, and a lease that may have been granted is given back;
 *   <li>{@link ServerRefusedException} and {@link HoldfastClosedException}: the lock is not held;
 *   <li>an exception of the caller's own functions in {@link PlainOptions}: the lock is not held;
 *   <li>{@code IllegalStateException}: another request of this client uses the value that the caller's function returned, and
 *       the lock is not held.
 * </ul>
 */
public final class PlainLock extends Acquirable<PlainLease> {
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

    /** Returns the key, as it is on the server. */
    public String key() {
        return keys.hold();
    }

    /** Returns the options with which this lock is acquired. */
    public PlainOptions options() {
        return options;
    }

    /** Returns a copy of this lock with the given options. */
    public PlainLock with(PlainOptions other) {
        return new PlainLock(client, keys, other);
    }

    /**
     * Asks the server for the holder of the lock, which may be any program; returns empty if there is none. Blocks for one
     * round trip, for at most the command timeout.
     *
     * @throws ServerUnreachableException if the server did not answer
     * @throws ServerRefusedException if the server answered with an error
     */
    public Optional<PlainHolder> holder() {
        return AsyncResults.await(
                client.server, callback -> client.server.plainScripts.info(keys.hold(), "", callback));
    }

    /**
     * Asks the server how long the current hold of any holder lasts without renewal. Returns zero if there is no holder, and
     * 365 days if the key does not expire. Blocks and throws as {@link #holder()} does.
     */
    public Duration remaining() {
        return holder().map(holder -> holder.remaining().orElse(Require.LONGEST))
                .orElse(Duration.ZERO);
    }

    @Override
    Wait usualWait() {
        return options.waitLimit();
    }

    @Override
    Entry<?> entryOf(PlainLease lease) {
        return lease.handle;
    }

    @Override
    <T extends @Nullable Object, X extends Exception> T within(PlainLease lease, LeaseFunction<PlainLease, T, X> work)
            throws X {
        return work.apply(lease);
    }

    @Override
    Attempt<PlainLease> await(Wait wait, boolean scoped) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return Calls.await(client.kit, newRequest(Require.given("wait", wait), scoped), PlainLock::lease);
    }

    @Override
    <T> CompletableFuture<T> async(Wait wait, boolean scoped, Function<Attempt<PlainLease>, T> result) {
        return Calls.async(
                client.kit.executor(), newRequest(wait, scoped), answer -> result.apply(answer.map(PlainLock::lease)));
    }

    private PolledRequest newRequest(Wait wait, boolean scoped) {
        return client.plain.newRequest(keys, options, leases, wait, scoped);
    }

    private static PlainLease lease(Handle handle) {
        return new PlainLease(handle);
    }

    @Override
    public String toString() {
        return "PlainLock[" + keys.hold() + "]";
    }
}
