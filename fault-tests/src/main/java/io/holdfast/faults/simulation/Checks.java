package io.holdfast.faults.simulation;

import static io.holdfast.contracts.Outcomes.isRefused;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LossReason;
import io.holdfast.ServerRefusedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What is looked at from outside of all clients and servers, after every step. The first thing that is found ends the run.
 * Nothing is called on a lease that could change it, so leases of frozen clients are looked at, too.
 */
final class Checks extends FirstFinding<Checks.Check> {
    /** What can be found, by the name under which it is told. */
    enum Check {
        /** Two leases of one lock are good at one time. */
        EXCLUSION,
        /** A lease is good longer than the server keeps its hold. */
        HOLDER,
        /** The token of a grant is not above all earlier ones. Of leases, only where they cannot overlap. */
        TOKENS,
        /** A lease is over, and its client was not told. */
        TOLD,
        /** A lease that was over is good again. */
        STICKY,
        /** A lease was lost although nothing was wrong. */
        KEPT,
        /** A key lives for ever. */
        EXPIRY,
        /** Somebody was served before one who came earlier, or has a higher priority. */
        ORDER,
        /** A free lock was not given to one who waits. */
        LIVENESS,
        /** A client has granted a lock by itself, more often or for longer than it may. */
        FAIR,
        /** A request did not end in its time. */
        ENDS,
        /** A run has many more steps than its plan needs: somebody sends without end. */
        STORM,
        /** The answer to a request is not what happened. */
        ANSWER,
        /** An operator has dropped those who wait, and one inside of the holder's client waits on. */
        DROPPED,
        /** An update that was checked by {@code remaining()} alone was lost. */
        UNFENCED,
        /** An update that was fenced by tokens was lost. */
        FENCED,
        /** The server keeps something for somebody who has ended. */
        ORPHAN,
        /** The server keeps something when everybody has gone. */
        LITTER,
        /** A node has taken a write-back of somebody who does not hold the lock there. */
        WRITE_BACK,
        /** A lease is handed out, or extended, with less left than its options ask for. */
        LEAST,
        /** Work is interrupted too early, too late, or after its end. */
        INTERRUPT,
        /** A lease is not warned of its end, or without need, or twice. */
        WARNED,
        /** A lease lasts for longer than it may be renewed. */
        LONGEST,
        /** A client does not report what it has, or reports something when it has nothing. */
        REPORTED,
        /** A lock does not rest, or rests though nobody has had it. */
        RESTS,
        /** The client has logged a defect of its own. */
        LOG,
        /** The server has run a script otherwise than its model. */
        MODEL
    }

    /** What the checks have to know of the world. */
    interface Surroundings {
        /** Nanoseconds of the world. */
        long now();

        /** Whether nothing went wrong at a client and the servers of a lock since then. */
        boolean undisturbed(Machine machine, int lock, long since);

        /** The same, but for one way of being disturbed. */
        boolean undisturbedBut(Troubled.How how, Machine machine, int lock, long since);

        /**
         * The only silence of a client, or of a lock's server, that has lasted into this time, until the client was
         * connected again if it gave its connection up meanwhile; null if that is not all.
         */
        Silences.@Nullable Silence onlySilence(Machine machine, int lock, long since);

        /** When the machine was last thawed or started. */
        long runsSince(Machine machine);

        /** Whether nothing has ever been wrong with a server. */
        boolean nodeIsCalm(int node);

        /** Whether copies of what the machine has sent may arrive yet, or have after then. */
        boolean copiesSince(Machine machine, long since);

        /** Whether the machine is dead, and nothing went wrong with it before, from then on. */
        boolean wasCalmUntilItsDeath(Machine machine, long since);

        /** When the machine's client was closed, nothing being wrong; never if it was not. */
        long closedAt(Machine machine);

        /** Whether enough servers have their memory, and no hold of somebody else's instead. */
        boolean couldBeKept(Held held);

        /** Whether the lock was free for the whole time. */
        boolean freeSince(int lock, long since);
    }

    static final long MILLI = 1_000_000;
    /** Trouble that was over so long before has no effect any more. */
    static final long GRACE = 5_000 * MILLI;

    private static final long TOLD_WITHIN = MILLI;
    /** A hop, and what the message takes. */
    private static final long TOLD_OF_REVOKING = 150 * MILLI;

    private static final long ROUND_TRIPS = 50 * MILLI;

    private static final long REMEMBERED = 5_000 * MILLI;
    private static final long ANSWER_SLACK = 300 * MILLI;

    final Plan plan;
    private final boolean strict;
    private final Surroundings world;
    private final List<Held> leases = new ArrayList<>();
    private final List<Asked> open = new ArrayList<>();
    private final Map<String, Long> revoked = new HashMap<>(); // when a hold was ended by name, by its owner
    private final Map<Integer, Long> obtained = new HashMap<>(); // greatest token by lock
    private final Set<String> had = new HashSet<>(); // lock and token of what callers have got, and its owner
    private final Map<Integer, Long> restsUntil = new HashMap<>(); // by lock
    private final long[] unfenced;
    private final long[] fenced;
    private final long[] fence;
    private final long timeout;
    int overlaps;
    int lostUpdates;

    Checks(Plan plan, Surroundings world) {
        this.plan = plan;
        this.strict = plan.kind() != Plan.Kind.OUTSIDE;
        this.world = world;
        this.unfenced = new long[plan.locks()];
        this.fenced = new long[plan.locks()];
        this.fence = new long[plan.locks()];
        this.timeout = plan.options().commandTimeout().toNanos();
    }

    List<Held> leases() {
        return leases;
    }

    List<Asked> open() {
        return open;
    }

    // ---- what happens

    void asked(Asked asked) {
        open.add(asked);
    }

    void answered(Asked asked, @Nullable Attempt<Lease> attempt, @Nullable Throwable failure) {
        asked.done = true;
        open.remove(asked);
        boolean calm = strict && world.undisturbed(asked.machine, asked.item.lock(), asked.askedAt - GRACE);
        asked.refused = attempt instanceof Attempt.NotObtained;
        Plan.Ask item = asked.item;
        if (failure != null) {
            boolean expected = failure instanceof HoldfastClosedException
                    || (!strict && failure instanceof ServerRefusedException) // its clock has run ahead again and again
                    || (asked.withdrawn
                            && (failure instanceof CancellationException || failure instanceof WithdrawnException));
            if (!expected) {
                found(Check.ANSWER, asked + " failed: " + failure);
            }
        } else if (attempt instanceof Attempt.Unknown<?> unknown) {
            if (calm) {
                found(Check.ANSWER, asked + " is unknown, but nothing was wrong: " + unknown.cause());
            }
        } else if (isRefused(Reason.TAKEN, attempt) || isRefused(Reason.TIMED_OUT, attempt)) {
            if (calm && world.freeSince(item.lock(), asked.askedAt)) {
                found(Check.ANSWER, asked + " is " + attempt + ", but the lock was free all the time");
            }
            if (isRefused(Reason.TAKEN, attempt) != (item.waitMillis() == 0)) {
                found(Check.ANSWER, asked + " is " + attempt);
            }
        } else if (isRefused(Reason.DROPPED, attempt) && plan.kind() == Plan.Kind.STEERED) {
            return; // an operator has dropped it
        } else if (isRefused(Reason.QUEUE_FULL, attempt)) {
            if (item.options().queueLimit() == 0) {
                found(Check.ANSWER, asked + " is " + attempt);
            }
        } else if (!(attempt instanceof Attempt.Obtained) && !isRefused(Reason.HELD_BY_CALLER, attempt)) {
            found(Check.ANSWER, asked + " is " + attempt);
        }
    }

    /** Its caller was interrupted in the moment of the answer, which nobody has seen. */
    void interrupted(Asked asked) {
        asked.done = true;
        open.remove(asked);
    }

    /** A hold was ended by name, or taken over: its client learns of it with a message or its next renewal. */
    void revoked(int lock, String owner) {
        revoked.put(owner, world.now());
        for (Held held : leases) {
            if (held.lock == lock && held.owner.equals(owner)) {
                held.revoked = true;
            }
        }
    }

    /** Whether a hold of this owner was ended by name: it may have been handed the lock, and have asked anew. */
    boolean wasRevoked(String owner) {
        return revoked.containsKey(owner);
    }

    /** Of a hold that was ended by name the client may lend leases until it has heard of it. */
    private boolean isRevoked(Held held) {
        Long at = revoked.get(held.owner);
        if (at == null) {
            return false;
        }
        return held.shared == null
                || world.now() - at <= TOLD_OF_REVOKING
                || !world.undisturbed(held.machine, held.lock, at - GRACE);
    }

    /** A caller that went away in another way than by cancelling. */
    static final class WithdrawnException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** A lease was handed out; the holder looks at the guarded values. */
    void obtained(Held held) {
        held.revoked = isRevoked(held);
        boolean again = false;
        for (Held other : leases) {
            if (other.isOneWith(held)) {
                again = true;
                if (other.machine == held.machine) {
                    held.given |= other.given;
                    held.detached |= other.detached;
                }
            }
        }
        leases.add(held);
        had.add(held.lock + " " + held.token);
        had.add(held.owner);
        Shared shared = held.shared;
        if (shared != null) {
            had.add(held.lock + " " + shared.token);
            shared.obtained(held);
        }
        if (again) {
            return; // entered again, or adopted: one hold reads and writes once
        }
        if (restsUntil.getOrDefault(held.lock, -1L) > held.obtainedAt) {
            found(Check.RESTS, held + " begins while its lock was to rest");
        }
        if (strict
                && !held.asked.item.options().renewal()
                && held.asked.item.options().reentrancy() == Reentrancy.WAIT // or it may be another's hold
                && world.undisturbed(held.machine, held.lock, held.asked.askedAt - GRACE)
                && LeaseLook.remaining(held.lease).toNanos() < wholeTerm(held)) {
            found(
                    Check.KEPT,
                    held + " is not renewed, and begins with "
                            + LeaseLook.remaining(held.lease).toMillis() + " ms");
        }
        if (held.revoked) {
            return;
        }
        Long before = obtained.put(held.lock, held.token);
        if (strict && before != null && before >= held.token) {
            found(Check.TOKENS, held + " comes after token " + before);
        }
        held.unfencedRead = unfenced[held.lock];
        if (held.token >= fence[held.lock]) {
            fence[held.lock] = held.token;
            held.fencedRead = fenced[held.lock];
        }
    }

    /** Its lock is to rest, if that was asked for: since its grant, which was a few round trips before it was told. */
    void released(Held held) {
        boolean last = leases.stream()
                .noneMatch(
                        other -> other != held && other.isOneWith(held) && !other.released && other.leftInWorld() > 0);
        long rest = held.asked.item.options().minHold().toNanos();
        if (strict
                && plan.kind() != Plan.Kind.STEERED
                && rest > 0
                && last
                && held.shared == null
                && held.origin.equals(held.owner) // who adopts does not know of it
                && !held.entered()
                && held.leftInWorld() > 0
                && world.undisturbed(held.machine, held.lock, held.asked.askedAt - GRACE)) {
            long granted = Math.max(held.asked.askedAt, held.obtainedAt - ROUND_TRIPS);
            restsUntil.merge(held.lock, granted + rest - ROUND_TRIPS, Math::max);
        }
    }

    /** A lock rests after a hold with this token; a late release finds what its owner was granted again, and rests after that. */
    void rests(int lock, String owner, long token) {
        if (strict && !had.contains(lock + " " + token) && !had.contains(owner)) {
            found(Check.RESTS, "lock" + lock + " rests after token " + token + ", which nobody has had");
        }
    }

    /** Of a term, less the allowance for drift and a few round trips. */
    private static long wholeTerm(Held held) {
        return held.asked.item.options().leaseDuration().toNanos() * 99 / 100 - 50 * MILLI;
    }

    /** The holder writes what it has computed from what it had read, if it may, at this very instant. */
    void write(Held held) {
        if (held.given) {
            return; // whoever adopted it goes on
        }
        if (held.unfencedRead >= 0 && !held.revoked && held.leftInWorld() > 0) {
            if (unfenced[held.lock] != held.unfencedRead) {
                lostUpdates++;
                if (strict) {
                    found(Check.UNFENCED, held + " overwrites what it has not seen");
                }
            }
            unfenced[held.lock]++;
        }
        if (held.fencedRead >= 0 && held.token >= fence[held.lock]) {
            // Written whether the lease is good or not: only the token guards.
            if (fenced[held.lock] != held.fencedRead) {
                found(Check.FENCED, held + " overwrites what it has not seen");
            }
            fenced[held.lock]++;
        }
        held.unfencedRead = -1;
        held.fencedRead = -1;
    }

    /** The holder leaves its hold to another, or to its term: so do all leases that share it. */
    void left(Held held, boolean toAnother) {
        for (Held other : leases) {
            if (other.isOneWith(held) && other.machine == held.machine) {
                other.given |= toAnother;
                other.detached = true;
                if (other.work != null) {
                    other.work.elsewhere = true;
                }
            }
        }
    }

    void lost(Held held, LossReason reason) {
        held.lost = reason;
        if (LeaseLook.remaining(held.lease).toNanos() > 0) {
            found(Check.STICKY, held + " is told as lost, " + reason + ", and is good");
        }
        boolean outOfNothing = reason == LossReason.EXPIRED || reason == LossReason.NOT_ON_SERVER;
        if (!strict || !outOfNothing || held.given || held.detached || held.revoked) {
            return;
        }
        Silences.Silence silence = world.onlySilence(held.machine, held.lock, held.obtainedAt - GRACE);
        if (silence != null
                && plan.kind() != Plan.Kind.QUORUM
                && held.asked.item.options().renewal()
                && !held.entered()
                && Silences.bears(
                        silence,
                        held.obtainedAt,
                        held.asked.item.options().leaseDuration().toNanos())) {
            found(
                    Check.KEPT,
                    held + " was lost, " + reason + ", by a silence of "
                            + (silence.end() - silence.begin()) / MILLI + " ms that began "
                            + (silence.begin() - held.obtainedAt) / MILLI + " ms after it");
        }
        if (world.undisturbed(held.machine, held.lock, held.obtainedAt - GRACE) && world.couldBeKept(held)) {
            found(Check.KEPT, held + " was lost, " + reason + ", and nothing was wrong");
        }
    }

    // ---- after every step

    void afterStep() {
        long now = world.now();
        for (Iterator<Held> i = leases.iterator(); i.hasNext(); ) {
            Held held = i.next();
            if (LeaseLook.remaining(held.lease).isZero()) {
                if (held.overSince == Asked.NEVER) {
                    held.overSince = now;
                    if (held.shared != null) {
                        held.shared.over(held, now);
                    }
                }
                if (now - held.overSince > REMEMBERED && !owesLoss(held)) {
                    i.remove();
                } else {
                    told(held, now);
                }
            } else {
                if (held.overSince != Asked.NEVER) {
                    found(Check.STICKY, held + " was over, and is good again");
                }
                excludes(held);
            }
        }
    }

    private static boolean owesLoss(Held held) {
        return held.lost == null
                && !held.released
                && !held.given
                && !held.detached
                && held.machine.state() != Machine.State.DEAD;
    }

    private void told(Held held, long now) {
        if (owesLoss(held)
                && held.machine.isRunning()
                && now - Math.max(held.overSince, world.runsSince(held.machine)) > TOLD_WITHIN) {
            found(Check.TOLD, held + " is over since " + (now - held.overSince) / MILLI + " ms, and nobody was told");
        }
    }

    private void excludes(Held held) {
        if (counts(held)) {
            for (Held other : leases) {
                if (other == held) {
                    return; // the others look at this one
                }
                if (other.lock == held.lock
                        && !other.isOneWith(held)
                        && counts(other)
                        && !LeaseLook.remaining(other.lease).isZero()) {
                    overlaps++;
                    if (strict) {
                        found(Check.EXCLUSION, held + " and " + other + " are good at one time");
                    }
                }
            }
        }
    }

    private static boolean counts(Held held) {
        return !held.given && !held.revoked && held.machine.state() != Machine.State.DEAD;
    }

    /** Looked at now and then. */
    void requestsEnd() {
        long now = world.now();
        for (Asked asked : open) {
            if (asked.item.waitMillis() < 0 || !asked.machine.isRunning()) {
                continue;
            }
            long over = Math.max(asked.waitsUntil(), world.runsSince(asked.machine));
            boolean calm = world.undisturbed(asked.machine, asked.item.lock(), asked.askedAt - GRACE);
            // A script may have to be sent again as text. One that does not wait may ask four times.
            long once = timeout * 5 / 4;
            long most = calm ? once : asked.item.waitMillis() == 0 ? 8 * once : 2 * once;
            if (now - over > most * 101 / 100 + ANSWER_SLACK) {
                found(
                        Check.ENDS,
                        asked + " should have ended " + (now - asked.waitsUntil()) / MILLI + " ms ago"
                                + (calm ? ", nothing was wrong" : ""));
            }
        }
    }
}
