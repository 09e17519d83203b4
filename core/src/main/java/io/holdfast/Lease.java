package io.holdfast;

import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.lease.StackRoom;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Require;
import io.holdfast.spi.BlockingCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One hold of a lock. It belongs to no thread: any thread may look at it, extend it or release it.
 *
 * <p>A lease is held until it is released, until its deadline passes, or until the server reports that it is gone. It knows
 * its deadline without asking: {@link #isValid()} and {@link #remaining()} do no I/O. The deadline is counted from before
 * the request for it left, on the monotonic clock, less an allowance of 1 % and 2 ms for clocks that run differently, so
 * that it passes here before the server gives the lock to another.
 *
 * <p>{@code isValid()} is true of its own instant only: a thread can be stopped right after it. Work that must not be done
 * twice goes to a store that compares the {@link #token()} (a <em>fencing token</em>, which grows with each grant of the lock).
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *     for (String row : rows) {
 *         lease.requireValid();
 *         store.write(row, lease.token()); // the store refuses a token older than the newest that it has seen
 *     }
 * }
 * }</pre>
 *
 * <p>While a lease is renewed it must stay reachable: if it is dropped without a release, its renewal ends, and the lease
 * expires at the end of its lease duration (TTL).
 */
public final class Lease implements AutoCloseable {
    /** The most characters of a note. */
    public static final int LONGEST_NOTE = 1_000;

    final Hold hold;
    final Handle handle;
    private final Holding own;

    Lease(Handle handle) {
        this.handle = handle.used();
        this.hold = handle.hold;
        this.own = handle.own;
    }

    /** The lock's name. */
    public String name() {
        return hold.keys().name();
    }

    /**
     * The fencing token: positive, below 2^53, greater than that of every earlier grant of this lock. Of a read/write lock,
     * readers that hold it together have the same token, greater than that of every writer before: it is stale exactly when a
     * writer was granted the lock after it. Of a semaphore it distinguishes grants, and fences no one off, since leases with
     * lower ones may be valid.
     */
    public long token() {
        return own.token();
    }

    /** What else may be held beside this lease. */
    public LockMode mode() {
        return hold.what().mode();
    }

    /** How many permits of a semaphore it has; 1 in the other modes. */
    public int permits() {
        return hold.what().weight();
    }

    /**
     * Returns the slots of this lease, numbers from 0 on in ascending order. There are as many as {@link #permits()}, and no other valid
     * lease has one of them. Empty unless the request was for slots, see {@link DistributedSemaphore#withSlots()}. No I/O.
     */
    public List<Integer> slots() {
        return hold.grant.slots();
    }

    /**
     * The first of its {@link #slots()}: the only one of a lease with one permit.
     *
     * @throws IllegalStateException if it has none
     */
    public int slot() {
        List<Integer> all = slots();
        if (all.isEmpty()) {
            throw new IllegalStateException(
                    "this lease has no slot: leases of DistributedSemaphore.withSlots() have slots");
        }
        return all.get(0);
    }

    /** The public part of the owner id, as listings show it. */
    public String owner() {
        return OwnerIds.publicPart(hold.owner());
    }

    /** Whether the lease is held at this instant. Once false, false for ever. No I/O. */
    public boolean isValid() {
        return handle.isValid();
    }

    /** How long the lease is still held without a further renewal; zero if it is over. No I/O. */
    public Duration remaining() {
        return isValid() ? hold.remaining() : Duration.ZERO;
    }

    /**
     * Does nothing if the lease is held. No I/O.
     *
     * @throws LeaseLostException if it was lost or released
     */
    public void requireValid() {
        if (!own.isValid()) {
            throw lostException(null);
        }
    }

    /**
     * Whether the server agrees that this lease holds the lock. Blocks for one round trip, at most the command timeout.
     * The answer was true when the server gave it; work should check {@link #isValid()}.
     *
     * @throws ServerUnreachableException if the server does not answer
     */
    public boolean isHeldOnServer() {
        return own.isHeldOnServer();
    }

    /**
     * What another process needs to go on with this lease, by {@link Holdfast#adopt}. The ticket can take the lock: keep it
     * secret. A process that gives it away works no more under this lease: it may be valid here for a while after it was adopted,
     * and so after its new holder has released it, until the next renewal reports it (a third of the lease duration), or its deadline
     * has passed. The process that adopts it does not depend on this one any more.
     * On the embedded server, what this client holds is free at the end of its lease duration if this process is killed from now on, and
     * not sooner.
     *
     * @throws UnsupportedOperationException if the lease is of a {@link Quorum}, where it lives with its client, or of anything but an
     *     exclusive lock
     * @throws ServerUnreachableException if the others of an embedded server cannot be kept from taking the end of this
     *     process for the end of the lease
     */
    public LeaseTicket ticket() {
        return own.ticket();
    }

    /**
     * Leaves a note: how far the work has come. It is shown where the holder is: by {@link Inspector}, to requests that wait
     * ({@link Contention#holder()}), by the command and the dashboard, as {@link Holder#note()}. A holder after this one reads it by
     * {@link #before()}, and goes on from there. It is kept for them for seven days from the note, also after a release: work that has
     * come to its end removes it by an empty note, and with it the notes of holders before. Each note replaces the one before. Replicas do
     * not confirm it, and a failover may lose it. Blocks for one round trip, at most the command timeout.
     *
     * <p>After a note the lock goes to the next in line by way of the server: {@linkplain LockOptions#withLocalHandoffs other leases of
     * this client} do not share the hold any more.
     *
     * @param text 1 to {@value #LONGEST_NOTE} characters; empty to remove it
     * @throws LeaseLostException if the lease is over; nothing was noted
     * @throws ServerUnreachableException if the server did not answer: the note is there or not
     * @throws ServerRefusedException if the server answered with an error
     * @throws IllegalArgumentException if the text is too long
     * @throws UnsupportedOperationException if the lease is of a read/write lock, a semaphore or a {@link Quorum}
     */
    public void note(String text) {
        join(noteAsync(text));
    }

    /**
     * Does not block. A release that is sent after it comes after it.
     *
     * @throws IllegalArgumentException at once, as {@link #note} does
     * @throws UnsupportedOperationException at once, as {@link #note} does
     */
    public CompletableFuture<Void> noteAsync(String text) {
        StackRoom.demand();
        if (Require.given("text", text).length() > LONGEST_NOTE) {
            throw new IllegalArgumentException(
                    "the note has " + text.length() + " characters, must have at most " + LONGEST_NOTE);
        }
        return handle.hasLeft() ? CompletableFuture.failedFuture(lostException(null)) : told(own.note(text));
    }

    /**
     * Returns the last earlier holder whose {@linkplain #note note} is still there, with its token. {@link Holder#since()} is the time of
     * the note. The note of interrupted work says where to go on. Empty if there is no note. Of a lease that was
     * {@linkplain Holdfast#adopt(LeaseTicket) adopted}, and has left no note yet, it may be the process that had the lease before, with the same
     * token. Blocks for one round trip, at most the command timeout.
     *
     * @throws ServerUnreachableException if the server does not answer
     * @throws ServerRefusedException if the server answers with an error
     * @throws UnsupportedOperationException if the lease is of a read/write lock, a semaphore or a {@link Quorum}
     */
    public Optional<Holder> before() {
        return join(BlockingCall.await(this::left));
    }

    /** Does not block; the future completes on the client's executor. */
    public CompletableFuture<Optional<Holder>> beforeAsync() {
        return left().thenApplyAsync(found -> found, hold.executor());
    }

    private CompletableFuture<Optional<Holder>> left() {
        long ofThat = hold.grant.isNoted()
                ? token() - 1
                : token(); // its own token's is of the process that it was adopted from
        return hold.grant
                .notes()
                .thenApply(all ->
                        all.stream().filter(left -> left.token() <= ofThat).findFirst());
    }

    /**
     * Whether the lease has ended because another process has adopted it, as far as this client knows: by its renewal, or by
     * {@link #detach()}. That is no loss, and nothing is left to be done here. No I/O.
     */
    public boolean isHandedOver() {
        return own.isHandedOver();
    }

    /**
     * When the lock was granted, by the server's clock, as listings show it ({@link Holder#since()}): for an adopted lease,
     * to its first holder. Of a {@link Quorum}, by the clock of one of its nodes; where leases share a hold, the hold's
     * time and what has passed since by this client's clock. To be compared with times of the same server only. No I/O.
     */
    public Instant since() {
        return own.since();
    }

    /**
     * The stuck holder whom this lease was taken over from (see {@link Wait#thenTakeOver()}): its hold was released by name
     * at this request's wish, and the lock went to this request. Mostly empty, also where the lock went to another first.
     */
    public Optional<Holder> takenOverFrom() {
        return hold.grant.takenOverFrom();
    }

    /** How long it took to obtain the lease, from the call. */
    public Duration waited() {
        return own.waited();
    }

    /** The queue position when the request was queued, 1 for the next waiter; 0 if the lock was free. */
    public int initialPosition() {
        return own.initialPosition();
    }

    /** How many replicas had confirmed the grant when the lease was handed out; 0 if they were not asked. */
    public int replicas() {
        return hold.grant.replicas();
    }

    /** How often the server was asked for the lock; 1 without contention and failures. */
    public int attempts() {
        return hold.attempts();
    }

    /**
     * Which nodes of a {@link Quorum} do not stand behind the lease at present although they should, and why: a minority, or
     * the lease would be lost soon. A node that another holds, or that has not answered yet, is no failure. Empty for one
     * server. No I/O.
     */
    public List<NodeFailure> nodeFailures() {
        return hold.nodeFailures();
    }

    /**
     * A stage that completes when the lease is lost, with the reason; at once if it was lost already; never after a
     * release. It completes at the deadline at the latest, also when the server hangs, on the client's executor (see
     * {@link HoldfastOptions#executor()}).
     */
    public CompletionStage<LossReason> whenLost() {
        return handle.lost().minimalCompletionStage();
    }

    /**
     * A stage that completes when another request waits for the lock, of this client or of another: long work that can stop at a good
     * place then gives the lock on. Never if the lease ends before. Others are looked for every other second
     * ({@link HoldfastOptions#refreshInterval()}) while the lease is valid, by one request for all leases of a client on one server of
     * which this was asked, and not at all for others. A request without a wait is not noticed. It completes on the client's executor
     * (see {@link HoldfastOptions#executor()}).
     *
     * @throws UnsupportedOperationException if the lease is of a {@link Quorum}, which has no queue
     */
    public CompletionStage<Void> whenWanted() {
        return handle.wanted().minimalCompletionStage();
    }

    /**
     * Calls a listener on the client's executor when two renewals in a row have failed, with the time that is left. If
     * renewal works again and fails again later, it is called again. Never after a release.
     *
     * @return removes the listener
     */
    public Runnable onWarning(Consumer<Duration> listener) {
        return handle.onWarning(listener);
    }

    /**
     * Makes the lease last at least this long from now; what it was promised before is never shortened. Blocks for one
     * round trip, at most the command timeout.
     *
     * @param atLeast 1 ms to 365 days
     * @throws LeaseLostException if the lease is over; nothing was extended
     * @throws ServerUnreachableException if the server did not answer: the lease is still held until its old deadline, and
     *     the extension may take effect or not
     * @throws ServerRefusedException if the server answered with an error; the lease is held until its old deadline
     */
    public void extend(Duration atLeast) {
        join(extendAsync(atLeast));
    }

    /** Does not block. */
    public CompletableFuture<Void> extendAsync(Duration atLeast) {
        StackRoom.demand();
        Require.between("atLeast", atLeast, Duration.ofMillis(1), Require.LONGEST);
        if (handle.hasLeft()) {
            return CompletableFuture.failedFuture(lostException(null));
        }
        return told(own.extend(atLeast));
    }

    private CompletableFuture<Void> told(CompletableFuture<Boolean> asked) {
        return asked.handleAsync(
                (held, failure) -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (cause instanceof RuntimeException known) {
                        throw known;
                    }
                    if (cause != null || !held) {
                        throw lostException(null);
                    }
                    return null;
                },
                hold.executor());
    }

    /**
     * Lets the lease live on without this client: it is not renewed any more, and the client's closing does not release it.
     * Confirms it first, so that a full lease duration is left. Afterwards the lease counts its time as before, but reports no loss.
     *
     * <p>If another process has adopted it (see {@link #ticket()}), that process goes on with it, and this lease is over:
     * see {@link #isHandedOver()}. Blocks for one round trip or two, each at most the command timeout.
     *
     * @throws LeaseLostException if the lease is over, and no process is known to have adopted it
     * @throws ServerUnreachableException if the server did not answer; the lease is not detached
     */
    public void detach() {
        join(detached());
    }

    CompletableFuture<Void> detached() {
        return handle.hasLeft() ? CompletableFuture.failedFuture(lostException(null)) : told(own.detach());
    }

    /**
     * Ends the lease and hands the lock to the next in line. Blocks for one round trip, at most the command timeout; not
     * interruptible, and never throws for the server's sake. The lease is over before the request leaves. Releasing twice
     * is harmless. An actor that has entered the lock more than once holds it until the last of its leases is released.
     */
    public ReleaseResult release() {
        return handle.leaveAndWait();
    }

    /** Does not block; the future completes on the client's executor. */
    public CompletableFuture<ReleaseResult> releaseAsync() {
        return handle.leaveAsync();
    }

    /**
     * Ends the lease, and lets the lock rest: taken, without a holder, for this long from now, and then free for the next in line.
     * For work that turns out to need a pause after it; {@link LockOptions#withMinHold} decides that before, and counts from
     * the grant. If both are asked for, the later end counts. Otherwise as {@link #release()}.
     *
     * <p>The time counts from this call, also if the release has to be repeated because the server does not answer. A lease that is
     * lost before the server has heard of it leaves no rest. An actor that has entered the lock more than once holds it until the
     * last of its leases is released; then it rests as long as the longest that one of them has asked for, each from its own
     * call. What rests is what was held: while readers of a read/write lock rest, others may read; of a semaphore, the permits
     * rest. A lock that its client would have kept ({@link LockOptions#withKeepFor}) or given to its own next request rests instead.
     *
     * <p>It is no overload of {@code release}, where a duration would be read as a limit for the answer.
     *
     * @param rest 1 ms to 365 days
     * @throws UnsupportedOperationException if the lease is of a {@link Quorum}, which has no locks that rest: nodes whose rests end
     *     at different times would split the votes. The lease is as it was
     */
    public ReleaseResult releaseToRest(Duration rest) {
        return handle.leaveToRestAndWait(rest);
    }

    /** Does not block; the future completes on the client's executor. */
    public CompletableFuture<ReleaseResult> releaseToRestAsync(Duration rest) {
        return handle.leaveToRestAsync(rest);
    }

    /** Releases. */
    @Override
    public void close() {
        release();
    }

    LeaseLostException lostException(@Nullable Object result) {
        return handle.lostException(result);
    }

    static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof HoldfastException known) {
                throw known;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return "Lease[" + LogText.name(name()) + ", token " + token()
                + (isValid() ? ", " + remaining().toMillis() + " ms left]" : ", over]");
    }
}
