package io.holdfast.faults.simulation;

import io.holdfast.Leadership;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is promised of elections, looked at from outside clients and server after every step. */
final class ElectionChecks extends FirstFinding<ElectionChecks.Check> {
    /** What is looked at. */
    enum Check {
        /** Two leaderships of one election are valid at the same time. */
        EXCLUSION,
        /** Behind a valid leadership stands no hold on the server, or one that ends earlier. */
        HOLDER,
        /** A token that is not greater than those of all earlier leaderships, and of all earlier grants of one server. */
        TOKENS,
        /** A candidate's leader begins while it is at work, for a leadership that is over, or after the candidate was closed. */
        LEADERS,
        /** A leadership that is over becomes valid again. */
        STICKY,
        /** A leadership is over, or about to be, and its leader is not interrupted; or nobody is told. */
        TOLD,
        /** A leader is interrupted, and nothing is about to end. */
        INTERRUPT,
        /** A leadership whose client could renew it is lost. */
        KEPT,
        /** A candidate is elected again sooner than it may be. */
        SPACING,
        /** A candidate whose leader does not return keeps what it was elected for again, for longer than its grace. */
        GRACE,
        /** Nobody leads, or a candidate never leads, though it could. */
        LIVENESS,
        /** A leadership begins with less left than its options ask for. */
        LEAST,
        /** A leadership is warned of its end too late, too early, twice, or without need. */
        WARNED,
        /** A leadership lasts for longer than it may be renewed. */
        LONGEST,
        /** Who watches is told of an older leader after a newer one. */
        WATCH,
        /** Something is held, waits, or is at work when all candidates are closed. */
        ORPHAN,
        /** A key is left when all lives are over. */
        LITTER,
        /** The engine has logged a defect of its own. */
        LOG,
        /** The server has run a script otherwise than its model. */
        MODEL
    }

    /** What the checks ask of the world. Times are nanoseconds. */
    interface Surroundings {
        long now();

        /** Until when something was, or is, wrong with this client or the server. */
        long troubledUntil(Machine machine);

        /** The same, but for a server that was emptied, which answers as before. */
        long brokenUntil(Machine machine);

        /** Since when its process runs without having stood still. */
        long runsSince(Machine machine);

        /** A candidate was elected, just now. */
        void elected(Led led);
    }

    private static final long MILLI = Checks.MILLI;
    private static final long TOLD_WITHIN = MILLI;
    /** Of its own clock. */
    private static final long LEAST_BETWEEN = 100 * MILLI;

    private final Surroundings world;
    private final ElectionHolds holds;
    private final long mostIdle;
    private final List<Led> open = new ArrayList<>();
    private final Map<String, Long> revoked = new HashMap<>(); // when, by owner and token: leaders may not know it yet
    private final long[] newest = new long[ElectionPlan.ELECTIONS];
    private final long[] ledAt = new long[ElectionPlan.ELECTIONS];
    private long forgottenAt;
    int elected;
    /** Leaderships that were valid beside another since the server had forgotten them. */
    int overlaps;

    /** @param holds made with where its own findings go */
    ElectionChecks(
            Surroundings world,
            Function<BiConsumer<Check, String>, ElectionHolds> holds,
            long timeoutNanos,
            long refreshNanos) {
        this.world = world;
        this.holds = holds.apply(this::found);
        // A dead leader's term; then whoever waits looks, or comes back from a pause, and asks; and asks again without
        // an answer.
        this.mostIdle =
                ElectionPlan.LONGEST_TERM * MILLI * 102 / 100 + 2 * (refreshNanos + timeoutNanos) + 1_000 * MILLI;
    }

    // ---- what happens

    /** An operator has ended what is held now: its candidate learns of it later. */
    void revokes(int election) {
        String hold = holds.holdOf(election);
        if (hold != null) {
            revoked.putIfAbsent(hold, world.now());
        }
    }

    /** A command has run on a server. */
    void ran() {
        holds.ran();
    }

    /** A server has just lost its memory: leaders that it has forgotten do not know it yet. */
    void memoryIsLost() {
        forgottenAt = world.now();
        holds.memoryIsLost();
    }

    /** Who watches an election is told of one leader after another. */
    void watches(Machine machine, int election, long before, long token) {
        // Older data brings back what it has of older leaders.
        if (token < before && !holds.isForgotten(election, token)) {
            found(Check.WATCH, machine + " is told of " + token + " after " + before);
        }
    }

    /** Whether nothing was wrong with it since then, and nobody has ended it by name. */
    boolean undisturbed(Led led, long since) {
        long troubled = world.troubledUntil(led.candidate.machine);
        return (troubled < 0 || troubled < since) && !revoked.containsKey(led.hold()) && holds.couldBeKept(led);
    }

    void begins(Candidate candidate, Leadership leadership, WorkThread thread) {
        Led led = register(candidate, leadership);
        if (candidate.atWork != null) {
            found(Check.LEADERS, led + " begins beside another of its candidate, which is at work");
        } else if (led.leftInWorld() <= 0) {
            found(Check.LEADERS, led + " begins though it is over");
        } else if (candidate.closed) {
            found(Check.LEADERS, led + " begins though its candidate was closed");
        }
        led.thread = thread;
        candidate.atWork = leadership;
    }

    void interrupted(WorkThread thread) {
        for (Led led : open) {
            if (led.thread == thread
                    && led.isAtWork()
                    && led.leftInWorld() > led.candidate.machine.inWorld(beforeEnd(led)) + TOLD_WITHIN) {
                found(Check.INTERRUPT, led + " has " + (long) led.leftInWorld() / MILLI + " ms left");
            }
        }
    }

    private static long beforeEnd(Led led) {
        return led.candidate.item.interruptBefore().toNanos();
    }

    private Led register(Candidate candidate, Leadership leadership) {
        Led last = candidate.led;
        if (last != null && last.leadership == leadership) {
            return last;
        }
        Led led = new Led(candidate, leadership, world.now());
        candidate.led = led;
        open.add(led);
        elected++;
        world.elected(led);
        if (last != null && led.since - last.since < candidate.machine.inWorld(LEAST_BETWEEN) - MILLI) {
            found(Check.SPACING, led + " comes " + (led.since - last.since) / MILLI + " ms after " + last);
        }
        if (led.leftInWorld() > 0 && !revoked.containsKey(led.hold()) && !isForgotten(led)) {
            if (led.token <= newest[led.election()]) {
                found(Check.TOKENS, led + " comes after " + newest[led.election()]);
            }
            newest[led.election()] = Math.max(newest[led.election()], led.token);
        }
        leadership.whenOver().thenAccept(reason -> told(led, reason));
        return led;
    }

    private void told(Led led, Optional<LossReason> reason) {
        led.told = true;
        if (led.leftInWorld() > 0) {
            found(Check.TOLD, led + " is told to be over, and has " + (long) led.leftInWorld() / MILLI + " ms left");
        }
        boolean outOfNothing =
                reason.isPresent() && (reason.get() == LossReason.EXPIRED || reason.get() == LossReason.NOT_ON_SERVER);
        if (outOfNothing && undisturbed(led, led.since - Checks.GRACE)) {
            found(Check.KEPT, led + " was lost, " + reason.get() + ", and nothing was wrong");
        }
        if (reason.isPresent() && reason.get() == LossReason.ABANDONED) {
            found(Check.KEPT, led + " was forgotten");
        }
    }

    /** Whether it was granted by a memory that the server has lost since. */
    private boolean isForgotten(Led led) {
        return holds.isForgotten(led.election(), led.token);
    }

    // ---- after every step

    void afterStep(Collection<Candidate> candidates) {
        for (Candidate candidate : candidates) {
            Leadership present = candidate.candidacy == null ? null : LeaseLook.electedOf(candidate.candidacy);
            if (present != null && candidate.machine.state() != Machine.State.DEAD) {
                register(candidate, present);
            }
        }
        Led[] valid = new Led[ElectionPlan.ELECTIONS];
        for (Iterator<Led> i = open.iterator(); i.hasNext(); ) {
            Led led = i.next();
            boolean dead = led.candidate.machine.state() == Machine.State.DEAD;
            double left = dead ? 0 : led.leftInWorld();
            if (left > 0) {
                lasts(led, left, valid);
            } else if (dead || isOver(led)) {
                i.remove();
            }
        }
        open.forEach(led -> overlaps(led, valid[led.election()]));
        for (int election = 0; election < valid.length; election++) {
            if (valid[election] != null) {
                ledAt[election] = world.now();
            }
        }
        candidates.forEach(this::isAvailable);
    }

    private void overlaps(Led led, @Nullable Led valid) {
        if (valid != null && valid != led && !led.overlaps && isForgotten(led) && led.leftInWorld() > 0) {
            led.overlaps = true;
            overlaps++;
        }
    }

    private void lasts(Led led, double left, Led[] valid) {
        if (led.overSince != Asked.NEVER) {
            found(Check.STICKY, led + " was over, and has " + (long) left / MILLI + " ms left");
        }
        isWarned(led, left);
        resignsInTime(led);
        Long revokedAt = revoked.get(led.hold());
        if (revokedAt != null) {
            knows(led, "was released by name", revokedAt, world.troubledUntil(led.candidate.machine));
            return;
        }
        String lack = holds.lackOf(led, left);
        if (lack != null && isForgotten(led)) {
            long from = Math.max(forgottenAt, led.since);
            knows(led, "was forgotten by the server", from, world.brokenUntil(led.candidate.machine));
            return;
        }
        Led other = valid[led.election()];
        valid[led.election()] = led;
        if (other != null) {
            found(Check.EXCLUSION, led + " beside " + other);
        }
        if (led.token < newest[led.election()] && !isForgotten(led)) {
            found(Check.TOKENS, led + " is valid after " + newest[led.election()]);
        }
        if (lack != null) {
            found(Check.HOLDER, led + " " + lack);
        }
    }

    /** The server has ended it: its client learns that with its next renewal, or before that by message. */
    private void knows(Led led, String how, long endedAt, long troubledUntil) {
        Machine machine = led.candidate.machine;
        LockOptions options = led.candidate.item.options();
        long from = Math.max(Math.max(endedAt, troubledUntil), world.runsSince(machine));
        long due = from + options.leaseDuration().toNanos() / 3 * 102 / 100 + 500 * MILLI;
        Duration longest = options.maxHold();
        // What has been held for so long is not renewed any more: its client knows when the rest of its term is over.
        boolean renewed = longest == null || due < led.since + longest.toNanos() * 98 / 100;
        if (renewed && machine.isRunning() && world.now() > due) {
            found(Check.TOLD, led + " " + how + " " + (world.now() - endedAt) / MILLI + " ms ago");
        }
    }

    /** While it lasts: its leader is interrupted some time before the end. */
    private void isWarned(Led led, double left) {
        boolean due = left < led.candidate.machine.inWorld(beforeEnd(led));
        led.dueSince = due ? Math.min(led.dueSince, world.now()) : Asked.NEVER;
        isInterrupted(led, led.dueSince);
    }

    /** Who is held up by its leader. */
    private void resignsInTime(Led led) {
        Candidate candidate = led.candidate;
        long grace = (long) candidate.machine.inWorld(candidate.item.graceMillis() * MILLI);
        if (candidate.atWork != null && !led.isAtWork() && isLate(led, led.since + grace)) {
            found(Check.GRACE, led + " is held up for longer than " + candidate.item.graceMillis() + " ms");
        }
    }

    private void isInterrupted(Led led, long since) {
        WorkThread thread = led.thread;
        if (since != Asked.NEVER
                && thread != null
                && led.isAtWork()
                && !thread.isInterrupted()
                && !led.endedByItself
                && isLate(led, since)) {
            found(Check.TOLD, led + " is over or about to be, and its leader is not interrupted");
        }
    }

    private boolean isLate(Led led, long since) {
        Machine machine = led.candidate.machine;
        return machine.isRunning() && world.now() - Math.max(since, world.runsSince(machine)) > TOLD_WITHIN;
    }

    /** @return whether there is nothing more to look at */
    private boolean isOver(Led led) {
        led.overSince = Math.min(led.overSince, world.now());
        if (!led.told && isLate(led, led.overSince)) {
            found(Check.TOLD, led + " is over, and nobody was told");
        }
        isInterrupted(led, led.overSince);
        return led.told && !led.isAtWork() && led.candidate.led != led;
    }

    // ---- somebody leads

    /** Notes since when a candidate could lead if nobody else did. */
    private void isAvailable(Candidate candidate) {
        WorkThread thread = candidate.thread;
        Led led = candidate.led;
        boolean leads = led != null && led.leftInWorld() > 0;
        // A leader that does not return keeps its candidate from campaigning, in the end.
        if (!leads && thread != null && thread.isOpen()) {
            candidate.availableSince = world.now();
        }
    }

    /** Looked at now and then. */
    void somebodyLeads(Collection<Candidate> candidates) {
        for (Candidate candidate : candidates) {
            Machine machine = candidate.machine;
            if (candidate.closed || !machine.isRunning()) {
                continue;
            }
            long since = Math.max(
                    Math.max(candidate.availableSince, world.troubledUntil(machine)),
                    Math.max(world.runsSince(machine), ledAt[candidate.item.election()]));
            if (world.now() - since > mostIdle) {
                found(
                        Check.LIVENESS,
                        candidate + " could lead since " + (world.now() - since) / MILLI + " ms, and nobody does");
            }
        }
    }

    /** When all candidates have been closed, and what was late has come. */
    void nothingHeld(Collection<Candidate> candidates) {
        for (int election = 0; election < ElectionPlan.ELECTIONS; election++) {
            String key = ElectionHolds.keyOf(election);
            List<String> left = holds.keys().stream()
                    .filter(each -> each.equals(key) || each.equals(key + ":q") || each.equals(key + ":p"))
                    .toList();
            if (!left.isEmpty()) {
                found(
                        Check.ORPHAN,
                        "all candidates are closed, and the server has " + left + " " + holds.holdOf(election));
            }
        }
        for (Candidate candidate : candidates) {
            WorkThread thread = candidate.thread;
            if (thread != null && thread.isOpen() && candidate.machine.isRunning()) {
                found(Check.ORPHAN, candidate + " was closed, and its leader is at work");
            }
        }
    }

    /** When everybody has gone and all lives are over. */
    void nothingLeft() {
        List<String> keys = holds.keys();
        if (!keys.isEmpty()) {
            found(Check.LITTER, "left on the server: " + keys);
        }
    }
}
