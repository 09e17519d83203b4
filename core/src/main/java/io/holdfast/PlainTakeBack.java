package io.holdfast;

import io.holdfast.PlainLocks.Place;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Frees keys of the plain protocol by their value, and repeats that until the server has answered: releases, lost leases,
 * and acquires whose outcome is unknown or unwanted.
 *
 * <p>There is no tombstone here, since other programs would not look at it: a copy of an acquire that reaches the server
 * after all this takes the key for nobody, until its term is over. A second look some seconds later ends most of these.
 */
final class PlainTakeBack {
    /** Beyond this the oldest is given up: its key expires. */
    private static final int MOST_PENDING = 100_000;

    private static final long FIRST_DELAY_NANOS = 100_000_000L;
    private static final long LONGEST_DELAY_NANOS = 2_000_000_000L;
    private static final long SECOND_LOOK_NANOS = 5_000_000_000L;
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final class Item {
        final Place place;
        final boolean secondLook;
        final CompletableFuture<ReleaseResult> first = new CompletableFuture<>();
        final Outage outage = new Outage(client);
        private final AtomicInteger attempts = new AtomicInteger();
        private volatile long delayNanos = FIRST_DELAY_NANOS;

        Item(Place place, boolean secondLook) {
            this.place = place;
            this.secondLook = secondLook;
        }

        void attempt() {
            if (pending.get(place) != this) {
                first.complete(ReleaseResult.UNCONFIRMED); // replaced by one that is being sent
                return;
            }
            int number = attempts.incrementAndGet();
            long sent = client.ticker.nanoTime();
            client.plainScripts.release(place.key(), place.value(), (released, failure) -> {
                // A key of another type is of another program, and nothing of ours is there.
                boolean foreign = failure != null && failure.code().equals("WRONGTYPE");
                if (released != null || foreign) {
                    done(this);
                    first.complete(released != null && released ? ReleaseResult.RELEASED : ReleaseResult.ALREADY_GONE);
                    if (secondLook && released != null) {
                        client.timers.schedule(
                                SECOND_LOOK_NANOS,
                                () -> client.plainScripts.release(place.key(), place.value(), (again, ignored) -> {}));
                    }
                    return;
                }
                first.complete(ReleaseResult.UNCONFIRMED);
                if (failure != null) {
                    outage.failed(failure, sent, Request.TRANSIENT);
                }
                if (attempts.get() == number) {
                    client.timers.schedule(delayNanos, () -> {
                        // Unless a reconnect has begun another attempt meanwhile, which then goes on.
                        if (attempts.get() == number) {
                            attempt();
                        }
                    });
                    delayNanos = Math.min(LONGEST_DELAY_NANOS, delayNanos * 2);
                    tellIfDone();
                }
            });
        }
    }

    private final Client client;
    private final Map<Place, Item> pending = new ConcurrentHashMap<>();
    private final AtomicInteger ending = new AtomicInteger();
    private volatile @Nullable CompletableFuture<Boolean> awaited; // set when the client closes

    PlainTakeBack(Client client) {
        this.client = client;
    }

    /**
     * Frees a key if it has this value.
     *
     * @param secondLook whether a copy of the acquire may still be under way
     * @return what came of the first attempt; the others follow without being waited for
     */
    CompletableFuture<ReleaseResult> add(Place place, boolean secondLook) {
        if (pending.size() >= MOST_PENDING) {
            LOG.log(System.Logger.Level.WARNING, "too many releases wait for the server: giving up one");
            Iterator<Item> any = pending.values().iterator();
            if (any.hasNext()) {
                done(any.next());
            }
        }
        // One that is pending already is replaced, and the new one sent at once.
        Item item = pending.compute(
                place, (at, before) -> new Item(place, secondLook || (before != null && before.secondLook)));
        item.attempt();
        return item.first;
    }

    boolean isPending(Place place) {
        return pending.containsKey(place);
    }

    private void done(Item item) {
        pending.remove(item.place, item);
        tellIfDone();
    }

    /** Said before a request or a hold is ended, and taken back with {@link #ended} when it was added here: closing waits. */
    void ending() {
        ending.incrementAndGet();
    }

    void ended() {
        ending.decrementAndGet();
        tellIfDone();
    }

    void reconnected() {
        pending.values().forEach(Item::attempt);
    }

    /** Completes when nothing is pending that the server may answer soon. Asked for once, when the client closes. */
    CompletableFuture<Boolean> whenDone() {
        CompletableFuture<Boolean> empty = new CompletableFuture<>();
        awaited = empty;
        tellIfDone();
        return empty;
    }

    private void tellIfDone() {
        CompletableFuture<Boolean> closing = awaited;
        // In this order: what is being ended becomes pending first.
        if (closing != null
                && ending.get() == 0
                && pending.values().stream().allMatch(item -> item.outage.isLasting())) {
            closing.complete(true);
        }
    }

    /** How many keys are perhaps taken by values that are being freed. */
    int unconfirmed() {
        return pending.size() + ending.get();
    }
}
