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
 * One hold of a lock. It belongs to no thread: any thread may inspect, extend or release it.
 *
 * <p>A lease is held until it is released, its deadline passes, the server reports that it is gone, or its client is closed. It
 * knows its deadline without asking: {@link #isValid()} and {@link #remaining()} do no I/O. The deadline is counted on the
 * monotonic clock, from the earliest moment at which the server can have granted or renewed the lease. An allowance of 1 % and
 * 2 ms is subtracted, for clocks that run differently. The deadline therefore passes here before the hold expires on the server.
 *
 * <p>A result of {@code isValid()} applies only to the instant of the call: a thread can be stopped right after it. Work that
 * must not be done twice should go to a store that compares the {@link #token()} (a <em>fencing token</em>, which grows with
 * each grant of the lock).
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
 * <p>While a lease is renewed it must stay reachable. If the last reference to it is dropped without a release, its renewal
 * ends once the garbage collector has run. The lease then expires at the end of its lease duration (TTL).
 */
public final class Lease implements AutoCloseable {
    /** The maximum number of characters of a note. */
    public static final int LONGEST_NOTE = 1_000;

    final Hold hold;
    final Handle handle;
    private final Holding own;

    Lease(Handle handle) {
        this.handle = handle.used();
        this.hold = handle.hold;
        this.own = handle.own;
    }

    /** Returns the lock's name. */
    public String name() {
        return hold.keys().name();
    }

    /**
     * Returns the fencing token: positive, below 2^53, and greater than that of every earlier grant of this lock. Readers that
     * hold a read/write lock together have the same token, greater than that of every earlier writer. So a store that refuses
     * older tokens refuses no reader whose lease is valid. The token of a semaphore distinguishes grants and fences off no
     * holder, because leases with lower tokens may be valid.
     */
    public long token() {
        return own.token();
    }

    /** Returns the mode, which determines what others may hold at the same time. */
    public LockMode mode() {
        return hold.what().mode();
    }

    /** Returns how many permits of a semaphore the lease has; 1 in the other modes. */
    public int permits() {
        return hold.what().weight();
    }

    /**
     * Returns the slots of this lease: one number, from 0 on, for each of its {@link #permits()}, in ascending order. No other
     * valid lease has one of them. The list is empty unless the request was for slots; see
     * {@link DistributedSemaphore#withSlots()}. No I/O.
     */
    public List<Integer> slots() {
        return hold.grant.slots();
    }

    /**
     * Returns the first of its {@link #slots()}, which is the only one of a lease with one permit.
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

    /** Returns the public part of the owner id, as listings show it. */
    public String owner() {
        return OwnerIds.publicPart(hold.owner());
    }

    /** Returns whether the lease is held at this instant. Once false, it stays false for ever. No I/O. */
    public boolean isValid() {
        return handle.isValid();
    }

    /** Returns how long the lease is still held without a further renewal; zero if it is over. No I/O. */
    public Duration remaining() {
        return isValid() ? hold.remaining() : Duration.ZERO;
    }

    /**
     * Checks that the lease is held at this instant, and otherwise throws. No I/O.
     *
     * @throws LeaseLostException if it was lost or released
     */
    public void requireValid() {
        if (!isValid()) {
            throw lostException(null);
        }
    }

    /**
     * Returns whether the server agrees that this lease holds the lock. Blocks for one round trip, at most the command timeout.
     * For a {@link Quorum} all nodes are asked at once, for at most the {@linkplain QuorumOptions#nodeTimeout() node timeout}.
     * The answer applies to the moment at which the server gave it; work should check {@link #isValid()}.
     *
     * @throws ServerUnreachableException if the server does not answer
     * @throws ServerRefusedException if the server answers with an error
     */
    public boolean isHeldOnServer() {
        return !handle.hasLeft() && own.isHeldOnServer();
    }

    /**
     * Returns the ticket with which another process can continue this lease, by {@link Holdfast#adopt}. A process that has the
     * ticket can take the lock, so keep it secret.
     *
     * <p>A process that gives the ticket away must not work under this lease any more. The lease may still be valid here for a
     * while after another process has adopted it, even after that process has released it. It ends here at the next renewal (a
     * third of the lease duration), or when its deadline passes. The process that adopts it no longer depends on this one.
     *
     * <p>On the embedded server, if this process is killed from now on, the holds of this client become free at the end of their
     * lease durations, and not sooner.
     *
     * @throws UnsupportedOperationException if the lease is of a {@link Quorum}, where it lives with its client, or of anything
     *     but an exclusive lock
     * @throws ServerUnreachableException if the other processes of an embedded server cannot be kept from treating the end of
     *     this process as the end of the lease
     */
    public LeaseTicket ticket() {
        return own.ticket();
    }

    /**
     * Leaves a note of the work's progress. {@link Inspector}, requests that wait ({@link Contention#holder()}), the command
     * and the dashboard show it with the holder, as {@link Holder#note()}. A later holder reads it by {@link #before()}, and
     * continues from there. The note is kept for later holders for seven days, also after a release. When the work has
     * finished, leave an empty note, which removes the notes of this holder and of earlier ones (if {@linkplain Once#withTries tries} are
     * counted, only its own). Each note replaces the lease's note before it. Replicas do not confirm it, and a failover may lose it. Blocks for one round trip, at most the command
     * timeout.
     *
     * <p>After a note, {@linkplain LockOptions#withLocalHandoffs other leases of this client} no longer share the hold. When
     * this lease ends, the server hands the lock to the next waiter.
     *
     * @param text 1 to {@value #LONGEST_NOTE} characters; empty to remove it
     * @throws LeaseLostException if the lease is over; nothing was noted
     * @throws ServerUnreachableException if the server did not answer; the note may or may not have been left
     * @throws ServerRefusedException if the server answered with an error
     * @throws IllegalArgumentException if the text is too long
     * @throws UnsupportedOperationException if the lease is of a read/write lock, a semaphore or a {@link Quorum}
     */
    public void note(String text) {
        join(noteAsync(text));
    }

    /**
     * Leaves a note without blocking; see {@link #note}. A release that is sent after it takes effect after it. The future
     * completes on the client's executor.
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
     * Returns the last earlier holder whose {@linkplain #note note} is still there, with its token; empty if there is no note.
     * The note of interrupted work shows where to continue. {@link Holder#since()} is the time of the note. If this lease was
     * {@linkplain Holdfast#adopt(LeaseTicket) adopted}, and has left no note yet, the result may be the process that had the
     * lease before, with the same token. Blocks for one round trip, at most the command timeout.
     *
     * @throws ServerUnreachableException if the server does not answer
     * @throws ServerRefusedException if the server answers with an error
     * @throws UnsupportedOperationException if the lease is of a read/write lock, a semaphore or a {@link Quorum}
     */
    public Optional<Holder> before() {
        return join(BlockingCall.await(this::left));
    }

    /** As {@link #before()}, without blocking; the future completes on the client's executor. */
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
     * Returns whether the lease has ended because another process has adopted it, as far as this client knows. It learns that
     * when the server denies a renewal, an extension or a note, or by {@link #detach()}. This is no loss, and nothing more has to
     * be done here. No I/O.
     */
    public boolean isHandedOver() {
        return own.isHandedOver();
    }

    /**
     * Returns when the lock was granted, by the server's clock, as listings show it ({@link Holder#since()}). For an adopted
     * lease this is the grant to its first holder. For a {@link Quorum} the time is by the clock of one of its nodes. If leases
     * share a hold one after the other, listings show the hold's time. This is then that time plus the time until this lease
     * began, by this client's clock. Compare it only with times of the same server. No I/O.
     */
    public Instant since() {
        return own.since();
    }

    /**
     * Returns the stuck holder from which this lease was taken over (see {@link Wait#thenTakeOver()}). This request released
     * that hold by name, and the lock then went to this request. Usually empty, also if the lock went to another request first.
     */
    public Optional<Holder> takenOverFrom() {
        return hold.grant.takenOverFrom();
    }

    /**
     * Returns the time from the call to the grant. A wait for replicas or for the end of a quarantine is not included. If the
     * actor entered a hold again, this is the time of the hold's first request.
     */
    public Duration waited() {
        return own.waited();
    }

    /**
     * Returns the queue position at the time when the request was queued, 1 for the next waiter; 0 if it was not queued. In
     * {@linkplain LockOptions#withLocalHandoffs turns} it may be the position among the requests of this client. If the actor
     * entered a hold again, this is the position of the hold's first request.
     */
    public int initialPosition() {
        return own.initialPosition();
    }

    /**
     * Returns how many replicas have confirmed the lease: its grant, or its last renewal or extension. Returns 0 if they are not
     * asked.
     */
    public int replicas() {
        return hold.grant.replicas();
    }

    /**
     * Returns how often the client asked the server for the hold, which leases may share; 1 without contention and failures. It
     * is 0 if the lease was adopted, or is a writer's that {@linkplain DistributedReadWriteLock#downgrade continues as a reader}.
     */
    public int attempts() {
        return hold.attempts();
    }

    /**
     * Returns the nodes of a {@link Quorum} that should support the lease but do not at present, and why. They are a minority;
     * otherwise the lease would soon be lost. A node is not listed if another owner holds the lock there, or if it has not
     * answered yet. The list is empty for a lease of a single server. No I/O.
     */
    public List<NodeFailure> nodeFailures() {
        return hold.nodeFailures();
    }

    /**
     * Returns a stage that completes when the lease is lost, with the reason. It completes at once if the lease was lost
     * already, and never if it ended otherwise, such as by a release. It completes at the deadline at the latest, even if the
     * server hangs. It completes on the client's executor (see {@link HoldfastOptions#executor()}).
     */
    public CompletionStage<LossReason> whenLost() {
        return handle.lost().minimalCompletionStage();
    }

    /**
     * Returns a stage that completes when another request, of this client or of another one, waits for the lock. Long work that
     * can stop at a good point can then release the lock. The stage never completes if the lease ends before. The client checks
     * for such requests at once, and then every other second ({@link HoldfastOptions#refreshInterval()}) while the lease is
     * valid. It checks only leases on which this method was called, up to 50 locks with one call to a server. A request that does
     * not wait is not noticed. The stage completes on the client's executor (see {@link HoldfastOptions#executor()}).
     *
     * @throws UnsupportedOperationException if the lease is of a {@link Quorum}, which has no queue
     */
    public CompletionStage<Void> whenWanted() {
        return handle.wanted().minimalCompletionStage();
    }

    /**
     * Adds a listener that is called on the client's executor when only a third of the lease duration is left, with the time
     * that is left. That is so if renewals have failed since the second third began, or if {@link LockOptions#maxHold()} or
     * {@link LockOptions#maxScopedHold()} has ended renewal. If renewal works again and fails again later, the listener is called again. It is never called after a release, nor for a
     * lease that is not renewed.
     *
     * @return an action that removes the listener
     */
    public Runnable onWarning(Consumer<Duration> listener) {
        return handle.onWarning(listener);
    }

    /**
     * Makes the hold on the server last at least this long from now; never shortens it. The deadline here is earlier, by the
     * allowance for clocks. Blocks for one round trip, at most the command timeout; with
     * {@linkplain LockOptions#withReplicas replicas}, also until they have confirmed.
     *
     * @param atLeast 1 ms to 365 days; with a {@linkplain HoldfastOptions#quarantine() quarantine} at most that
     * @throws LeaseLostException if the lease is over; nothing was extended
     * @throws ServerUnreachableException if the server did not answer, or too few replicas confirmed: the lease is still held
     *     until its old deadline, and the extension may or may not take effect
     * @throws ServerRefusedException if the server answered with an error; the lease is held until its old deadline
     */
    public void extend(Duration atLeast) {
        join(extendAsync(atLeast));
    }

    /** As {@link #extend}, without blocking; the future completes on the client's executor. */
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
     * Lets the lease live on without this client: the client no longer renews it, and does not release it when it closes. The
     * lease is extended first, so that at least a full lease duration is left. Afterwards the lease counts its time as before,
     * but reports no loss.
     *
     * <p>If another process has adopted it (see {@link #ticket()}), that process continues it, and this lease is over: see
     * {@link #isHandedOver()}. Blocks for one or two round trips, each of which takes at most the command timeout.
     *
     * @throws LeaseLostException if the lease is over, and no process is known to have adopted it
     * @throws ServerUnreachableException if the server did not answer; the lease is not detached
     * @throws ServerRefusedException if the server answered with an error; the lease is not detached
     */
    public void detach() {
        join(detached());
    }

    CompletableFuture<Void> detached() {
        return handle.hasLeft() ? CompletableFuture.failedFuture(lostException(null)) : told(own.detach());
    }

    /**
     * Ends the lease and hands the lock to the next waiter. Blocks for one round trip, at most the command timeout, or for none
     * if this client goes on with the hold ({@linkplain LockOptions#withLocalHandoffs turns}, re-entry, a kept lock). It is not
     * interruptible, and never throws because of the server. The lease is over before the request is sent. Releasing twice is
     * harmless. An actor that has entered the lock more than once holds it until the last of its leases is released.
     */
    public ReleaseResult release() {
        return handle.leaveAndWait();
    }

    /** As {@link #release()}, without blocking; the future completes on the client's executor. */
    public CompletableFuture<ReleaseResult> releaseAsync() {
        return handle.leaveAsync();
    }

    /**
     * Ends the lease, and lets the lock rest: it stays taken, without a holder, for this long from now, and is then free for
     * the next waiter. Use it if only the work itself shows that the lock must rest. {@link LockOptions#withMinHold} sets such
     * a time in advance, counted from the grant; if both apply, the later end counts. Otherwise as {@link #release()}.
     *
     * <p>The time counts from this call, even if the release must be repeated because the server does not answer. If the lease
     * is lost before the release reaches the server, the lock does not rest. An actor that has entered the lock more than once
     * holds it until the last of its leases is released. Then the lock rests for the longest time that one of them requested,
     * each counted from its own call.
     *
     * <p>Only what the lease held rests. While a reader's hold of a read/write lock rests, others may read. For a semaphore,
     * the permits of the lease rest. A lock that its client would have kept ({@link LockOptions#withKeepFor}) or given to its
     * own next request rests instead.
     *
     * <p>The method is not an overload of {@code release}, because a duration there would look like a time limit for the
     * answer.
     *
     * @param rest 1 ms to 365 days
     * @throws UnsupportedOperationException if the lease is of a {@link Quorum}, which has no locks that rest: nodes whose
     *     rests end at different times would split the votes. The lease is unchanged
     */
    public ReleaseResult releaseToRest(Duration rest) {
        return handle.leaveToRestAndWait(rest);
    }

    /** As {@link #releaseToRest}, without blocking; the future completes on the client's executor. */
    public CompletableFuture<ReleaseResult> releaseToRestAsync(Duration rest) {
        return handle.leaveToRestAsync(rest);
    }

    /** Releases the lease; see {@link #release()}. */
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
