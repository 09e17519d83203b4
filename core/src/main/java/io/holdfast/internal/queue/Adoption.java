package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Rest;
import io.holdfast.internal.lease.TakeBack;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.ExclusiveScripts;
import io.holdfast.internal.wire.ExclusiveScripts.AdoptReply;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.LockScripts.Given;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Goes on with a hold that another process has left to this one, under the owner of a request that has not asked. */
public final class Adoption {
    /** How often it is asked for again because the answer came too late. */
    private static final int MOST_LATE = 3;

    private final Request request;
    private final QueueEngine queue;
    private final Keys keys;
    private final String owner;
    private final LockOptions options;

    public Adoption(Request request) {
        this.request = request;
        this.queue = request.queue;
        this.keys = request.keys;
        this.owner = request.owner;
        this.options = request.options;
    }

    /**
     * Blocks for the answer. Called once.
     *
     * @throws LeaseLostException if the ticket's lease does not hold the lock any more
     * @throws ServerUnreachableException if the server does not answer; what may have come of it is taken back
     */
    public Handle of(LeaseTicket ticket) {
        request.outlives();
        CompletableFuture<Attempt<Handle>> result = request.outcome.stage();
        queue.kit.ending();
        queue.waitingRoom.add(request); // known before the hold is its: it may be revoked before the reply comes
        try {
            for (int i = 0; ; i++) {
                long sent = queue.kit.nanoTime();
                AdoptReply reply = ask(ticket, sent);
                long deadline = queue.server.deadline(
                        keys, sent, options.leaseDuration().toNanos());
                if (reply.held() && deadline - queue.kit.nanoTime() > 0) {
                    QueueGrant grant = new QueueGrant(
                            queue, request, new Given(ticket.token(), reply.sinceMicros()), 0, false, sent);
                    Hold hold = request.hold(grant, deadline);
                    Handle handle = goOn(grant, hold, result);
                    request.outcome.countObtained(queue.kit.since(request.outcome.startNanos), 0);
                    request.outcome.tell(subject -> new LockEvent.Adopted(subject, ticket.token(), hold.remaining()));
                    return handle;
                }
                if (!reply.held() || i >= MOST_LATE) {
                    if (reply.held()) {
                        queue.withdrawals.takeBack(keys, owner, false, Rest.NONE);
                    }
                    throw new LeaseLostException(
                            ticket.lockName(), ticket.token(), LossReason.NOT_ON_SERVER, false, null);
                }
            }
        } catch (ServerUnreachableException e) {
            queue.withdrawals.withdraw(keys, owner, true);
            throw e;
        } finally {
            if (request.outcome.hold() == null) {
                queue.waitingRoom.remove(request);
            }
            queue.kit.ended();
        }
    }

    private AdoptReply ask(LeaseTicket ticket, long sent) {
        var asked = new ExclusiveScripts.Adopt(
                keys,
                ticket.owner(),
                ticket.grantToken(),
                ticket.token(),
                owner,
                LockScripts.term(options),
                request.demand().label(),
                TakeBack.TOMBSTONE);
        return AsyncResults.await(queue.server, callback -> queue.server.exclusiveScripts.adopt(asked, sent, callback));
    }

    private Handle goOn(QueueGrant grant, Hold hold, CompletableFuture<Attempt<Handle>> result) {
        Handle handle = hold.newHandle();
        if (!request.outcome.endAs(hold)) {
            queue.withdrawals.takeBack(keys, owner, false, Rest.NONE);
            throw new HoldfastClosedException();
        }
        try {
            request.begin(grant);
            grant.handOut(handle, false); // it is told as an adoption
        } catch (RuntimeException | Error e) {
            var unused = handle.leave(); // no caller has it
            throw e;
        }
        try {
            return result.join().orElseThrow();
        } catch (CompletionException e) {
            throw e.getCause() instanceof HoldfastException known ? known : e;
        }
    }
}
