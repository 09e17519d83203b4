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
 * them. Cheap, stateless, and usable by any number of threads.
 *
 * <p>It is weaker than a {@link DistributedLock}: no queue (whichever request comes at the right moment gets it, and
 * waiting means asking repeatedly), no fencing token, and no defence against a copy of a request that reaches the server after
 * its caller has given up; such a copy keeps the key taken, without a holder, until the lease duration is over. Use it to share a lock with
 * others, or to leave them ({@link MigrationLock}).
 *
 * <p><b>Ways of asking</b> are those of {@link Acquirable}. Each form waits as long as the options say, or as the call says, and asks
 * at least once, however short the wait.
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

    /** The key, as it is on the server. */
    public String key() {
        return keys.hold();
    }

    /** The options with which this lock is asked for. */
    public PlainOptions options() {
        return options;
    }

    /** Returns this lock with other options. */
    public PlainLock with(PlainOptions other) {
        return new PlainLock(client, keys, other);
    }

    /**
     * Asks the server for the holder of the lock, of any program; empty if there is none. Blocks for one round trip, at most
     * the command timeout.
     *
     * @throws ServerUnreachableException if the server did not answer
     */
    public Optional<PlainHolder> holder() {
        return AsyncResults.await(
                client.server, callback -> client.server.plainScripts.info(keys.hold(), "", callback));
    }

    /** How long the present hold lasts without renewal, for any holder: zero if there is none, 365 days without expiry. */
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
