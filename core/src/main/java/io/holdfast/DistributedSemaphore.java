package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * So many permits, of which each request has one, or several at once. Cheap, stateless, and usable by any number of threads.
 *
 * <pre>{@code
 * DistributedSemaphore licences = holdfast.semaphore("licences", 5);
 * licences.permits(1).call(lease -> convert(film));
 * licences.permits(3).call(lease -> convertInParts(film));
 * }</pre>
 *
 * <p><b>Order.</b> Requests are served in the order in which they reached the server. A request for many permits gets all of them at
 * once; while it stands in front, no request passes it, so that it does not wait for ever. Permits that come back meanwhile stay
 * free. An application that wants those used gives such requests a lower {@linkplain LockOptions#withPriority priority}.
 *
 * <p><b>Permits come back</b> by release, once, however often that is called; and when the lease duration of a holder that has died is
 * over.
 *
 * <p><b>The number of permits</b> is each request's own condition: it is granted if, with it, no more than so many are out. Nothing
 * of it is kept on the server. So programs of two versions may say different numbers while one replaces the other: neither adds
 * beyond its own. An operator may {@linkplain Admin#limit limit} them for a time, whatever requests say.
 *
 * <p>With {@link LockOptions#withMinHold} it limits how often something begins: so many in that time.
 */
public final class DistributedSemaphore extends Acquirable<Lease> {
    /** As many permits as there can be. */
    public static final int MAX_PERMITS = 1_000_000;
    /** As many permits as there can be of which leases know the slot. */
    public static final int MAX_SLOTS = 10_000;

    private final Client client;
    private final Keys keys;
    private final LockOptions options;
    private final int limit;
    private final boolean slots;

    DistributedSemaphore(Client client, Keys keys, int limit, LockOptions options) {
        this(client, keys, limit, options, false);
    }

    private DistributedSemaphore(Client client, Keys keys, int limit, LockOptions options, boolean slots) {
        this.client = client;
        this.keys = keys;
        this.limit = Require.between("permits", limit, 1, slots ? MAX_SLOTS : MAX_PERMITS);
        this.options = options;
        this.slots = slots;
        permits(1); // refuses the options
    }

    /** The name. */
    public String name() {
        return keys.name();
    }

    /** How many permits may be out. */
    public int permits() {
        return limit;
    }

    /**
     * A request for so many permits at once, as a lock: with every way of asking that locks have.
     *
     * @param count 1 to {@link #permits()}
     */
    public DistributedLock permits(int count) {
        Asked asked = Asked.permits(Require.between("count", count, 1, limit), limit);
        return new DistributedLock(client, keys, slots ? asked.withSlots() : asked, options, null);
    }

    @Override
    Wait usualWait() {
        return options.waitLimit();
    }

    @Override
    Attempt<Lease> await(Wait wait, boolean scoped) throws InterruptedException {
        return permits(1).await(wait, scoped);
    }

    @Override
    <R> CompletableFuture<R> async(Wait wait, boolean scoped, Function<Attempt<Lease>, R> result) {
        return permits(1).async(wait, scoped, result);
    }

    @Override
    Entry<?> entryOf(Lease lease) {
        return lease.handle;
    }

    @Override
    <T extends @Nullable Object, X extends Exception> T within(Lease lease, LeaseFunction<Lease, T, X> work) throws X {
        return permits(1).within(lease, work);
    }

    /** Returns this semaphore with other options. */
    public DistributedSemaphore with(LockOptions other) {
        return new DistributedSemaphore(client, keys, limit, Require.given("options", other), slots);
    }

    /** Returns this semaphore, whose requests are of a group: see {@link LockOptions#withGroup(String)}. */
    public DistributedSemaphore forGroup(String group) {
        return with(options.withGroup(group));
    }

    /** Returns this semaphore with a weight: see {@link LockOptions#withGroup(String, int)}. */
    public DistributedSemaphore forGroup(String group, int weight) {
        return with(options.withGroup(group, weight));
    }

    /** Returns this semaphore with another number of permits, which is that of this client's requests from now on. */
    public DistributedSemaphore withPermits(int count) {
        return new DistributedSemaphore(client, keys, count, options, slots);
    }

    /**
     * Returns this semaphore, whose leases know which permits they have: {@link Lease#slot()}, a number from 0 to {@link #permits()} − 1. For
     * things that are alike and yet not the same: ports, test accounts, devices.
     *
     * <p>A request gets the lowest slots that are free. A slot is of one valid lease at a time. It comes back with the permit: by release, by
     * expiry, or by an operator; while a permit {@linkplain LockOptions#withMinHold rests}, so does its slot. Requests without slots may use
     * the same semaphore: each of them leaves one slot unused. Where two programs say different numbers of permits, a slot is below the
     * number of its own request.
     *
     * @throws IllegalArgumentException if there are more than {@link #MAX_SLOTS} permits
     */
    public DistributedSemaphore withSlots() {
        return new DistributedSemaphore(client, keys, limit, options, true);
    }

    /**
     * How many permits are free at this instant; with an {@linkplain Admin#limit operator's limit}, of those that it leaves. Blocks for
     * one round trip, at most the command timeout.
     */
    public int available() {
        LockInfo now = info();
        return Math.max(
                0, Math.min(limit, now.limit().map(LockInfo.Limit::permits).orElse(limit)) - now.used());
    }

    /** Who has permits and who waits. Blocks for one round trip, at most the command timeout. */
    public LockInfo info() {
        return client.look(keys);
    }

    @Override
    public String toString() {
        return "DistributedSemaphore[" + LogText.name(name()) + ", " + limit + " permits]";
    }
}
