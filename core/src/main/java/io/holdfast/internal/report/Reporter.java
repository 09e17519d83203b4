package io.holdfast.internal.report;

import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Lasting;
import io.holdfast.internal.wire.Announced;
import io.holdfast.internal.wire.Deadlines;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports what this client holds and waits for, so that those who look need not search the server.
 *
 * <p><b>When.</b> A client that is asked reports at once, if anything has changed. Unasked, it reports what has lasted for a while and
 * stands in no report yet, repeats its report now and then while it has something, and takes it back once. A client that has nothing
 * sends nothing.
 *
 * <p>Threads: the timers' and the driver's. What a report is made of is looked at by one of them at a time.
 */
public final class Reporter implements Lasting {
    /** How often a client looks whether it has to report. */
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    /** What is over sooner is not reported unasked. */
    private static final Duration LASTS = Duration.ofSeconds(1);
    /** A report lasts so much longer than what it tells of, were its client to die now. */
    private static final Duration MARGIN = Duration.ofSeconds(5);
    /** A report of nothing but figures is there for those who have just asked. */
    private static final Duration FIGURES_LAST = Duration.ofSeconds(10);
    /** The pause between a report that was refused, or not answered, and the next unasked one. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);
    /** How often an unchanged report is written in its life. */
    private static final int REPEATS = 3;
    /** More locks than this are not reported. */
    private static final int MOST_LOCKS = 10_000;
    /** The longer a report is the more seldom it is written unasked: this for each character. */
    private static final long PAUSE_NANOS = 50_000;

    /** Those who know the callers that wait in this client. */
    public interface Callers {
        /**
         * Says for each of them which lock it waits for, by the key of the hold, and since when.
         *
         * @param to takes each
         */
        void tell(ObjLongConsumer<String> to);
    }

    private final Kit kit;
    private final Server server;
    private final Callers callers;
    private final Hearing hearing;
    private final Announced ticking = new Announced();
    /** Whether something has begun since it was looked last. */
    private volatile boolean begun;
    /** What goes on without this client: until when, by the key of the hold. */
    private final Map<String, Long> left = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by lock; told when what they asked for is answered. */
    private final List<Runnable> asked = new ArrayList<>();

    private long written; // guarded by lock; how many reports
    private boolean writing; // guarded by lock; the answer to a report is not there
    private Report reported = Report.NOTHING; // guarded by lock; on its way to the server, at least
    private boolean stale = true; // guarded by lock; the server may have another one, or none
    private boolean stands; // guarded by lock; the server may have a report of something that lasts
    private long overAt; // guarded by lock; when it is over by itself
    private long nextAt; // guarded by lock; what is new is written then, and not before
    private long repeatAt; // guarded by lock

    public Reporter(Kit kit, Server server, Hearing hearing, Callers callers) {
        this.kit = kit;
        this.server = server;
        this.hearing = hearing;
        this.callers = callers;
    }

    // ---- unasked

    /** Something is held, or waits, from now on. */
    @Override
    public void begins() {
        if (!begun) { // it is called often
            begun = true;
        }
        if (!kit.isClosed()) {
            ticking.announce(() -> {
                tickLater();
                var unused = hearing.begin();
            });
        }
    }

    /** Listens for those who look, or for their answers, for a while; completes as {@link Hearing#begin}. */
    public CompletableFuture<Void> listen() {
        CompletableFuture<Void> listens = hearing.begin();
        if (hearing.ends() && !kit.isClosed()) {
            ticking.announce(this::tickLater);
        }
        return listens;
    }

    private void tickLater() {
        kit.schedule(INTERVAL.toNanos(), this::tick);
    }

    @Override
    public void goesOn(Keys keys, long untilNanos) {
        left.merge(keys.hold(), untilNanos, (one, other) -> one - other > 0 ? one : other);
        begins();
    }

    private void tick() {
        ticking.begins();
        if (kit.isClosed()) {
            return;
        }
        // To look at all that the client has takes long if that is much. Nothing comes of it before the next report may
        // be written.
        Present lasting = isNow(() -> stands && kit.nanoTime() - nextAt < 0) ? null : new Present(LASTS.toNanos());
        boolean since = begun;
        begun = false;
        boolean busy = lasting == null || lasting.hasAnything || isNow(() -> stands);
        if (hearing.goesOn(busy || since) || busy) {
            ticking.announce(this::tickLater);
        }
        if (isNow(() -> !asked.isEmpty())) {
            goAsked(); // an error has kept the thread that asked from it
        } else if (lasting != null) {
            go(lasting, null);
        }
    }

    /** The number of the last report, whatever has become of it. */
    long number() {
        lock.lock();
        try {
            return written;
        } finally {
            lock.unlock();
        }
    }

    /** Whether something is so that is guarded by the lock. */
    private boolean isNow(BooleanSupplier what) {
        lock.lock();
        try {
            return what.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private boolean isDue(Present lasting) { // under lock
        long now = kit.nanoTime();
        if (lasting.locks.isEmpty()) {
            return stands && now - nextAt >= 0; // what was reported is over
        }
        boolean isNew = stale || !reported.locks().keySet().containsAll(lasting.locks.keySet());
        return now - (isNew ? nextAt : repeatAt) >= 0;
    }

    /** The server may have lost what it had. */
    public void commandsUp() {
        lock.lock();
        try {
            stale = true;
        } finally {
            lock.unlock();
        }
    }

    // ---- asked

    /**
     * Reports, if anything has changed. Of a closed client, what it held has ended: its report ends, or lasts as long as what goes on
     * without it.
     *
     * @param then runs when the server has answered, whatever it has; at once if nothing has changed
     */
    public void report(Runnable then) {
        lock.lock();
        try {
            asked.add(then);
        } finally {
            lock.unlock();
        }
        goAsked();
    }

    private void goAsked() {
        Present all = new Present(0);
        go(all, all.report(!kit.isClosed()));
    }

    private boolean hasChanged(Report all) { // under lock
        long over = kit.nanoTime() - overAt;
        if (all.equals(Report.NOTHING)) {
            return stands || (written > 0 && over < kit.options.commandTimeout().toNanos());
        }
        return stale || over >= 0 || !reported.isLike(all);
    }

    // ---- writing

    /** @param all what is to be reported because that was asked; null if it was not */
    private void go(Present present, @Nullable Report all) {
        List<Runnable> tell = new ArrayList<>();
        boolean write;
        long number;
        lock.lock();
        try {
            if (writing || (all == null && !asked.isEmpty())) {
                return; // the answer to the report goes on with what was asked meanwhile, or the thread that asks does
            }
            tell.addAll(asked);
            asked.clear();
            write = all == null ? isDue(present) : hasChanged(all);
            writing = write;
            number = write ? ++written : written;
        } finally {
            lock.unlock();
        }
        if (write) {
            write(present, all, number, tell);
        } else {
            tell.forEach(Runnable::run);
        }
    }

    private void write(Present present, @Nullable Report all, long number, List<Runnable> tell) {
        try {
            Report report = all == null ? present.report(false) : all;
            Duration life = report.equals(Report.NOTHING) ? Duration.ZERO : present.life();
            String text = report.text(number);
            begun(report, text.length(), life);
            server.reportScripts.write(kit.ids.client(), life, text, (done, failure) -> {
                try {
                    tell.forEach(Runnable::run);
                } finally {
                    written(failure == null);
                }
            });
        } catch (RuntimeException | Error e) {
            tell.forEach(Runnable::run);
            written(false);
            throw e;
        }
    }

    private void begun(Report report, int length, Duration life) {
        lock.lock();
        try {
            reported = report;
            stands |= !report.locks().isEmpty();
            long now = kit.nanoTime();
            nextAt = now + PAUSE_NANOS * length;
            repeatAt = now + Math.max(PAUSE_NANOS * length, life.toNanos() / REPEATS);
            overAt = now + life.toNanos();
            stale = false;
        } finally {
            lock.unlock();
        }
    }

    private void written(boolean kept) {
        boolean isAsked;
        lock.lock();
        try {
            writing = false;
            stale |= !kept;
            stands = !kept || !reported.locks().isEmpty();
            if (!kept) {
                nextAt = kit.nanoTime() + AFTER_FAILURE.toNanos();
            }
            isAsked = !asked.isEmpty();
        } finally {
            lock.unlock();
        }
        if (isAsked) {
            goAsked();
        }
    }

    /** What this client has at one moment. */
    private final class Present {
        final Map<String, Report.Had> locks = new HashMap<>();
        final boolean hasAnything;
        private long longestNanos;

        Present(long youngestNanos) {
            long now = kit.nanoTime();
            Map<String, Integer> waits = new HashMap<>();
            boolean[] any = new boolean[1];
            // A request or hold that begins just when the client is closed ends, too, and no later report would take it
            // back.
            boolean closed = kit.isClosed();
            for (Hold hold : closed ? List.<Hold>of() : kit.holds()) {
                any[0] = true;
                if (now - hold.grantedNanos >= youngestNanos && !hold.keys().isPlain()) {
                    long drift = Deadlines.drift(hold.options.leaseDuration().toNanos());
                    long left = hold.leftNanos(now) + hold.options.lockDelay().toNanos();
                    add(hold.keys().hold(), hold.token(), now + left + drift); // when it ends on the server
                    longestNanos = Math.max(longestNanos, left);
                }
            }
            left.values().removeIf(until -> until - now <= 0);
            left.forEach((key, until) -> {
                any[0] = true;
                add(key, 0, until);
                longestNanos = Math.max(longestNanos, until - now);
            });
            if (!closed) {
                callers.tell((key, since) -> {
                    any[0] = true;
                    if (now - since >= youngestNanos) {
                        waits.merge(key, 1, Integer::sum);
                    }
                });
            }
            if (!waits.isEmpty()) {
                waits.forEach((key, waiting) -> put(key, new Report.Had(waiting, 0, 0)));
                longestNanos =
                        Math.max(longestNanos, kit.options.waiterDeadline().toNanos());
            }
            this.hasAnything = any[0];
        }

        /**
         * With what was counted until now.
         *
         * @param counted whether there is a report of figures alone
         */
        Report report(boolean counted) {
            return locks.isEmpty() && !counted
                    ? Report.NOTHING
                    : new Report(locks, kit.figures().byLock(), kit.figures().dropped());
        }

        private void add(String key, long token, long untilNanos) {
            long until = server.clock.microsAt(server.driver.partition(key), untilNanos) / 1_000;
            put(key, new Report.Had(0, token, until));
        }

        private void put(String key, Report.Had had) {
            if (locks.size() < MOST_LOCKS || locks.containsKey(key)) {
                locks.merge(key, had, Report.Had::and);
            }
        }

        Duration life() {
            return locks.isEmpty()
                    ? FIGURES_LAST
                    : Duration.ofNanos(longestNanos).plus(MARGIN);
        }
    }
}
