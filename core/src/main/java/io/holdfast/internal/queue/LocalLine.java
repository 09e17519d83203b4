package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.HoldfastClosedException;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Answer;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client for one lock that share a hold: at the server one of them asks for all, and when it holds the
 * lock, its leases go round here, one after the other.
 *
 * <p><b>States.</b> FREE: nothing is asked for or held. ASKING: a request is under way, on behalf of whoever stands first when it
 * is answered. LENT: the hold has a lease. KEPT: the hold has none, and waits for the next request, for a recall, or for its
 * time to be over. All fields are guarded by the lock; what has to be said to others is said after it was given back.
 *
 * <p><b>Fairness.</b> A release hands on within the client only if nobody else can be waiting (the hold is kept, and was not
 * recalled), or so often and for so long as the options say. Otherwise the lock goes back to the server, and whoever waits
 * here asks anew, behind all others.
 *
 * <p><b>Tokens.</b> The server reserves some for a hold. A lease draws its own when it is first asked for it, so that tokens are
 * in the order of the leases that were asked; the first lease has the hold's own in any case. None is used before so many microseconds have passed since the grant: the
 * server's tokens are its clock, and one that lost its memory still gives greater ones.
 */
final class LocalLine implements Hold.Tenant {
    private enum State {
        FREE,
        ASKING,
        LENT,
        KEPT
    }

    /** How often to look again whether a microsecond is over. */
    private static final int MOST_SPINS = 2_000;

    final Keys keys;
    final LockOptions options;
    final Kit kit;
    private final LocalLines lines;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<LocalRequest> waiting = new ArrayDeque<>();
    private State state = State.FREE;
    private boolean ended;
    private @Nullable Request asking;
    private @Nullable Hold hold;
    private volatile @Nullable LocalHold lent; // written under the lock
    private boolean keepable;
    private long recalledToken; // perhaps of a hold that this client has not heard of yet
    private boolean deaf; // since it asked, messages may have been lost
    private long obtainedNanos;
    private int handoffs;
    private long firstToken;
    private long lastToken; // that was used
    private long keptSince;
    private boolean timed;
    private int extensions; // that may have reached the server, and how late is not known
    private boolean extended;
    private long extendedUntil; // meaningful if extended

    LocalLine(LocalLines lines, Keys keys, LockOptions options) {
        this.lines = lines;
        this.kit = lines.queue.kit;
        this.keys = keys;
        this.options = options;
    }

    // ---- requests

    /** A request joins: it is given the lock at once, or stands in line. False if this line has ended. */
    boolean join(LocalRequest request) {
        Runnable then;
        for (int spins = 0; ; spins++) {
            lock.lock();
            try {
                if (ended) {
                    return false;
                }
                request.standsIn(this);
                long now = kit.nanoTime();
                if (state == State.KEPT && isGood(now)) {
                    if (!mayDraw(now) && spins < MOST_SPINS) {
                        Thread.onSpinWait();
                        continue;
                    }
                    if (mayDraw(now)) {
                        then = lend(request);
                        break;
                    }
                }
                if (request.demand.waitLimit().isNone()) {
                    then = then(endIfIdle(), request::askAlone); // which may have made this line
                } else {
                    waiting.add(request);
                    then = state == State.KEPT ? then(giveBack(), askIfWanted()) : askIfWanted();
                }
                break;
            } finally {
                lock.unlock();
            }
        }
        then.run();
        return true;
    }

    /** A request has ended without the lock. */
    void leave(LocalRequest request) {
        Runnable then = () -> {};
        lock.lock();
        try {
            Request asked = asking;
            if (waiting.remove(request) && waiting.isEmpty() && asked != null) {
                asking = null;
                state = State.FREE;
                then = then(asked::withdraw, endIfIdle());
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    /** The wait of a request is over: what can be said of the lock. */
    void judge(LocalRequest request) {
        Request asked;
        Contention known;
        lock.lock();
        try {
            asked = asking;
            known = contention(request);
        } finally {
            lock.unlock();
        }
        if (asked == null) {
            request.timedOut(known); // another lease of this client holds it
        } else {
            asked.probe(answers -> {
                if (answers) {
                    request.timedOut(asked.outcome.contention);
                } else {
                    request.unknown();
                }
            });
        }
    }

    private Contention contention(LocalRequest request) {
        int place = 0;
        Iterator<LocalRequest> line = waiting.iterator();
        for (int i = 1; line.hasNext(); i++) {
            place = line.next() == request ? i : place;
        }
        LocalHold present = lent;
        Hold held = hold;
        if (present == null || held == null) {
            return new Contention(Optional.empty(), Duration.ZERO, place, waiting.size());
        }
        return new Contention(Optional.of(present.holder()), held.peek(), place, waiting.size());
    }

    // ---- the request at the server

    /** Asks, if somebody waits and nothing is under way. Called under the lock, its result after it. */
    private Runnable askIfWanted() {
        LocalRequest first = waiting.peek();
        if (first == null || state != State.FREE) {
            return endIfIdle();
        }
        Request request = new Request(
                lines.queue,
                Demand.of(keys, options, Wait.forever(), false, first.demand.actorName()),
                LocalLines.tokens(options));
        asking = request;
        deaf = false;
        state = State.ASKING;
        return () -> {
            if (!options.keepFor().isZero()) {
                lines.queue.mailboxes.want(keys);
            }
            request.start().whenComplete((answer, failure) -> answered(request, answer, failure));
        };
    }

    private void answered(Request request, @Nullable Answer<Attempt> answer, @Nullable Throwable failure) {
        Handle handle = answer == null ? null : answer.handle();
        Runnable then;
        lock.lock();
        try {
            if (asking != request) {
                then = handle == null ? () -> {} : handle::leave; // nobody waits for it any more
            } else {
                asking = null;
                state = State.FREE;
                then = handle != null && handle.hold instanceof Hold obtained
                        ? obtained(obtained)
                        : refused(answer == null ? null : answer.refusal(), failure);
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    private Runnable obtained(Hold obtained) {
        hold = obtained;
        state = State.KEPT;
        obtainedNanos = kit.nanoTime();
        handoffs = 0;
        firstToken = obtained.token();
        lastToken = obtained.token() - 1;
        keepable = obtained.grant instanceof QueueGrant grant
                && grant.kept
                && !deaf
                && recalledToken != obtained.token()
                && lines.queue.mailboxes.listening(keys);
        keptSince = obtainedNanos;
        extensions = 0;
        extended = false;
        obtained.lend(this);
        LocalRequest first = waiting.poll();
        Runnable given = first == null ? giveBack() : lend(first);
        return () -> {
            given.run();
            var unused = obtained.lost().thenAccept(reason -> lost(obtained, reason));
        };
    }

    private Runnable refused(@Nullable Attempt attempt, @Nullable Throwable failure) {
        if (failure instanceof CancellationException) {
            return askIfWanted();
        }
        boolean all = attempt instanceof Attempt.Evicted || failure instanceof HoldfastClosedException;
        List<LocalRequest> told =
                all ? List.copyOf(waiting) : waiting.stream().limit(1).toList();
        waiting.removeAll(told);
        return then(() -> told.forEach(each -> each.refused(attempt, failure)), askIfWanted());
    }

    // ---- the hold

    private boolean isGood(long now) {
        Hold held = hold;
        return held != null
                && !held.isRenewalOver()
                && held.leftNanos(now) > options.leastRemaining().toNanos();
    }

    /** Whether a token is left for the next lease. */
    private boolean hasToken() {
        return lastToken + 1 - firstToken < LocalLines.tokens(options);
    }

    /** Whether the next lease may have a token of its own. */
    private boolean mayDraw(long now) {
        return hasToken() && (lastToken + 1 - firstToken) * 1_020 <= now - obtainedNanos;
    }

    /** Whether it may in a moment, for which this waits. */
    private boolean mayDrawSoon(long now) {
        long present = now;
        for (int spins = 0; hasToken() && spins < MOST_SPINS && !mayDraw(present); spins++) {
            Thread.onSpinWait();
            present = kit.nanoTime();
        }
        return mayDraw(present);
    }

    private Runnable lend(LocalRequest request) {
        LocalHold lease = new LocalHold(this, Objects.requireNonNull(hold), request);
        if (!request.end(lease)) { // it has ended meanwhile: whoever is next
            LocalRequest next = waiting.poll();
            return next == null ? then(giveBack(), askIfWanted()) : lend(next);
        }
        state = State.LENT;
        lent = lease;
        return () -> request.deliver(lease);
    }

    /** The token of a lease, drawn when it is asked for the first time. */
    long draw(LocalHold lease) {
        lock.lock();
        try {
            if (lent == lease && lease.isWithoutToken()) {
                lastToken++;
            }
            return lease.settleToken(Math.max(lastToken, firstToken)); // after the end, the last that was drawn
        } finally {
            lock.unlock();
        }
    }

    /**
     * The lease is over: hands the lock on, keeps it, or gives it back.
     *
     * @return null if its hold is not this line's any more: it was lost, or detached
     */
    @Nullable
    CompletableFuture<ReleaseResult> released(LocalHold lease) {
        CompletableFuture<ReleaseResult> result;
        Runnable then;
        lock.lock();
        try {
            if (lent != lease) {
                return null;
            }
            // Whoever comes next must not have what the first, which never asked for its token, is answered afterwards.
            lastToken = Math.max(lastToken, firstToken);
            lease.settleToken(lastToken);
            lent = null;
            state = State.KEPT;
            long now = kit.nanoTime();
            boolean good = isGood(now) && !outlastsTerm(now);
            LocalRequest next =
                    !waiting.isEmpty() && good && mayHandOn(now) && mayDrawSoon(now) ? waiting.poll() : null;
            if (next != null) {
                handoffs++;
                result = CompletableFuture.completedFuture(ReleaseResult.RELEASED);
                then = lend(next);
            } else if (keepable && waiting.isEmpty() && good && hasToken() && !kit.isClosed()) {
                keptSince = now;
                result = CompletableFuture.completedFuture(ReleaseResult.KEPT);
                then = timed ? () -> {} : time(options.keepFor().toNanos());
            } else {
                CompletableFuture<ReleaseResult> answer = new CompletableFuture<>();
                result = answer;
                then = then(giveBack(answer), askIfWanted());
            }
        } finally {
            lock.unlock();
        }
        then.run();
        return result;
    }

    /**
     * The lease is to live its term without this client: its hold is no longer the line's, and whoever waits asks anew.
     *
     * @return whether it was; false if the lease is over
     */
    boolean letGo(LocalHold lease) {
        Runnable then;
        lock.lock();
        try {
            if (lent != lease) {
                return false;
            }
            if (lease.isWithoutToken()) {
                lease.settleToken(++lastToken); // nobody else draws from this hold
            }
            lease.detached();
            hold = null;
            lent = null;
            state = State.FREE;
            then = askIfWanted();
        } finally {
            lock.unlock();
        }
        then.run();
        return true;
    }

    // ---- extensions

    /** A lease is about to be extended by a request to the server. False if it is over. */
    boolean extending(LocalHold lease, Duration atLeast) {
        lock.lock();
        try {
            if (lent == lease && atLeast.compareTo(options.term()) > 0) {
                extensions++;
            }
            return lent == lease;
        } finally {
            lock.unlock();
        }
    }

    /** The server has answered: the hold lasts at most so long from now, if nothing was known of it before. */
    void extended(Hold which, Duration atLeast) {
        lock.lock();
        try {
            if (hold == which && atLeast.compareTo(options.term()) > 0) {
                extensions--;
                long until = kit.nanoTime() + atLeast.toNanos();
                extendedUntil = extended && extendedUntil - until > 0 ? extendedUntil : until;
                extended = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the server may hold the lock for more than a term without renewal: what a lease was extended for is its own,
     * and would keep others out if this client died.
     */
    private boolean outlastsTerm(long now) {
        return extensions > 0
                || (extended && extendedUntil - now > options.term().toNanos());
    }

    private boolean mayHandOn(long now) {
        return keepable
                || (handoffs < options.localHandoffs()
                        && now - obtainedNanos < options.localTime().toNanos());
    }

    /** Releases a hold after leases of which the last had this token. */
    static CompletableFuture<ReleaseResult> releaseAfter(Hold hold, long last) {
        if (hold.grant instanceof QueueGrant grant) {
            grant.lastToken(last);
        }
        return hold.release();
    }

    private Runnable giveBack() {
        return giveBack(new CompletableFuture<>());
    }

    private Runnable giveBack(CompletableFuture<ReleaseResult> result) {
        Hold held = Objects.requireNonNull(hold);
        long last = Math.max(lastToken, firstToken);
        hold = null;
        state = State.FREE;
        return () -> releaseAfter(held, last).thenAccept(result::complete);
    }

    private void lost(Hold which, LossReason reason) {
        Runnable then = () -> {};
        lock.lock();
        try {
            if (hold == which) {
                LocalHold lease = lent;
                if (lease != null) {
                    lease.settleToken(Math.max(lastToken, firstToken));
                }
                hold = null;
                lent = null;
                state = State.FREE;
                then = then(lease == null ? () -> {} : () -> lease.lose(reason), askIfWanted());
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    // ---- keeping

    private Runnable time(long nanos) {
        timed = true;
        return () -> kit.schedule(nanos, this::keptLongEnough);
    }

    private void keptLongEnough() {
        Runnable then = () -> {};
        lock.lock();
        try {
            timed = false;
            if (state == State.KEPT) {
                long left = options.keepFor().toNanos() - (kit.nanoTime() - keptSince);
                then = left > 0 ? time(left) : then(giveBack(), askIfWanted());
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    /**
     * Others want the lock: it goes back when it has no lease, or when that ends.
     *
     * @param token of the hold that is meant; 0 for any
     */
    void recall(long token) {
        Runnable then = () -> {};
        lock.lock();
        try {
            if (token == 0) {
                deaf = true;
            } else {
                recalledToken = Math.max(recalledToken, token); // one of an earlier hold may come late
            }
            Hold held = hold;
            if (held != null && (token == 0 || held.token() == token)) {
                keepable = false;
                if (state == State.KEPT) {
                    then = then(giveBack(), askIfWanted());
                }
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    /**
     * Another request of this client wants the lock: it goes back, unless it has a lease.
     *
     * @return the answer to that; null if nothing is kept here
     */
    @Nullable
    CompletableFuture<ReleaseResult> giveBackIfKept() {
        CompletableFuture<ReleaseResult> answer = new CompletableFuture<>();
        Runnable then;
        lock.lock();
        try {
            if (state != State.KEPT) {
                return null;
            }
            then = then(giveBack(answer), askIfWanted());
        } finally {
            lock.unlock();
        }
        then.run();
        return answer;
    }

    // ---- the end

    private Runnable endIfIdle() {
        if (state == State.FREE && waiting.isEmpty()) {
            ended = true;
            return () -> lines.ended(this);
        }
        return () -> {};
    }

    void clientClosed() {
        List<LocalRequest> told;
        lock.lock();
        try {
            told = List.copyOf(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        told.forEach(each -> each.refused(null, new HoldfastClosedException()));
    }

    boolean isKept() {
        lock.lock();
        try {
            return state == State.KEPT;
        } finally {
            lock.unlock();
        }
    }

    int waiting() {
        lock.lock();
        try {
            return waiting.size() - (asking == null ? 0 : 1); // that one is known at the server
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean forgotten() {
        LocalHold present = lent;
        return present != null && present.forgotten();
    }

    @Override
    public boolean overLongest() {
        LocalHold present = lent;
        return present != null && present.overLongest();
    }

    private static Runnable then(Runnable first, Runnable second) {
        return () -> {
            first.run();
            second.run();
        };
    }
}
