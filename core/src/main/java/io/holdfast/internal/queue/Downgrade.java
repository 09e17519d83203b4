package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Rest;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.LockScripts.Given;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.SharedScripts.DowngradeReply;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A writer goes on as a reader, under the same owner, in one step of the server. The hold for writing ends here before the
 * request leaves, as with a release: other readers may be granted the lock in that step.
 */
public final class Downgrade {
    private static final long RETRY_NANOS = 50_000_000L;

    private final QueueEngine queue;
    private final Hold writing;
    private final Request writer;
    private final Request reading;
    private final BooleanSupplier writingGoesOn;
    private final CompletableFuture<Attempt<Handle>> stage;
    /** The stage of the lease, once the server has answered; fails otherwise. */
    private final CompletableFuture<CompletableFuture<Handle>> result = new CompletableFuture<>();

    /** As long as it would have lasted for the writer, at least: that may have been extended. */
    private final Duration term;

    private final long giveUpNanos;

    public Downgrade(QueueEngine queue, Hold writing) {
        this.queue = queue;
        this.writing = writing;
        this.writer = (Request) ((QueueGrant) writing.grant).request;
        this.reading = new Request(writer, writer.demand().asking(Asked.SHARED), writing.token());
        this.writingGoesOn = writing.goingOn();
        this.stage = reading.outcome.stage();
        Duration left = Duration.ofMillis(writing.peek().toMillis()); // the server counts whole ones
        Duration usual = reading.options.leaseDuration();
        this.term = left.compareTo(usual) > 0 ? left : usual;
        this.giveUpNanos =
                queue.kit.nanoTime() + queue.kit.options.commandTimeout().toNanos();
    }

    /**
     * Called once. Fails with an exception of the library, or with a {@code CompletionException} of one; then nothing is held, or what
     * is left is taken back.
     */
    public CompletableFuture<Handle> begin() {
        queue.kit.ending();
        CompletableFuture<Handle> answer =
                result.thenCompose(Function.identity()).whenComplete((handle, failure) -> queue.kit.ended());
        queue.kit.surely(this::start);
        return answer;
    }

    private void start() {
        // In place of the writer: what comes for this owner is the reader's.
        if (queue.waitingRoom.replace(writer, reading) && writingGoesOn.getAsBoolean()) {
            ask();
        } else {
            queue.waitingRoom.remove(reading);
            result.completeExceptionally(lost(writing.lossReason()));
        }
    }

    private LeaseLostException lost(@Nullable LossReason reason) {
        return new LeaseLostException(reading.keys.name(), writing.token(), reason, false, null);
    }

    private void ask() {
        long sent = queue.kit.nanoTime();
        queue.server.sharedScripts.downgrade(
                reading.keys,
                reading.owner,
                writing.token(),
                LockScripts.term(reading.options, term),
                sent,
                (reply, failure) -> {
                    if (reply != null) {
                        answered(reply, sent);
                    } else {
                        failed(Objects.requireNonNull(failure));
                    }
                });
    }

    private void answered(DowngradeReply reply, long sent) {
        long deadline = queue.server.deadline(reading.keys, sent, term.toNanos());
        if (reply.token() == 0) {
            takeBack(reading.unanswered(), LossReason.NOT_ON_SERVER, lost(LossReason.NOT_ON_SERVER));
        } else if (deadline - queue.kit.nanoTime()
                <= Demand.leastLeft(reading.options).toNanos()) {
            again(null); // asked once more, its hold ends later
        } else {
            QueueGrant grant =
                    new QueueGrant(queue, reading, new Given(reply.token(), reply.sinceMicros()), 0, false, sent);
            Hold hold = reading.hold(grant, deadline);
            Handle handle = hold.newHandle();
            queue.kit.surely(() -> {
                if (reading.outcome.endAs(hold)) {
                    writing.origin.recordOver("DOWNGRADED");
                    reading.begin(grant);
                    grant.handOut(handle, false);
                    result.complete(stage.thenApply(Attempt::orElseThrow));
                    writer.outcome.countEnd(queue.kit.since(writing.grantedNanos), false);
                    reading.outcome.countObtained(Duration.ZERO, 0);
                    reading.outcome.tell(subject -> new LockEvent.Downgraded(subject, hold.token(), hold.remaining()));
                } else {
                    takeBack(true, LossReason.CLIENT_CLOSED, new HoldfastClosedException());
                }
            });
        }
        queue.waitingRoom.observe(reading.keys, reply.state(), sent);
    }

    private void failed(DriverException failure) {
        if (failure.kind() == DriverException.Kind.REJECTED && !Refusals.isTransient(failure)) {
            takeBack(true, null, Refusals.explain(queue.server.describe(), failure));
        } else {
            again(failure);
        }
    }

    private void again(@Nullable DriverException failure) {
        if (queue.kit.isClosed()) {
            takeBack(true, LossReason.CLIENT_CLOSED, new HoldfastClosedException());
        } else if (queue.kit.nanoTime() - giveUpNanos >= 0) {
            takeBack(
                    true,
                    null,
                    new ServerUnreachableException(
                            LogText.lock(reading.keys.name()) + ": " + queue.server.describe()
                                    + " did not answer in time whether the writer goes on as a reader; the lock is"
                                    + " released",
                            failure));
        } else {
            queue.kit.schedule(RETRY_NANOS, this::ask);
        }
    }

    /**
     * Ends with neither lease, and takes back what the server may have.
     *
     * @param unanswered whether a copy of the acquire or of this request may come yet
     * @param loss why the writing lease is lost; null if it is released instead
     */
    private void takeBack(boolean unanswered, @Nullable LossReason loss, HoldfastException failure) {
        queue.waitingRoom.remove(reading);
        Rest rest = loss == null ? Rest.NONE : writing.rest.afterLoss(loss, queue.kit.nanoTime());
        queue.withdrawals.takeBack(reading.keys, reading.owner, unanswered, rest);
        // It ended before the request left, and listeners have not been told yet how.
        Duration held = queue.kit.since(writing.grantedNanos);
        writer.outcome.countEnd(held, loss != null);
        writer.outcome.tell(subject -> loss == null
                ? new LockEvent.Released(
                        subject,
                        writing.token(),
                        writing.options.leaseDuration(),
                        writing.waited(),
                        held,
                        ReleaseResult.UNCONFIRMED)
                : new LockEvent.Lost(subject, writing.token(), held, loss));
        result.completeExceptionally(failure);
    }
}
