package io.holdfast.model.exclusive;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.queue.QueueState;
import io.holdfast.model.queue.Words;

/** What a server knows of one exclusive lock: who waits, and who holds. */
public final class LockState extends QueueState<LockState> {
    /** Of a hold that leases share. */
    public static final int UNMARKED = 0;

    public static final int KEPT = 1;
    public static final int RECALLED = 2;

    // the hold
    public int holder = NOBODY;
    public long token;
    public int left;
    public int mark;

    /** In the details: whose grant is not confirmed yet. It has the order that it had in the queue. */
    public int claim = NOBODY;

    /** In the details: for how long the lock is to pause when nobody holds it any more; 0 once that is over. */
    public int pause = ABSENT;

    public LockState(int owners, int clients) {
        super(owners, clients);
    }

    private LockState(LockState other) {
        super(other);
        holder = other.holder;
        token = other.token;
        left = other.left;
        mark = other.mark;
        claim = other.claim;
        pause = other.pause;
    }

    @Override
    public LockState copy() {
        return new LockState(this);
    }

    public boolean isFree() {
        return holder == NOBODY;
    }

    /** Whether what is there has a token. */
    public boolean hasToken() {
        return holder != NOBODY && holder != PAUSED;
    }

    public boolean isHeldBy(int owner, long grant) {
        return holder == owner && token == grant;
    }

    @Override
    protected boolean tellsOfClaims() {
        return claim != NOBODY || pause != ABSENT;
    }

    @Override
    protected void forgetClaims() {
        claim = NOBODY;
        pause = ABSENT;
    }

    @Override
    public boolean isClaim(int owner) {
        return claim == owner;
    }

    @Override
    protected void pass() {
        left = sooner(left);
        pause = sooner(pause);
        super.pass();
    }

    @Override
    public void tidy() {
        if (left <= 0 || holder == NOBODY) {
            holder = NOBODY;
            token = 0;
            left = 0;
            mark = UNMARKED;
        }
        super.tidy();
    }

    @Override
    public void addTo(Fingerprint print, int[] owners, int[] clients) {
        print.add(renamed(holder, owners))
                .add(token)
                .add(left)
                .add(mark)
                .add(renamed(claim, owners))
                .add(pause);
        super.addTo(print, owners, clients);
    }

    @Override
    public String toString() {
        String hold = holder == NOBODY
                ? "the lock is free"
                : holder < NOBODY
                        ? (holder == DONE
                                        ? "there is a record for "
                                        : holder == PAUSED ? "the lock pauses for " : "the lock rests for ")
                                + left
                        : Words.owner(holder) + " holds it with token " + token + " for " + left
                                + (mark == KEPT ? ", kept" : mark == RECALLED ? ", recalled" : "");
        return hold + waitersInWords() + "; claim "
                + (claim == NOBODY ? "-" : Words.owner(claim) + " from " + order[claim])
                + (pause == ABSENT ? "" : "; to pause for " + pause);
    }
}
