package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Inspector;
import io.holdfast.Inspector.Listeners;
import io.holdfast.LockInfo;
import io.holdfast.Overview;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the server, round after round, on one thread of its own, however many pages are open. While a page is open a round begins every
 * second, otherwise every ten; and never before four times as long has passed as the round before took, so that watching is a fifth
 * of one connection's time at most.
 */
final class Watch implements AutoCloseable {
    static final Duration SEEN = Duration.ofSeconds(1);
    static final Duration UNSEEN = Duration.ofSeconds(10);
    /** How long after its last request a page counts as open. */
    private static final Duration OPEN = Duration.ofSeconds(5);

    private static final int PAUSE_FACTOR = 4;
    private static final int MOST_LOCKS = 10_000;

    private final Holdfast holdfast;
    final History history;
    final Named named;
    private final Thread thread = new Thread(this::run, "holdfast-dashboard");
    private Picture picture; // these guarded by this
    private int streams;
    private long lastLook = System.nanoTime() - OPEN.toNanos();
    private boolean closed;
    private boolean hurried;
    private @Nullable WaitGraph graph;
    private Set<List<String>> circles = Set.of(); // of the round before, as is the next: of the thread only
    private @Nullable Map<LockId, Sight> known; // null if that failed
    private Overview seen =
            Overview.none(); // of the thread only, as the one before; none if all is to be asked for anew

    Watch(Holdfast holdfast) {
        long now = System.currentTimeMillis();
        this.holdfast = holdfast;
        this.history = new History(now);
        this.named = new Named(holdfast, OPEN);
        this.picture = Picture.none(now, new Documents.Server(true, now, ""));
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    // ---- for pages

    /** The newest picture. Somebody looks at it. */
    synchronized Picture look() {
        seen();
        return picture;
    }

    /** The newest picture, for a page of this lock. */
    synchronized Picture lookAt(LockId id) {
        named.opened(id);
        return look();
    }

    /**
     * Waits for a newer picture than the one with this number.
     *
     * @return the newest, the same if there was none in time or this was closed
     */
    synchronized Picture lookAfter(long number, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        seen();
        while (picture.number() <= number && !closed) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                break;
            }
            wait(Math.max(1, left / 1_000_000));
        }
        return picture;
    }

    /** Who waited for whom in the newest picture. */
    synchronized Documents.Waits waits() {
        seen();
        WaitGraph drawn = graph == null ? new WaitGraph(List.of(), picture.listeners()) : graph;
        return drawn.document(picture.at(), picture.deadlocks());
    }

    /** A stream is open from now on until {@link #streamEnded}; not if so many are already. */
    synchronized boolean streamBegins(int most) {
        if (streams >= most) {
            return false;
        }
        streams++;
        seen();
        return true;
    }

    synchronized void streamEnded() {
        streams--;
    }

    synchronized int streams() {
        return streams;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    private void seen() {
        boolean slept = System.nanoTime() - lastLook >= OPEN.toNanos();
        lastLook = System.nanoTime();
        if (slept) {
            notifyAll(); // the thread, which would sleep on otherwise
        }
    }

    private boolean isSeen() {
        return streams > 0 || System.nanoTime() - lastLook < OPEN.toNanos();
    }

    /** Has the next round begin at once: something was done. */
    synchronized void hurry() {
        hurried = true;
        notifyAll();
    }

    // ---- the thread

    private void run() {
        try {
            while (!isClosed()) {
                long begin = System.nanoTime();
                round();
                pause(begin, System.nanoTime() - begin);
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private synchronized void pause(long begin, long took) throws InterruptedException {
        while (!closed && !hurried) {
            long interval = (isSeen() ? SEEN : UNSEEN).toNanos();
            long left = Math.max(interval, took * (PAUSE_FACTOR + 1)) - (System.nanoTime() - begin);
            if (left <= 0) {
                break;
            }
            wait(Math.max(1, left / 1_000_000));
        }
        if (hurried) {
            seen = Overview.none(); // something was done, and the server knows it first
        }
        hurried = false;
    }

    private void round() {
        Picture before;
        synchronized (this) {
            before = picture;
        }
        try {
            show(taken(before));
        } catch (HoldfastException e) {
            fail(before, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            // Whatever it is, pages must not take the last picture for the present.
            if (!isClosed()) {
                fail(before, "the dashboard cannot read the locks of the server: " + e);
            }
        }
    }

    private record Taken(Picture picture, WaitGraph graph, Set<List<String>> circles) {}

    private Taken taken(Picture before) {
        Map<LockId, Sight> listed = new LinkedHashMap<>();
        Inspector inspector = holdfast.inspect().allKinds();
        Overview overview = inspector.overview(MOST_LOCKS, seen);
        seen = overview;
        Listeners listeners = overview.listeners();
        boolean more = overview.more();
        for (LockInfo lock : overview.locks()) {
            LockId id = LockId.of(lock);
            listed.put(
                    id,
                    Sight.of(lock, System.currentTimeMillis(), before.sights().get(id)));
        }
        List<LockId> byName = named.present();
        Map<LockId, Sight> sights = withNamed(listed, byName, before);
        long now = System.currentTimeMillis();
        WaitGraph drawn = new WaitGraph(sights.values(), listeners);
        List<Cycle> cycles = drawn.cycles();
        Set<List<String>> marks = new HashSet<>();
        cycles.forEach(cycle -> marks.add(cycle.marks()));
        List<Cycle> certain =
                cycles.stream().filter(cycle -> circles.contains(cycle.marks())).toList();
        Map<LockId, Sight> last = known;
        boolean whole = !more && !before.totals().more();
        history.note(
                now,
                last,
                listed, // what pages ask for by name has not begun when they ask
                whole,
                last == null ? null : before.listeners(),
                listeners,
                overview.figures(),
                certain);
        if (last != null) {
            history.notePauses(now, before.sights(), sights);
        }
        Map<String, Documents.Row> rows = new LinkedHashMap<>();
        sights.values().forEach(sight -> {
            Documents.Row row = row(sight, listeners, certain);
            rows.put(row.id(), row);
        });
        Documents.Server server = before.server().reachable() && before.number() > 0
                ? before.server()
                : new Documents.Server(true, now, "");
        if (!before.server().reachable()) {
            history.noteServer(now, true, "");
        }
        known = listed;
        Documents.Totals totals = totals(sights.values(), more, listeners, certain.size(), now);
        history.noteTotals(now, totals);
        Picture next = new Picture(
                before.number() + 1, now, sights, Set.copyOf(byName), listeners, server, rows, certain, totals);
        return new Taken(next, drawn, marks);
    }

    /** With what was asked for by name. */
    private Map<LockId, Sight> withNamed(Map<LockId, Sight> listed, List<LockId> byName, Picture before) {
        Map<LockId, Sight> sights = new LinkedHashMap<>(listed);
        for (LockId id : byName) {
            LockInfo lock = named.look(id);
            Sight last = before.sights().get(id);
            if (lock == null) {
                if (last != null && last.pausesAt(System.currentTimeMillis())) {
                    sights.putIfAbsent(id, last); // as far as is known
                }
                continue;
            }
            Sight known = listed.get(id);
            LockInfo both = known == null ? lock : steered(known.lock(), lock);
            if (known != null || lock.isLocked() || lock.isQueued() || isSteered(lock)) {
                sights.put(id, Sight.of(both, System.currentTimeMillis(), last));
            }
        }
        named.pause(sights.values().stream()
                .filter(sight -> sight.pauseEnd() != null)
                .map(Sight::id)
                .collect(Collectors.toSet()));
        return sights;
    }

    private static boolean isSteered(LockInfo lock) {
        return lock.pause().isPresent() || lock.limit().isPresent();
    }

    /** A lock as it was listed, with what an operator has done since its clients reported anything, and what its holder has noted. */
    private static LockInfo steered(LockInfo lock, LockInfo now) {
        boolean same = lock.shares().size() == 1
                && now.shares().size() == 1
                && Sight.isSame(
                        lock.shares().get(0).holder(), now.shares().get(0).holder());
        return new LockInfo(
                lock.name(),
                lock.kind(),
                same ? now.holder() : lock.holder(),
                lock.confirmed(),
                lock.leaseDuration(),
                lock.remaining(),
                lock.waiters(),
                lock.callers(),
                lock.queue(),
                lock.used(),
                same ? now.shares() : lock.shares(),
                now.limit(),
                now.pause());
    }

    private synchronized void show(Taken taken) {
        picture = taken.picture();
        graph = taken.graph();
        circles = taken.circles();
        notifyAll();
    }

    /** The picture stays, and says that it is old. */
    private void fail(Picture before, String message) {
        long now = System.currentTimeMillis();
        if (before.server().reachable()) {
            history.noteServer(now, false, message);
        }
        known = null;
        seen = Overview.none();
        Documents.Server server = new Documents.Server(
                false, before.server().reachable() ? now : before.server().since(), message);
        synchronized (this) {
            circles = Set.of();
            picture = new Picture(
                    before.number() + 1,
                    now,
                    before.sights(),
                    before.named(),
                    before.listeners(),
                    server,
                    before.rows(),
                    before.deadlocks(),
                    before.totals());
            notifyAll();
        }
    }

    // ---- what the overview shows

    static Documents.Row row(Sight sight, Listeners listeners, List<Cycle> deadlocks) {
        LockInfo lock = sight.lock();
        LockId id = sight.id();
        Holder holder = lock.holder().filter(has -> !has.isPause()).orElse(null);
        return new Documents.Row(
                id.text(),
                id.word(),
                id.name(),
                holder == null ? null : Words.who(holder),
                (int) lock.shares().stream()
                        .filter(share -> !share.holder().isPause())
                        .count(),
                holder != null && holder.resting(),
                holder != null && Words.isDone(holder),
                (holder == null || holder.resting())
                        ? null
                        : listeners.has(holder.client()).orElse(null),
                holder == null ? null : (Long) holder.since().toEpochMilli(),
                sight.end(),
                lock.isLocked() ? (Long) lock.leaseDuration().toMillis() : null,
                pause(sight),
                lock.callers(),
                (int) lock.queue().stream().filter(Watch::isDead).count(),
                lock.used(),
                limit(lock),
                lock.queue().stream()
                        .map(waiter -> waiter.since().toEpochMilli())
                        .min(Long::compare)
                        .orElse(null),
                deadlocks.stream().anyMatch(cycle -> cycle.isAbout(id)));
    }

    private static Documents.@Nullable Pause pause(Sight sight) {
        LockInfo.Pause pause = sight.lock().pause().orElse(null);
        Long end = sight.pauseEnd();
        return pause == null || end == null ? null : new Documents.Pause(Words.who(pause), pause.reason(), end);
    }

    private static boolean isDead(Waiter waiter) {
        return waiter.state() == Waiter.State.SUSPECT || waiter.state() == Waiter.State.GONE;
    }

    /** How many permits there are, as far as anybody has said it; null if nobody has, or there are none. */
    private static @Nullable Integer limit(LockInfo lock) {
        return Stream.concat(
                        lock
                                .limit()
                                .filter(limit -> lock.pause().isEmpty()) // which is one of 0, and is told of itself
                                .map(LockInfo.Limit::permits)
                                .stream(),
                        lock.queue().stream().map(Waiter::limit).filter(limit -> limit > 0))
                .min(Integer::compare)
                .orElse(null);
    }

    private Documents.Totals totals(
            Collection<Sight> sights, boolean more, Listeners listeners, int deadlocks, long now) {
        int held = 0;
        int waiting = 0;
        int behindDead = 0;
        for (Sight sight : sights) {
            LockInfo lock = sight.lock();
            held += isHeld(lock) ? 1 : 0;
            waiting += lock.callers();
            behindDead += behindDead(lock, listeners);
        }
        return new Documents.Totals(
                sights.size(),
                more,
                held,
                waiting,
                behindDead,
                deadlocks,
                history.lost(now),
                history.refused(now),
                history.acquired(now));
    }

    /** A lock that rests counts as held; a pause, and what was done, do not. */
    private static boolean isHeld(LockInfo lock) {
        return lock.holder()
                .filter(holder -> !holder.isPause() && !holder.isRecord())
                .isPresent();
    }

    /** How many wait behind somebody who is not there any more: a holder that does not listen, or a waiter before them. */
    private static int behindDead(LockInfo lock, Listeners listeners) {
        boolean holderGone = lock.holder()
                .filter(holder -> !holder.resting())
                .flatMap(holder -> listeners.has(holder.client()))
                .map(listens -> !listens)
                .orElse(false);
        if (holderGone) {
            return lock.callers();
        }
        List<Waiter> queue = lock.queue();
        for (int i = 0; i < queue.size(); i++) {
            if (isDead(queue.get(i))) {
                return lock.waiters() - i - 1;
            }
        }
        return 0;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        thread.interrupt();
    }
}
