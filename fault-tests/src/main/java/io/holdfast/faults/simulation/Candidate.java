package io.holdfast.faults.simulation;

import io.holdfast.Candidacy;
import io.holdfast.Leader;
import io.holdfast.Leadership;
import org.jspecify.annotations.Nullable;

/** One candidate in one life of its process, with what its leader does. Times are nanoseconds of the world. */
final class Candidate implements Leader {
    /** What leaders throw on purpose. */
    static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** What the world does for candidates. */
    interface Surroundings {
        /** Leaders do not take their time any more. */
        boolean isHealed();

        void begins(Candidate candidate, Leadership leadership, WorkThread thread);

        void ends(Candidate candidate, Leadership leadership);

        void resign(Candidate candidate, boolean itself);

        void close(Candidate candidate, boolean itself);
    }

    final ElectionPlan.Join item;
    final Machine machine;
    private final Surroundings world;
    private final Draw draw;

    /** Null for a moment, while it begins to campaign. */
    @Nullable
    Candidacy candidacy;

    /** The newest leader's; null if it never led. */
    @Nullable
    WorkThread thread;

    /** Whose leader is at work. */
    @Nullable
    Leadership atWork;

    /** Its last leadership. */
    @Nullable
    Led led;

    boolean closed;
    /** Since when nothing of its own keeps it from campaigning. */
    long availableSince;

    boolean ledSinceHealed;

    Candidate(ElectionPlan.Join item, Machine machine, Surroundings world, Draw draw) {
        this.item = item;
        this.machine = machine;
        this.world = world;
        this.draw = draw;
    }

    /** How long a new thread takes to begin. */
    long startNanos() {
        int how = world.isHealed() ? 0 : draw.below(100);
        return how < 90
                ? draw.between(50_000, 2 * Checks.MILLI)
                : draw.between(2, how < 98 ? 300 : 6_000) * Checks.MILLI;
    }

    /** Whether no thread can be made for it this time. */
    boolean hasNoThread() {
        return draw.percent(2) && !world.isHealed();
    }

    @Override
    public void lead(Leadership leadership) throws InterruptedException {
        WorkThread mine = (WorkThread) Thread.currentThread();
        world.begins(this, leadership, mine);
        try {
            work(mine);
        } finally {
            world.ends(this, leadership);
        }
    }

    private void work(WorkThread mine) throws InterruptedException {
        int how = draw.below(100);
        long works = how < 8 ? 0 : how < 55 ? draw.between(1, 800) : draw.between(800, 12_000);
        boolean heeds = draw.percent(70);
        long after = heeds ? draw.between(0, 60) : draw.between(100, 7_000);
        int end = draw.below(100);
        boolean brief = world.isHealed();
        if (mine.sleepUnlessInterrupted(brief ? Math.min(works, 100) : works)) {
            mine.sleepThrough(brief ? Math.min(after, 300) : after);
            if (heeds && end < 50) {
                throw new InterruptedException();
            }
        } else if (end < 15 && !brief) {
            throw new OnPurpose();
        } else if (end < 30) {
            world.resign(this, true);
            mine.sleepThrough(Math.min(after, 800)); // another leads while it is still at work
        } else if (end < 33 && !brief) {
            world.close(this, true);
            mine.sleepThrough(Math.min(after, 800));
        }
    }

    @Override
    public String toString() {
        return "candidate #" + item.number() + " of " + machine;
    }
}
