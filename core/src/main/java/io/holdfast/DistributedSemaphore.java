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
 * A number of permits, of which each request gets one, or several at once. Cheap, stateless, and usable by any number of
 * threads.
 *
 * <pre>{@code
 * DistributedSemaphore licences = holdfast.semaphore("licences", 5);
 * licences.permits(1).call(lease -> convert(film));
 * licences.permits(3).call(lease -> convertInParts(film));
 * }</pre>
 *
 * <p><b>Order.</b> Requests are served in the order in which they reached the server. A request for many permits gets all of
 * them at once. While it is first in the queue, no request passes it, so that it does not wait for ever. Permits that come back
 * meanwhile stay free. An application that wants them used gives such requests a lower {@linkplain LockOptions#withPriority
 * priority}.
 *
 * <p><b>Permits come back</b> by release; a second release of the same lease returns none. They also come back at the end of
 * the lease duration of a holder that has died.
 *
 * <p><b>The number of permits</b> is a condition of each request: the request is granted if at most that number are then in
 * use, including its own. The server does not store the number. While one version of a program replaces another, the two may
 * therefore use different numbers: neither takes permits beyond its own number. An operator may {@linkplain Admin#limit limit}
 * the permits for a time, regardless of the numbers in requests.
 *
 * <p>With {@link LockOptions#withMinHold} a semaphore limits a rate: at most that number of permits are granted within the
 * minimum hold time.
 */
public final class DistributedSemaphore extends Acquirable<Lease> {
    /** The maximum number of permits. */
    public static final int MAX_PERMITS = 1_000_000;
    /** The maximum number of permits of a semaphore {@linkplain #withSlots() with slots}. */
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

    /** Returns the semaphore's name. */
    public String name() {
        return keys.name();
    }

    /** Returns how many permits may be in use at a time. */
    public int permits() {
        return limit;
    }

    /**
     * Returns a lock whose requests are for the given number of permits at once. It has all methods of {@link Acquirable}.
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

    /** Returns a copy of this semaphore with the given options. */
    public DistributedSemaphore with(LockOptions other) {
        return new DistributedSemaphore(client, keys, limit, Require.given("options", other), slots);
    }

    /** Returns a copy whose requests belong to the given group; see {@link LockOptions#withGroup(String)}. */
    public DistributedSemaphore forGroup(String group) {
        return with(options.withGroup(group));
    }

    /**
     * Returns a copy whose requests belong to the given group, with the given weight; see
     * {@link LockOptions#withGroup(String, int)}.
     */
    public DistributedSemaphore forGroup(String group, int weight) {
        return with(options.withGroup(group, weight));
    }

    /**
     * Returns a copy with the given number of permits, which applies only to the requests of the copy.
     *
     * @param count 1 to {@value #MAX_PERMITS}; with slots, to {@value #MAX_SLOTS}
     */
    public DistributedSemaphore withPermits(int count) {
        return new DistributedSemaphore(client, keys, count, options, slots);
    }

    /**
     * Returns a copy whose leases know which permits they have: {@link Lease#slot()} is a number from 0 to one less than
     * {@link #permits()}. Use it for several resources of one kind, such as ports, test accounts or devices.
     *
     * <p>A request gets the lowest slots that are free. A slot belongs to one valid lease at a time. It comes back with the
     * permit: by release, by expiry, or by an operator. While a permit {@linkplain LockOptions#withMinHold rests}, so does its
     * slot. Requests without slots may use the same semaphore: each of their permits leaves one slot unused. If two programs
     * use different numbers of permits, each gets only slots below its own number.
     *
     * @throws IllegalArgumentException if there are more than {@link #MAX_SLOTS} permits
     */
    public DistributedSemaphore withSlots() {
        return new DistributedSemaphore(client, keys, limit, options, true);
    }

    /**
     * Returns how many permits are free at this instant; if there is an {@linkplain Admin#limit operator's limit}, how many are
     * free within that limit. Blocks for one round trip, at most the command timeout.
     */
    public int available() {
        LockInfo now = info();
        return Math.max(
                0, Math.min(limit, now.limit().map(LockInfo.Limit::permits).orElse(limit)) - now.used());
    }

    /**
     * Returns the holders of permits and the waiters: at most a hundred holders, those whose holds end first, and the first
     * hundred waiters. Blocks for one round trip, at most the command timeout.
     */
    public LockInfo info() {
        return client.look(keys);
    }

    @Override
    public String toString() {
        return "DistributedSemaphore[" + LogText.name(name()) + ", " + limit + " permits]";
    }
}
