package io.holdfast.faults.simulation;

import io.holdfast.Lease;
import io.holdfast.LeaseEndingException;
import io.holdfast.LockOptions;
import io.holdfast.internal.lease.Demand;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Leases that are worked under, of any kind of lock, looked at from outside: what the options promise of the work. Some of the work
 * is done in threads of its own, in virtual time, by the limit that the blocking forms have.
 */
final class Works {
    /** What can be found. The checks of each simulation have these names, too. */
    enum Check {
        /** A lease is handed out, or extended, with less left than the options ask for. */
        LEAST,
        /** Work is interrupted too early, too late, not at all, or after it has ended. */
        INTERRUPT,
        /** A warning comes twice, too early, too late, or not at all. */
        WARNED,
        /** A lease lasts for longer than it may be renewed. */
        LONGEST
    }

    /** What the world says of its leases, and is told. Times are nanoseconds. */
    interface Surroundings {
        long now();

        /** Whether servers lose their memory, or their clocks are set: a client counts for a while as if such a clock were slewed. */
        boolean isOutside();

        /** Whether nothing went wrong since then that could touch this lease, nor ended an operator its hold. */
        boolean undisturbed(Work work, long since);

        /** Since when its process runs without having stood still. */
        long runsSince(Machine machine);

        /** Whether a request of the same actor waits that would enter its hold, and perhaps extends it for that. */
        default boolean mayBeEntered(Work work) {
            return false;
        }

        void found(Check check, String what);
    }

    private static final long MILLI = Checks.MILLI;
    /** Timers fire a moment late. */
    private static final long SOON = MILLI;
    /** As fast as no clock is slewed, in percent. */
    private static final long SLEWED = 110;

    private final Surroundings world;
    private final Timers timers;
    private final Trace trace;
    private final List<Work> open = new ArrayList<>();
    private final List<WorkThread> threads = new ArrayList<>();
    private boolean over;

    Works(Surroundings world, Timers timers, Trace trace) {
        this.world = world;
        this.timers = timers;
        this.trace = trace;
    }

    // ---- what is drawn

    /** Whether options for work are drawn in this plan. */
    static boolean isOf(long seed, int salt) {
        return new Draw(seed, 40, salt).percent(25);
    }

    /** Options for work, beside those of a request. */
    static LockOptions options(LockOptions given, Draw draw) {
        LockOptions options = given;
        Duration term = options.leaseDuration();
        if (draw.percent(50)) {
            int most = options.renewal() ? 50 : 80;
            options = options.withInterruptBefore(percent(term, draw.oneOf(List.of(most, 25, 10))));
        }
        if (draw.percent(40)) {
            options = options.withMinRemaining(percent(term, draw.oneOf(List.of(25, 50, 80))));
        }
        if (draw.percent(20)) {
            Duration longest = Plan.millis(draw.between(200, 4_000));
            options = options.withMaxHold(longest).withMaxScopedHold(longest);
        }
        return options;
    }

    private static Duration percent(Duration term, int percent) {
        return term.multipliedBy(percent).dividedBy(100);
    }

    // ---- what happens

    /**
     * A lease is handed out, at this very moment.
     *
     * @param of the lease in words
     * @param scoped whether it was asked for by a form that works under it
     */
    Work begin(Object of, Machine machine, Lease lease, LockOptions asked, boolean scoped) {
        Work work = new Work(of, machine, lease, asked, scoped, world.now());
        Duration left = LeaseLook.remaining(lease);
        if (!left.isZero() && left.compareTo(Demand.leastLeft(asked)) <= 0) {
            world.found(Check.LEAST, work + " is handed out with " + left.toMillis() + " ms left");
        }
        lease.onWarning(remaining -> warned(work, remaining));
        List<Work> sharing = sharing(lease);
        sharing.forEach(other -> other.extended = true); // an actor that enters a hold may extend it
        work.extended = !sharing.isEmpty() || world.mayBeEntered(work);
        open.add(work);
        return work;
    }

    /** An actor goes on under another lease. That ends every lease of the present hold, and no listener hears of it. */
    void goesOn(Lease lease) {
        sharing(lease).forEach(each -> each.elsewhere = true);
    }

    /** The open work under leases of the same hold. */
    private List<Work> sharing(Lease lease) {
        return open.stream()
                .filter(each -> LeaseLook.holdOf(each.lease) == LeaseLook.holdOf(lease))
                .toList();
    }

    /** Extends it, and looks at what is left when that is answered. */
    void extend(Work work, Duration atLeast) {
        if (LeaseLook.remaining(work.lease).isZero()) {
            return;
        }
        work.extended = true;
        long sent = world.now();
        work.lease.extendAsync(atLeast).thenRun(() -> {
            double due = work.machine.inWorld(atLeast.toNanos()) * 98 / (world.isOutside() ? SLEWED : 100)
                    - (world.now() - sent)
                    - 5 * MILLI;
            if (!work.left && !work.elsewhere && work.leftInWorld() < due) {
                world.found(
                        Check.LEAST, work + " was extended, and has " + (long) work.leftInWorld() / MILLI + " ms left");
            }
        });
    }

    /**
     * Works under it in a thread of its own, which is interrupted before the end, if the options say so.
     *
     * @param millis how long, by the clock of its machine
     * @param draw how the work takes an interrupt, and when it extends its lease
     * @param after runs in that thread when it is over
     */
    void run(Work work, long millis, Draw draw, Runnable after) {
        Runnable task = () -> {
            try {
                limited(work, millis, draw);
                after.run();
            } catch (WorkThread.Abandoned e) {
                // its run is over
            } catch (Throwable e) {
                world.found(Check.INTERRUPT, work + " ends with " + e);
            }
        };
        WorkThread mine = new WorkThread(work.machine, timers, "work under " + work, task, new WorkThread.Hooks() {
            @Override
            public void starts(WorkThread thread) {
                throw new IllegalStateException("the world begins it");
            }

            @Override
            public void interrupted(WorkThread thread) {
                Works.this.interrupted(work, thread);
            }
        });
        threads.removeIf(each -> !each.isOpen());
        threads.add(mine);
        work.thread = mine;
        mine.begin();
    }

    /** The work of a blocking form. */
    private void limited(Work work, long millis, Draw draw) throws Exception {
        WorkThread mine = (WorkThread) Thread.currentThread();
        boolean heeds = draw.percent(70);
        long late = heeds ? draw.between(0, 60) : draw.between(100, 4_000);
        long before = draw.percent(30) ? draw.between(0, millis) : -1;
        boolean[] heeded = new boolean[1];
        try {
            LeaseLook.limited(work.lease, work.asked.interruptBefore(), () -> {
                boolean marked = false;
                if (before >= 0) {
                    marked = mine.sleepUnlessInterrupted(before);
                    extend(work, work.asked.leaseDuration().multipliedBy(draw.between(1, 2)));
                }
                if (marked || mine.sleepUnlessInterrupted(before < 0 ? millis : millis - before)) {
                    mine.sleepThrough(late);
                    if (heeds) {
                        heeded[0] = true;
                        throw new InterruptedException();
                    }
                }
            });
            if (heeded[0]) {
                world.found(Check.INTERRUPT, work + " has ended with an interrupt that nobody is told of");
            }
        } catch (LeaseEndingException e) {
            if (!heeded[0]) {
                world.found(Check.INTERRUPT, work + " has ended by itself, and is told to be interrupted");
            }
        }
    }

    private void interrupted(Work work, WorkThread thread) {
        if (over) {
            return;
        }
        trace.add(work.machine, work + " is interrupted");
        Double before = work.interruptBefore();
        if (before == null || !thread.isOpen()) {
            world.found(
                    Check.INTERRUPT, work + " is interrupted, and " + (before == null ? "never is to be" : "is over"));
        } else if (work.leftInWorld() > before + SOON) {
            world.found(Check.INTERRUPT, work + " is interrupted with " + inMillis(work) + " ms left");
        } else if (isHealthy(work)) {
            world.found(Check.INTERRUPT, work + " is interrupted, and nothing was wrong");
        }
    }

    private void warned(Work work, Duration remaining) {
        if (over || work.elsewhere) {
            return;
        }
        trace.add(work.machine, work + " is warned");
        boolean again = work.isWarnedAgain(LeaseLook.deadline(work.lease));
        if (again || work.left || !work.terms.renewal()) {
            world.found(Check.WARNED, work + " is warned " + (again ? "twice" : "though it is over, or not renewed"));
        } else if (work.machine.inWorld(remaining.toNanos()) > work.warnedBefore() + SOON) {
            world.found(Check.WARNED, work + " is warned with " + remaining.toMillis() + " ms left");
        } else if (isHealthy(work)) {
            world.found(Check.WARNED, work + " is warned, and nothing was wrong");
        }
    }

    private static long inMillis(Work work) {
        return (long) work.leftInWorld() / MILLI;
    }

    /** Whether nothing keeps it from being renewed, nor did in the terms before. */
    private boolean isHealthy(Work work) {
        Double longest = work.longest();
        long held = LeaseLook.heldNanos(work.lease);
        return !world.isOutside()
                && work.terms.renewal()
                && (longest == null || work.machine.inWorld(held) < longest * 98 / 100)
                && LeaseLook.remaining(work.lease).toNanos() > 0
                && world.undisturbed(
                        work, work.obtainedAt - work.terms.leaseDuration().toNanos() - Checks.GRACE);
    }

    // ---- after every step

    void afterStep() {
        for (Iterator<Work> i = open.iterator(); i.hasNext(); ) {
            Work work = i.next();
            if (work.machine.state() == Machine.State.DEAD) {
                i.remove();
                continue;
            }
            double left = work.leftInWorld();
            if (!work.left && !work.elsewhere) {
                isInterrupted(work, left);
                isWarned(work, left);
                lasts(work, left);
            }
            if ((work.left || work.elsewhere || left <= 0) && !work.isAtWork()) {
                i.remove();
            }
        }
    }

    private void isInterrupted(Work work, double left) {
        Double before = work.interruptBefore();
        WorkThread thread = work.thread;
        if (before == null || thread == null || !work.isAtWork() || thread.isInterrupted()) {
            return;
        }
        work.dueSince = left < before ? Math.min(work.dueSince, world.now()) : Asked.NEVER;
        if (isLate(work, work.dueSince)) {
            world.found(Check.INTERRUPT, work + " is not interrupted, with " + (long) left / MILLI + " ms left");
        }
    }

    /** A deadline that is seen from afar is warned of when it comes near. */
    private void isWarned(Work work, double left) {
        long deadline = LeaseLook.deadline(work.lease);
        if (work.isAwaiting && work.awaited != deadline) {
            work.isAwaiting = false;
            work.warningDueSince = Asked.NEVER;
        }
        if (left > work.warnedBefore() + SOON
                && work.terms.renewal()
                && LeaseLook.holdOf(work.lease).grant.isConfirmed()) {
            work.isAwaiting = true;
            work.awaited = deadline;
        } else if (work.isAwaiting && left < work.warnedBefore() && !work.wasWarnedOf(deadline)) {
            work.warningDueSince = Math.min(work.warningDueSince, world.now());
            if (left > 0 && isLate(work, work.warningDueSince)) {
                world.found(Check.WARNED, work + " is not warned, with " + (long) left / MILLI + " ms left");
            }
        }
    }

    private boolean isLate(Work work, long since) {
        return since != Asked.NEVER
                && work.machine.isRunning()
                && world.now() - Math.max(since, world.runsSince(work.machine)) > SOON;
    }

    /** Once it is not renewed any more, it has a term yet. */
    private void lasts(Work work, double left) {
        Double longest = work.longest();
        if (longest != null && !work.extended) {
            work.extended = world.mayBeEntered(work);
        }
        if (left > 0
                && longest != null
                && !work.extended
                && !LeaseLook.isShared(work.lease)
                && work.asked.reentrancy() == LockOptions.Reentrancy.WAIT
                && world.now() - work.obtainedAt
                        > (longest + work.terms.leaseDuration().toNanos()) * 102 / 100 + 10 * MILLI) {
            world.found(Check.LONGEST, work + " has " + (long) left / MILLI + " ms left");
        }
    }

    /** The run is over: nobody works on. */
    void abandon() {
        over = true;
        threads.forEach(WorkThread::abandon);
    }
}
