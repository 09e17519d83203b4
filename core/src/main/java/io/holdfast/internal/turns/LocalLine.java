package io.holdfast.internal.turns;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.HoldfastClosedException;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.internal.deadlock.BlockedFlows;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.lease.Tenant;
import io.holdfast.internal.queue.Guarded;
import io.holdfast.internal.queue.QueueEngine;
import io.holdfast.internal.queue.QueueGrant;
import io.holdfast.internal.queue.Request;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client for one lock that share a hold: at the server one of them asks for all, and when it holds the
 * lock, its leases go round here, one after the other.
 *
 * <p><b>States.</b> FREE: nothing is asked for or held. ASKING: a request is under way, on behalf of whoever stands first when it
 * is answered. LENT: the hold has a lease. KEPT: the hold has none, and waits for the next request, for a recall, or for its
 * time to be over. While there is a hold there is a {@link Tenure}, whose {@link Turn} knows which requests of the line may be served.
 *
 * <p>Its events and their guards are in {@code docs/states.md}. Whoever comes first under the lock is right.
 */
final class LocalLine extends Guarded implements LocalRequest.Line, LocalHold.Line, Tenant {
    private enum State {
        FREE,
        ASKING,
        LENT,
        KEPT
    }

    final Keys keys;
    final LockOptions options;
    private final QueueEngine queue;
    private final Consumer<LocalLine> atEnd;
    private final InLine waiting = new InLine(); // guarded by lock
    private volatile State state = State.FREE; // written under the lock
    private boolean ended;
    private boolean contended; // since it was made, a request has stood behind others
    private @Nullable Request asking;
    private @Nullable LocalRequest givingUp; // the only one that waited, for whom the request under way was withdrawn
    private volatile String owner = ""; // by which it asked last, public and secret part; written under the lock
    private @Nullable Tenure tenure;
    volatile @Nullable LocalHold lent; // written under the lock
    private long recalledToken; // perhaps of a hold that this client has not heard of yet
    private boolean deaf; // since it asked, messages may have been lost
    private volatile @Nullable CompletableFuture<ReleaseResult>
            goingBack; // what was given back last, until it is answered
    private final int sections; // of a turn, at most
    private final Idle kept;

    /** @param atEnd called once, when it has nothing to do any more */
    LocalLine(QueueEngine queue, Keys keys, LockOptions options, int sections, Consumer<LocalLine> atEnd) {
        super(queue.kit);
        this.queue = queue;
        this.atEnd = atEnd;
        this.keys = keys;
        this.options = options;
        this.sections = sections;
        this.kept = new Idle(options.keepFor());
    }

    @Override
    protected void mend() {
        on(() -> {
            LocalHold lease = lent;
            Tenure present = tenure;
            Request asked = asking;
            CompletableFuture<ReleaseResult> back = goingBack;
            if (lease != null) {
                return lease.goOn();
            } else if (back != null) { // it may never have left: nobody is to wait for its answer
                return then(() -> wentBack(back, ReleaseResult.UNCONFIRMED), this::mendLater);
            } else if (asked != null && asked.outcome.asked.get() == 0) { // as far as is known it was never begun
                free();
                return then(asked::withdraw, askIfWanted());
            }
            boolean stays = state == State.KEPT && kept.keeps && waiting.isEmpty();
            return present == null || stays ? askIfWanted() : giveBack(present);
        });
    }

    private void free() {
        asking = null;
        tenure = null;
        lent = null;
        state = State.FREE;
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
                Tenure present = tenure;
                if (present != null) {
                    present.turn.look(waiting.size(), now);
                }
                if (present != null && state == State.KEPT && present.isGood(now) && present.turn.mayServe(now)) {
                    boolean mayDraw = present.tokens.mayDraw(now);
                    if (!mayDraw && spins < SharedTokens.MOST_SPINS) {
                        Thread.onSpinWait();
                        continue;
                    }
                    if (mayDraw) {
                        Runnable given = lendIfStillThere(present, request, now);
                        then = given == null ? giveBack(present) : given;
                        break;
                    }
                }
                if (request.demand.waitLimit().isNone()) {
                    then = then(endIfIdle(), request::askAlone); // which may have made this line
                } else {
                    waiting.add(request);
                    then = present != null && state == State.KEPT ? giveBack(present) : askIfWanted();
                    then = present == null ? then : then(then, questionIfDue(now));
                    if (state != State.ASKING || waiting.size() > 1) {
                        contended = true;
                        request.standsBehindOthers(waiting.size());
                        then = then(request::tellQueued, then);
                    }
                }
                break;
            } finally {
                lock.unlock();
            }
        }
        after(then);
        return true;
    }

    void show(BlockedFlows to) {
        on(() -> waiting.show(to, owner, lent));
    }

    @Override
    public String owner() {
        return owner;
    }

    List<LocalRequest> requests() {
        return under(waiting::all);
    }

    @Override
    public void leave(LocalRequest request) {
        on(() -> {
            Request asked = asking;
            if (!waiting.remove(request, tenure) || !waiting.isEmpty() || asked == null) {
                return () -> {};
            }
            free();
            return then(asked::withdraw, endIfIdle());
        });
    }

    @Override
    public void judge(LocalRequest request) {
        on(() -> {
            Request asked = asking;
            Contention known = waiting.contention(request, tenure, lent);
            boolean alone = waiting.size() == 1 && waiting.peek() == request;
            givingUp = alone && asked != null ? request : givingUp;
            return () -> request.judge(asked, alone, known);
        });
    }

    // ---- the request at the server

    /** Asks, if somebody waits and nothing is under way. Called under the lock, its result after it. */
    private Runnable askIfWanted() {
        LocalRequest first = waiting.peek();
        if (first == null || state != State.FREE) {
            return endIfIdle();
        }
        Request request = new Request(
                queue,
                Demand.of(keys, options, Wait.forever(), false, first.demand.actorName()),
                SharedTokens.reserved(contended || kept.keeps));
        CompletableFuture<Attempt<Handle>> stage = request.outcome.stage(); // before anybody can withdraw it
        asking = request;
        givingUp = null;
        owner = request.owner;
        deaf = false;
        state = State.ASKING;
        return () -> {
            try {
                if (kept.keeps) {
                    queue.mailboxes.want(keys);
                }
                request.begin();
            } catch (RuntimeException | Error e) {
                request.withdraw(); // it is unknown how far it has come: the line asks by another
                throw e;
            } finally {
                stage.whenComplete((answer, failure) -> kit.surely(() -> answered(request, answer, failure)));
            }
        };
    }

    private void answered(Request request, @Nullable Attempt<Handle> answer, @Nullable Throwable failure) {
        Handle handle = answer == null ? null : answer.asOptional().orElse(null);
        on(() -> {
            if (asking != request) {
                boolean mine = handle != null && tenure != null && tenure.hold == handle.hold; // since an error
                return handle == null || mine ? () -> {} : handle::leave; // nobody waits for it any more
            }
            free();
            QueueGrant grant = handle == null ? null : request.obtained;
            return grant == null ? refused(request, answer, failure) : obtained(grant);
        });
    }

    private Runnable obtained(QueueGrant grant) {
        Tenure begun = new Tenure(grant, options, sections);
        Hold obtained = begun.hold;
        tenure = begun;
        state = State.KEPT;
        long now = kit.nanoTime();
        kept.since(now);
        obtained.lend(this);
        Runnable given = null;
        while (given == null && !waiting.isEmpty()) { // whoever is still there: it is granted for them
            given = lendToFirst(begun, obtained.grantedNanos);
        }
        // Where the client keeps the lock for nobody, a message is all by which it would hear of others in time.
        if (!grant.kept
                || recalledToken == grant.token()
                || (kept.keeps && (deaf || !queue.mailboxes.listening(keys)))) {
            begun.turn.beginsClosed(waiting.size(), now);
        }
        Runnable then = given == null ? giveBack(begun) : given;
        LossReason gone = obtained.lossReason(); // before it knew whom to tell
        return gone == null ? then : then(then, () -> lost(obtained, gone));
    }

    private Runnable refused(Request request, @Nullable Attempt<Handle> attempt, @Nullable Throwable failure) {
        if (failure instanceof CancellationException) { // by an error: anew at once could be too soon
            return this::mendLater;
        }
        boolean dropped = attempt instanceof Attempt.NotObtained<Handle> not && not.reason() == Attempt.Reason.DROPPED;
        boolean all = dropped || failure instanceof HoldfastClosedException;
        return refuse(
                all ? waiting.all() : waiting.only(givingUp), // whoever has come meanwhile waits on
                each -> each.refused(request, attempt, failure));
    }

    private Runnable refuse(List<LocalRequest> some, Consumer<LocalRequest> how) {
        Runnable tell = tellSurely(() -> some.forEach(each -> kit.surely(() -> how.accept(each))));
        waiting.removeAll(some);
        return then(tell, () -> on(this::askIfWanted));
    }

    // ---- the hold

    /** Serves the first of the line whom the turn lets, and who is still there; null if there is none. */
    private @Nullable Runnable serveNext(Tenure present, long now) {
        Runnable given = null;
        while (given == null && !waiting.isEmpty() && present.turn.mayServe(now)) {
            present.turn.served();
            given = lendToFirst(present, now);
        }
        return given;
    }

    /** It stands in line until that is done: an error on the way does not lose it. */
    private @Nullable Runnable lendToFirst(Tenure present, long now) {
        Runnable given = lendIfStillThere(present, Objects.requireNonNull(waiting.peek()), now);
        waiting.removeFirst();
        return given;
    }

    /** Null if the request has ended meanwhile. */
    private @Nullable Runnable lendIfStillThere(Tenure present, LocalRequest request, long now) {
        LocalHold lease = new LocalHold(this, present, request, now);
        Runnable delivery = lease.delivery(); // has its only handle, before anybody can see that the line is lent
        if (!request.end(lease)) {
            return null;
        }
        state = State.LENT;
        lent = lease;
        return delivery;
    }

    /** Asks the server whether others wait, if it is time to. Called under the lock, its result after it. */
    private Runnable questionIfDue(long now) {
        Tenure present = tenure;
        if (present == null || state != State.LENT || !present.turn.asks(now)) {
            return () -> {};
        }
        return () -> present.ask(queue.mailboxes);
    }

    /** A renewal of the hold, which left then, was answered: nobody else had wanted the lock. */
    void nobodyElse(long token, long sentNanos) {
        during(present -> present.hold.token() == token, present -> present.turn.answered(sentNanos));
    }

    private void during(Predicate<Tenure> which, Consumer<Tenure> event) {
        on(() -> {
            Tenure present = tenure;
            if (present != null && which.test(present)) {
                event.accept(present);
            }
            return () -> {};
        });
    }

    @Override
    public long draw(LocalHold lease) {
        return under(() -> {
            Tenure present = tenure;
            if (present == null || lent != lease) {
                return lease.settleToken(0); // which it was given at its end: the last that was drawn
            }
            return lease.settleToken(lease.isWithoutToken() ? present.tokens.draw() : present.tokens.last());
        });
    }

    @Override
    public @Nullable CompletableFuture<ReleaseResult> released(LocalHold lease) {
        return mended(() -> handOn(lease));
    }

    private @Nullable CompletableFuture<ReleaseResult> handOn(LocalHold lease) {
        ReleaseResult result;
        Tenure over = null;
        long last = 0;
        Runnable then;
        lock.lock();
        try {
            if (lent != lease) {
                return null;
            }
            Tenure present = Objects.requireNonNull(tenure);
            present.tokens.settle();
            lease.settleToken(present.tokens.last());
            lent = null;
            state = State.KEPT;
            long now = kit.nanoTime();
            present.turn.look(waiting.size(), now);
            boolean mayGoOn = present.mayGoOn(now);
            Runnable given = mayGoOn && !waiting.isEmpty() && present.turn.mayServe(now) && present.mayDrawSoon(now)
                    ? serveNext(present, now)
                    : null;
            if (given != null) {
                result = ReleaseResult.RELEASED;
                then = then(given, questionIfDue(now));
            } else if (kept.keeps
                    && present.turn.isOpen()
                    && waiting.isEmpty()
                    && mayGoOn
                    && present.tokens.hasMore()
                    && !kit.isClosed()) {
                kept.since(now);
                result = ReleaseResult.KEPT;
                then = time(now);
            } else {
                result = ReleaseResult.RELEASED;
                over = present;
                last = present.tokens.last();
                free();
                then = askIfWanted();
            }
        } finally {
            lock.unlock();
        }
        try {
            if (over == null) {
                lease.tellReleased(result);
                return CompletableFuture.completedFuture(result);
            }
            return over.release(last);
        } finally {
            then.run(); // what goes back leaves first: what is asked for anew comes behind it
        }
    }

    @Override
    public boolean letGo(LocalHold lease) {
        boolean[] done = new boolean[1];
        on(() -> {
            if (lent != lease) {
                return () -> {};
            }
            draw(lease); // nobody else does from this hold
            lease.standAlone();
            free();
            done[0] = true;
            return askIfWanted();
        });
        return done[0];
    }

    // ---- extensions

    @Override
    public boolean whileLent(LocalHold lease, Runnable act) {
        return under(() -> {
            if (lent == lease) {
                act.run();
            }
            return lent == lease;
        });
    }

    @Override
    public void extended(Hold which, Duration atLeast) {
        during(present -> present.hold == which, present -> present.extensions.answered(atLeast, kit.nanoTime()));
    }

    // ---- its end

    private Runnable giveBack(Tenure present) {
        free();
        long last = present.tokens.last();
        CompletableFuture<ReleaseResult> back = new CompletableFuture<>();
        goingBack = back;
        return then(() -> present.release(last).thenAccept(how -> wentBack(back, how)), askIfWanted());
    }

    private void wentBack(CompletableFuture<ReleaseResult> back, ReleaseResult result) {
        on(() -> {
            goingBack = goingBack == back ? null : goingBack;
            return then(() -> back.complete(result), endIfIdle());
        });
    }

    @Override
    public void lost(Holding which, LossReason reason) {
        on(() -> {
            Tenure present = tenure;
            if (present == null || present.hold != which) {
                return () -> {};
            }
            LocalHold lease = lent;
            if (lease == null) {
                return forget(present);
            }
            lease.settleToken(present.tokens.last());
            return () -> { // its line forgets it last: after an error this is called again
                lease.lose(reason);
                on(() -> forget(present));
            };
        });
    }

    private Runnable forget(Tenure over) {
        if (tenure == over) {
            free();
        }
        return askIfWanted();
    }

    // ---- keeping

    /** Looks when it was kept for long enough, unless it is going to. */
    private Runnable time(long now) {
        long left = kept.left(now);
        return kept.begin() ? () -> kit.schedule(left, this::keptLongEnough) : () -> {};
    }

    private void keptLongEnough() {
        on(() -> {
            kept.over();
            long now = kit.nanoTime();
            if (tenure == null || state != State.KEPT) {
                return () -> {};
            }
            return kept.left(now) > 0 ? time(now) : giveBack(tenure);
        });
    }

    /** Others want the lock of which this client's hold has, or will have, this token. */
    void recall(long token) {
        on(() -> {
            recalledToken = Math.max(recalledToken, token); // one of an earlier hold may come late
            return tenure != null && tenure.hold.token() == token ? othersWait(tenure) : () -> {};
        });
    }

    /** An operator has dropped those that wait, where a request of this line was granted, or was about to be. */
    void dropped(String whose) {
        on(() -> {
            Request asked = asking;
            if (asked != null && asked.owner.equals(whose)) {
                return asked::evicted;
            }
            boolean held = tenure != null && tenure.hold.owner().equals(whose);
            return held ? refuse(waiting.all(), LocalRequest::evicted) : () -> {};
        });
    }

    /** Messages may be lost: what this client keeps may be wanted. Turns ask, and need no message. */
    void messagesDown() {
        on(() -> {
            deaf = true;
            return tenure != null && kept.keeps ? othersWait(tenure) : () -> {};
        });
    }

    private Runnable othersWait(Tenure present) {
        long now = kit.nanoTime();
        present.turn.look(waiting.size(), now);
        present.turn.close(waiting.size(), now);
        return state == State.KEPT ? giveBack(present) : () -> {};
    }

    /** Whether this client has to listen for messages of this lock. */
    boolean hears() {
        return under(() -> kept.keeps || (tenure != null && tenure.turn.isOpen()));
    }

    /**
     * Another request of this client wants the lock: it goes back, unless it has a lease.
     *
     * @return the answer to that, or to what another thread or a message has given back before: until it comes the server may say
     *     that the lock is taken. Null if nothing is on its way
     */
    @Nullable
    CompletableFuture<ReleaseResult> giveBackIfKept() {
        if (state == State.ASKING && goingBack == null) {
            return null; // mostly it is this line that asks
        }
        on(() -> tenure != null && state == State.KEPT ? giveBack(tenure) : () -> {});
        return under(() -> tenure == null ? goingBack : null);
    }

    // ---- the end

    private Runnable endIfIdle() {
        boolean idle = state == State.FREE && waiting.isEmpty() && goingBack == null;
        ended |= idle;
        return idle ? () -> atEnd.accept(this) : () -> {};
    }

    void clientClosed() {
        on(() -> refuse(waiting.all(), each -> each.refused(null, new HoldfastClosedException())));
    }

    boolean isKept() {
        return under(() -> state == State.KEPT);
    }

    @Override
    public int waiting() {
        return under(() -> waiting.size() - (asking == null ? 0 : 1)); // that one is known at the server
    }

    /** Also if it is neither lent nor kept on purpose, as an error may leave it. */
    @Override
    public boolean forgotten() {
        return under(() -> kept.isForgotten(lent, tenure == null, state == State.KEPT && kept.keeps));
    }

    @Override
    public boolean overLongest() {
        LocalHold present = lent;
        return present != null && present.overLongest();
    }
}
