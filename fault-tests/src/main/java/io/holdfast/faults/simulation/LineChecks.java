package io.holdfast.faults.simulation;

import static io.holdfast.contracts.Outcomes.isRefused;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** What is promised of read/write locks and of semaphores, looked at from outside clients and server: the side of the leases. */
final class LineChecks extends FirstFinding<LineChecks.Check> {
    /** What is looked at. */
    enum Check {
        /** No valid lease beside a writer's, no more permits than there are, and no slot of two. */
        EXCLUSION,
        /** Behind a valid lease stands a hold on the server, which ends no earlier. */
        HOLDER,
        /** A lease whose client could renew it is not lost. */
        KEPT,
        /** Who has lost a hold, or a place in the queue, by an operator's act or with the server's memory learns of it. */
        TOLD,
        /** Writers' tokens rise; readers of one phase share one, later than that of any writer before; no store refuses a valid lease. */
        TOKENS,
        /** Nobody that could be told is passed, and nobody loses its place. */
        ORDER,
        /** Where there is room for the first that can be told, it is granted. */
        LIVENESS,
        /** Nothing is held, or waits, for what has ended; and what the server counts is there. */
        ORPHAN,
        /** Every key has an expiry, and outlives its holds. */
        EXPIRY,
        /** An answer is one that the request may get. */
        ANSWER,
        /** Everybody gets an answer, who waits for so long in time. */
        ENDS,
        /** A lease is handed out, and extended, with as much left as its options ask for. */
        LEAST,
        /** Work is interrupted in time before the end, not earlier, and not after it is over. */
        INTERRUPT,
        /** A lease is warned of its end in time, once, and not without need. */
        WARNED,
        /** No lease lasts for longer than it may be renewed. */
        LONGEST,
        /** The engine logs no defect of its own. */
        LOG,
        /** The server has run a script otherwise than its model. */
        MODEL
    }

    /** What the checks ask of the world. Times are nanoseconds. */
    interface Surroundings {
        long now();

        /** Whether nothing was wrong with this client since then. */
        boolean isCalm(Machine machine, long since);

        /** Until when something is wrong with this client, or was. */
        long troubledUntil(Machine machine);

        /** Whether nothing was wrong with any client since then. */
        boolean allCalm(long since);

        /** Since when its process runs without having stood still. */
        long runsSince(Machine machine);
    }

    private static final long MILLI = Checks.MILLI;
    static final long GRACE = Checks.GRACE;
    private static final long ANSWER_SLACK = 300 * MILLI;
    /** A hop, and what the message takes. */
    private static final long TOLD_WITHIN = 150 * MILLI;

    private final Surroundings world;
    private final long timeout;
    private final long refresh;
    private final List<LineLease> leases = new ArrayList<>();
    private final List<LineRequest> open = new ArrayList<>();
    private final Map<String, LineRequest> byOwner = new HashMap<>();
    private final Map<String, Long> revoked = new HashMap<>(); // when, by owner and token: leases may not know it yet
    private final Set<String> heard = new HashSet<>(); // those of them whose clients listened
    private final long[] store = new long[LinePlan.LINES]; // the newest token that a guarded store was shown
    private long memorySince; // the server has forgotten, or may have, grants with older tokens
    int obtained;

    LineChecks(Surroundings world, long timeoutNanos, long refreshNanos) {
        this.world = world;
        this.timeout = timeoutNanos;
        this.refresh = refreshNanos;
    }

    List<LineLease> leases() {
        return leases;
    }

    List<LineRequest> open() {
        return open;
    }

    @Nullable
    LineRequest ownerOf(String publicOwner) {
        return byOwner.get(publicOwner);
    }

    // ---- what happens

    void asked(LineRequest request) {
        open.add(request);
    }

    void owns(String publicOwner, LineRequest request) {
        request.owner = publicOwner;
        byOwner.put(publicOwner, request);
    }

    /** An operator has ended its hold: its client learns of it later, by a message if it listens. */
    void revoked(String publicOwner, long token, boolean listens) {
        String hold =
                publicOwner + " " + token; // an owner that has not heard of it yet asks again, and may get another
        revoked.putIfAbsent(hold, world.now());
        if (listens) {
            heard.add(hold);
        }
    }

    /** Its owner has heard of the end before its caller got a lease, has asked again, and reads in the same phase. */
    void grantedAgain(String publicOwner, long token, LineRequest request) {
        if (!request.done) {
            revoked.remove(publicOwner + " " + token);
            heard.remove(publicOwner + " " + token);
        }
    }

    /** Whether a hold of this owner was ended so. */
    boolean isRevoked(String publicOwner) {
        return revoked.keySet().stream().anyMatch(hold -> hold.startsWith(publicOwner + " "));
    }

    private boolean isRevoked(LineLease held) {
        return revoked.containsKey(held.hold());
    }

    /** An operator has dropped it. */
    void dropped(String publicOwner) {
        LineRequest request = byOwner.get(publicOwner);
        if (request != null && request.droppedAt == Asked.NEVER) {
            request.droppedAt = world.now();
        }
    }

    /**
     * The server has lost its memory, or has older data: what it granted before may overlap with what it grants now.
     *
     * @param token later grants have this one, or a greater one
     */
    void memoryIsLost(long token) {
        memorySince = token;
    }

    /** Whether the server knows of its grant, as far as it has not lost its memory since. */
    private boolean isOfThisMemory(LineLease held) {
        return held.lease.token() >= memorySince;
    }

    void answered(LineRequest request, @Nullable Attempt<Lease> attempt, @Nullable Throwable failure) {
        request.done = true;
        open.remove(request);
        LinePlan.Ask item = request.item;
        boolean calm = world.isCalm(request.machine, request.askedAt - GRACE);
        boolean asExpected;
        if (attempt == null) {
            asExpected = failure instanceof HoldfastClosedException
                    || (request.withdrawn && failure instanceof CancellationException);
        } else if (attempt instanceof Attempt.Unknown) {
            asExpected = !calm;
        } else if (isRefused(Reason.TAKEN, attempt)) {
            asExpected = item.waitMillis() == 0;
        } else if (isRefused(Reason.TIMED_OUT, attempt)) {
            asExpected = item.waitMillis() > 0;
        } else if (isRefused(Reason.QUEUE_FULL, attempt)) {
            asExpected = item.options().queueLimit() > 0;
        } else {
            asExpected = attempt instanceof Attempt.Obtained
                    || (isRefused(Reason.DROPPED, attempt) && request.droppedAt != Asked.NEVER)
                    || isRefused(Reason.HELD_BY_CALLER, attempt)
                    || isRefused(Reason.UPGRADE, attempt);
        }
        if (!asExpected) {
            found(Check.ANSWER, request + " is " + (attempt == null ? "" + failure : "" + attempt));
        }
    }

    void obtained(LineLease held) {
        obtained++;
        leases.add(held);
        if (held.slots.size() != (held.request.item.slots() ? held.permits : 0)) {
            found(Check.ANSWER, held + " has not as many slots as it asked for");
        }
    }

    void lost(LineLease held, LossReason reason) {
        boolean outOfNothing = reason == LossReason.EXPIRED || reason == LossReason.NOT_ON_SERVER;
        if (outOfNothing
                && !held.ended
                && !isRevoked(held)
                && ofHold(held).renewal()
                && world.isCalm(held.request.machine, held.obtainedAt - GRACE)) {
            found(Check.KEPT, held + " was lost, " + reason + ", and nothing was wrong");
        }
    }

    // ---- after every step

    void afterStep(ServerLines server) {
        for (Iterator<LineLease> i = leases.iterator(); i.hasNext(); ) {
            LineLease held = i.next();
            double left = held.request.machine.state() == Machine.State.DEAD ? 0 : held.leftInWorld();
            if (left <= 0) {
                if (held.ended || held.request.machine.state() == Machine.State.DEAD) {
                    i.remove();
                }
                continue;
            }
            Long revokedAt = revoked.get(held.hold());
            if (revokedAt != null) {
                told(held, revokedAt, heard.contains(held.hold()));
                continue;
            }
            if (server.stands(held, left)) {
                held.goneSince = Asked.NEVER;
            } else {
                held.goneSince = Math.min(held.goneSince, world.now());
                told(held, held.goneSince, false);
            }
            if (held.mode != LockMode.PERMITS) {
                if (isOfThisMemory(held) && held.lease.token() < store[held.line()]) {
                    found(Check.TOKENS, held + " is refused by a store that has seen " + store[held.line()]);
                }
                store[held.line()] = Math.max(store[held.line()], held.lease.token());
            }
        }
        for (int line = 0; line < LinePlan.LINES; line++) {
            excludes(line);
        }
    }

    /** Its hold is gone: a lease ends with the message, or with the next renewal. */
    private void told(LineLease held, long since, boolean byMessage) {
        Machine machine = held.request.machine;
        if (!machine.isRunning()) {
            return;
        }
        long now = world.now();
        boolean calm = world.isCalm(machine, since - GRACE);
        if (byMessage && calm && now - since > TOLD_WITHIN) {
            found(
                    Check.TOLD,
                    held + " ended " + (now - since) / MILLI + " ms ago, and its client, which listens, goes on");
        }
        long from = Math.max(Math.max(since, world.troubledUntil(machine)), world.runsSince(machine));
        LockOptions options = ofHold(held);
        long renewal = options.leaseDuration().toNanos() / 3;
        if (options.renewal() && now - from > renewal * 102 / 100 + 500 * MILLI) {
            found(Check.TOLD, held + " is gone since " + (now - since) / MILLI + " ms, and no renewal told its client");
        }
    }

    /** A lease that re-enters is renewed as the hold is that it entered, or is not. */
    private LockOptions ofHold(LineLease held) {
        LineRequest first = byOwner.getOrDefault(held.owner, held.request);
        return first.item.options();
    }

    private void excludes(int line) {
        Map<String, LineLease> valid = new HashMap<>(); // one of each owner
        boolean alone = false;
        int used = 0;
        Set<Integer> slots = new HashSet<>();
        for (LineLease held : leases) {
            if (held.line() == line
                    && held.request.machine.state() != Machine.State.DEAD
                    && !isRevoked(held)
                    && isOfThisMemory(held)
                    && !LeaseLook.remaining(held.lease).isZero()) {
                alone |= held.mode == LockMode.EXCLUSIVE;
                if (valid.put(held.owner, held) == null) {
                    used += held.permits;
                    if (!held.slots.stream().allMatch(slots::add)) {
                        found(Check.EXCLUSION, "a slot of two: " + valid.values());
                    }
                }
            }
        }
        if (alone && valid.size() > 1) {
            found(Check.EXCLUSION, "a writer beside others: " + valid.values());
        }
        if (line == LinePlan.SEMAPHORE && used > LinePlan.PERMITS) {
            found(Check.EXCLUSION, used + " permits of " + LinePlan.PERMITS + ": " + valid.values());
        }
    }

    /** Whether somebody has a lease with this owner, or may get one yet. */
    boolean isWanted(String publicOwner, LineRequest request) {
        return !request.done
                || request.downgrades
                || leases.stream()
                        .anyMatch(held -> held.owner.equals(publicOwner)
                                && !LeaseLook.remaining(held.lease).isZero());
    }

    /** Looked at now and then. */
    void requestsEnd() {
        long now = world.now();
        for (LineRequest request : open) {
            wasTold(request, now);
            long wait = request.item.waitMillis();
            if (wait < 0 || !request.machine.isRunning()) {
                continue;
            }
            long over = Math.max(request.askedAt + wait * MILLI, world.runsSince(request.machine));
            long once = timeout * 5 / 4; // a script may have to be sent again as text
            long most = world.isCalm(request.machine, request.askedAt - GRACE) ? once : wait == 0 ? 8 * once : 2 * once;
            if (now - over > most * 101 / 100 + ANSWER_SLACK) {
                found(Check.ENDS, request + " should have ended " + (now - over) / MILLI + " ms ago");
            }
        }
    }

    /** Who was dropped hears of it; without the message, when it asks again. */
    private void wasTold(LineRequest request, long now) {
        long at = request.droppedAt;
        if (at == Asked.NEVER || !request.machine.isRunning()) {
            return;
        }
        boolean calm = world.isCalm(request.machine, at - GRACE);
        long from = Math.max(Math.max(at, world.troubledUntil(request.machine)), world.runsSince(request.machine));
        if (calm ? now - at > TOLD_WITHIN : now - from > (refresh + 2 * timeout) * 101 / 100 + 1_000 * MILLI) {
            found(Check.TOLD, request + " was dropped " + (now - at) / MILLI + " ms ago, and waits");
        }
    }
}
