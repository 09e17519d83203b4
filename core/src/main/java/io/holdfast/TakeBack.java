package io.holdfast;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes back, in the background and by owner id, what may be left on the server: acquires whose outcome is unknown or
 * unwanted, releases that were not answered, leases that were lost. Each is repeated until the server has answered.
 *
 * <p>It also remembers the releases of the last seconds and repeats them after a reconnect, because a server that came
 * back from a snapshot, or a replica that took over, may have forgotten them.
 */
final class TakeBack {
    /** Longer than any copy of an acquire can be under way. */
    static final Duration TOMBSTONE = Duration.ofMinutes(2);

    /** Beyond this the oldest is given up: its hold ends with its term. */
    private static final int MOST_PENDING = 100_000;

    private static final int MOST_RECENT = 256;
    private static final long RECENT_NANOS = 5_000_000_000L;
    private static final long FIRST_DELAY_NANOS = 100_000_000L;
    private static final long LONGEST_DELAY_NANOS = 2_000_000_000L;
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final class Item {
        final Keys keys;
        final String owner;
        final Duration tombstone;
        final Duration shortestHold;
        /** What came of the first attempt: whether the server has answered it. */
        final CompletableFuture<Boolean> acknowledged;

        /** Whether it was granted, or may have been. */
        final boolean granted;

        final Outage outage = new Outage(client);
        private final AtomicInteger attempts = new AtomicInteger();
        private volatile long delayNanos = FIRST_DELAY_NANOS;

        Item(
                Keys keys,
                String owner,
                Duration tombstone,
                Duration shortestHold,
                boolean granted,
                CompletableFuture<Boolean> acknowledged) {
            this.granted = granted;
            this.acknowledged = acknowledged;
            this.keys = keys;
            this.owner = owner;
            this.tombstone = tombstone;
            this.shortestHold = shortestHold;
        }

        void attempt() {
            if (pending.get(owner) != this) {
                return;
            }
            int number = attempts.incrementAndGet();
            long sent = client.ticker.nanoTime();
            client.queueScripts.release(keys, owner, tombstone, shortestHold, (reply, failure) -> {
                acknowledged.complete(reply != null);
                if (reply != null) {
                    done(this);
                    client.waitingRoom.observe(keys, reply.state(), sent);
                } else if (failure != null && failure.code().equals("WRONGTYPE")) {
                    // A key of another program, from which nothing of ours can be taken back.
                    done(this);
                    return;
                } else if (failure != null) {
                    outage.failed(failure, sent, Request.TRANSIENT);
                }
                if (reply == null && attempts.get() == number) {
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

    private record Recent(Item item, long nanos) {}

    private final Client client;
    private final Map<String, Item> pending = new ConcurrentHashMap<>(); // by owner
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Recent> recent = new ArrayDeque<>(); // guarded by lock
    private final AtomicInteger ending = new AtomicInteger();
    private volatile @Nullable CompletableFuture<Boolean> awaited; // set when the client closes

    TakeBack(Client client) {
        this.client = client;
    }

    /**
     * Withdraws a request: ends its owner, which stands in a queue perhaps.
     *
     * @param unanswered whether a copy of its acquire may be under way, so that it may have been granted, or be yet
     */
    CompletableFuture<Boolean> withdraw(Keys keys, String owner, boolean unanswered) {
        return add(keys, owner, unanswered, Duration.ZERO, unanswered);
    }

    /**
     * Ends an owner that was granted the lock. The tombstone refuses copies of its acquire that come later.
     *
     * @return whether the server has answered at the first attempt; the others follow without being waited for
     */
    CompletableFuture<Boolean> add(Keys keys, String owner, boolean tombstone, Duration shortestHold) {
        return add(keys, owner, tombstone, shortestHold, true);
    }

    private CompletableFuture<Boolean> add(
            Keys keys, String owner, boolean tombstone, Duration shortestHold, boolean granted) {
        Item item;
        if (pending.size() >= MOST_PENDING) {
            LOG.log(System.Logger.Level.WARNING, "too many releases wait for the server: giving up one");
            Iterator<Item> any = pending.values().iterator();
            if (any.hasNext()) {
                Item oldest = any.next();
                oldest.acknowledged.complete(false);
                done(oldest);
            }
        }
        lock.lock();
        try {
            // One that is pending already is replaced, but what it was to leave behind is still to be left.
            Item before = pending.get(owner);
            item = new Item(
                    keys,
                    owner,
                    tombstone || (before != null && !before.tombstone.isZero()) ? TOMBSTONE : Duration.ZERO,
                    before != null && before.shortestHold.compareTo(shortestHold) > 0
                            ? before.shortestHold
                            : shortestHold,
                    granted || (before != null && before.granted),
                    before == null ? new CompletableFuture<>() : before.acknowledged);
            pending.put(owner, item);
        } finally {
            lock.unlock();
        }
        item.attempt();
        return item.acknowledged;
    }

    private void done(Item item) {
        pending.remove(item.owner, item);
        tellIfDone();
    }

    /**
     * Said by whoever is about to end an owner, before it does, and taken back with {@link #ended} when the release was
     * answered or added here: closing waits for it.
     */
    void ending() {
        ending.incrementAndGet();
    }

    void ended() {
        ending.decrementAndGet();
        tellIfDone();
    }

    /** Notes a release that the server has answered. */
    void released(Keys keys, String owner) {
        Recent note = new Recent(
                new Item(keys, owner, Duration.ZERO, Duration.ZERO, false, new CompletableFuture<>()),
                client.ticker.nanoTime());
        lock.lock();
        try {
            recent.addLast(note);
            if (recent.size() > MOST_RECENT) {
                recent.removeFirst();
            }
        } finally {
            lock.unlock();
        }
    }

    /** After a reconnect: everything pending at once, and what was released in the last seconds once more. */
    void reconnected(IntPredicate partitions) {
        for (Item item : pending.values()) {
            if (partitions.test(client.driver.partition(item.keys.hold()))) {
                item.attempt();
            }
        }
        long now = client.ticker.nanoTime();
        ArrayDeque<Recent> again;
        lock.lock();
        try {
            again = new ArrayDeque<>(recent);
            again.removeIf(note ->
                    !partitions.test(client.driver.partition(note.item().keys.hold())));
            recent.removeAll(again);
        } finally {
            lock.unlock();
        }
        for (Recent note : again) {
            if (now - note.nanos() < RECENT_NANOS) {
                withdraw(note.item().keys, note.item().owner, false);
            }
        }
    }

    /**
     * Completes when nobody is ending an owner, and nothing is pending that the server may answer soon: what it is known not
     * to answer is not waited for. Asked for once, when the client closes.
     */
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

    /** How many locks are perhaps held by owners that are being ended. */
    int unconfirmed() {
        return (int) pending.values().stream().filter(item -> item.granted).count() + ending.get();
    }
}
