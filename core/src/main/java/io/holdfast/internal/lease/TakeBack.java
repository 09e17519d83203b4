package io.holdfast.internal.lease;

import io.holdfast.ReleaseResult;
import io.holdfast.internal.wire.Outage;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes back, in the background, what may be left on the server: acquires whose outcome is unknown or unwanted, releases that
 * were not answered, leases that were lost. Each is repeated until the server has answered.
 *
 * <p>It also remembers the releases of the last seconds and repeats them after a reconnect, because a server that came
 * back from a snapshot, or a replica that took over, may have forgotten them.
 */
public final class TakeBack {
    /** One owner's end at the server, which may be asked for any number of times. */
    public interface Release {
        /** The same for all releases of one owner: the last one takes the place of the others. */
        Object id();

        /** A key of the lock, by which its server is found. */
        String key();

        /** Whether the owner was granted the lock, or may have been. */
        boolean mayHold();

        /** This one, which leaves behind what an earlier one of the same owner was to leave, too. */
        Release after(Release earlier);

        /** Asks once. The answer is null, beside a failure, if the server did not give one. */
        void send(BiConsumer<@Nullable ReleaseResult, @Nullable DriverException> answer);
    }

    /** Longer than any copy of an acquire can be under way. */
    public static final Duration TOMBSTONE = Duration.ofMinutes(2);

    /** Beyond this one of them is given up: its hold ends with its term. */
    private static final int MOST_PENDING = 100_000;

    private static final int MOST_RECENT = 256;
    private static final long RECENT_NANOS = 5_000_000_000L;
    private static final long FIRST_DELAY_NANOS = 100_000_000L;
    private static final long LONGEST_DELAY_NANOS = 2_000_000_000L;
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final class Item {
        final Release release;
        /** What came of the first attempt. */
        final CompletableFuture<ReleaseResult> first;

        final Outage outage = new Outage(kit.ticker, server.options.commandTimeout());
        private final AtomicInteger attempts = new AtomicInteger();
        private volatile long delayNanos = FIRST_DELAY_NANOS;

        Item(Release release, CompletableFuture<ReleaseResult> first) {
            this.release = release;
            this.first = first;
        }

        void attempt() {
            if (pending.get(release.id()) != this) {
                return;
            }
            int number = attempts.incrementAndGet();
            long sent = kit.nanoTime();
            release.send((result, failure) -> {
                // A key of another program's has another type: nothing of ours can be there.
                boolean foreign = failure != null && failure.code().equals("WRONGTYPE");
                if (result != null || foreign) {
                    pending.remove(release.id(), this); // before anybody hears of it, and asks for the same again
                    first.complete(result == null ? ReleaseResult.ALREADY_GONE : result);
                    tellIfDone();
                    return;
                }
                first.complete(ReleaseResult.UNCONFIRMED);
                if (failure != null) {
                    outage.failed(failure, sent, Refusals.TRANSIENT);
                }
                if (attempts.get() == number) {
                    kit.schedule(delayNanos, () -> {
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

    private record Recent(Release release, long nanos) {}

    private final Kit kit;
    private final Server server;
    private final Map<Object, Item> pending = new ConcurrentHashMap<>(); // by the release's id
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Recent> recent = new ArrayDeque<>(); // guarded by lock
    private final AtomicInteger ending = new AtomicInteger();
    private volatile @Nullable CompletableFuture<Boolean> awaited; // set when the client closes

    public TakeBack(Kit kit, Server server) {
        this.kit = kit;
        this.server = server;
        kit.add(this);
    }

    /**
     * Ends an owner.
     *
     * @return what came of the first attempt; the others follow without being waited for
     */
    public CompletableFuture<ReleaseResult> add(Release release) {
        Item item;
        if (pending.size() >= MOST_PENDING) {
            LOG.log(System.Logger.Level.WARNING, "too many releases wait for the server: giving up one");
            Iterator<Item> any = pending.values().iterator();
            if (any.hasNext()) {
                Item one = any.next();
                one.first.complete(ReleaseResult.UNCONFIRMED);
                done(one);
            }
        }
        lock.lock();
        try {
            // One that is pending already is replaced.
            Item before = pending.get(release.id());
            item = before == null
                    ? new Item(release, new CompletableFuture<>())
                    : new Item(release.after(before.release), before.first);
            pending.put(release.id(), item);
        } finally {
            lock.unlock();
        }
        item.attempt();
        return item.first;
    }

    public boolean isPending(Object id) {
        return pending.containsKey(id);
    }

    private void done(Item item) {
        pending.remove(item.release.id(), item);
        tellIfDone();
    }

    /**
     * Said by whoever is about to end an owner, before it does, and taken back with {@link #ended} when the release was
     * answered or added here: closing waits for it.
     */
    public void ending() {
        ending.incrementAndGet();
    }

    public void ended() {
        ending.decrementAndGet();
        tellIfDone();
    }

    /** Notes a release that the server has answered. */
    void released(Release release) {
        Recent note = new Recent(release, kit.nanoTime());
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
    public void reconnected(IntPredicate partitions) {
        for (Item item : pending.values()) {
            if (partitions.test(server.driver.partition(item.release.key()))) {
                item.attempt();
            }
        }
        long now = kit.nanoTime();
        ArrayDeque<Recent> again;
        lock.lock();
        try {
            again = new ArrayDeque<>(recent);
            again.removeIf(note ->
                    !partitions.test(server.driver.partition(note.release().key())));
            recent.removeAll(again);
        } finally {
            lock.unlock();
        }
        for (Recent note : again) {
            if (now - note.nanos() < RECENT_NANOS) {
                add(note.release());
            }
        }
    }

    /**
     * Completes when nobody is ending an owner, and nothing is pending that the server may answer soon: what it is known not
     * to answer is not waited for. Asked for once, when the client closes.
     */
    public CompletableFuture<Boolean> whenDone() {
        CompletableFuture<Boolean> empty = new CompletableFuture<>();
        awaited = empty;
        tellIfDone();
        return empty;
    }

    /**
     * Waits until all is done, or for so long, and warns of what is not. Called once, when the client closes.
     *
     * @return whether the thread was interrupted meanwhile, which ends the wait
     */
    public boolean awaitDone(Duration limit) {
        try {
            whenDone().get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // Told as what was known to stay unanswered is.
        } catch (InterruptedException e) {
            return true;
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails this stage", e);
        }
        warnOfUnconfirmed();
        return false;
    }

    private void warnOfUnconfirmed() {
        int count = unconfirmed();
        if (count > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> (count == 1 ? "a release was" : count + " releases were") + " not confirmed by "
                            + server.describe() + " before the client was closed; "
                            + (count == 1
                                    ? "if the lock is still held, it becomes free at the end of its lease duration"
                                    : "locks that are still held become free at the end of their lease durations"));
        }
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
        // The same owner may count in both: it is being ended until its release was answered.
        long held =
                pending.values().stream().filter(item -> item.release.mayHold()).count();
        return Math.max((int) held, ending.get());
    }
}
