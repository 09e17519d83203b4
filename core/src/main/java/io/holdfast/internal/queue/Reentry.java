package io.holdfast.internal.queue;

import io.holdfast.Attempt.Reason;
import io.holdfast.Contention;
import io.holdfast.Holder;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Refusals;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** How a request meets the hold that its own actor has already: it waits, shares it, or is refused, as the options say. */
final class Reentry {
    private final QueuedRequest request;
    private final LockOptions options;
    private final Actors actors;
    private final boolean wanted;
    private final AtomicBoolean open = new AtomicBoolean();

    Reentry(QueuedRequest request, Actors actors) {
        this.request = request;
        this.options = request.options;
        this.actors = actors;
        this.wanted = options.reentrancy() != LockOptions.Reentrancy.WAIT;
    }

    /** The request begins to wait; {@link #end} follows, once. */
    void begin() {
        if (wanted && open.compareAndSet(false, true)) {
            actors.reentrant(1);
        }
    }

    /** Without effect the second time. */
    void end() {
        if (wanted && open.compareAndSet(true, false)) {
            actors.reentrant(-1);
        }
    }

    /** Whether the actor's own hold, if there is one, decides what becomes of the request. */
    boolean meet() {
        Hold own = wanted ? actors.ownOf(request.demand()) : null;
        if (own == null) {
            return false;
        }
        if (request.demand().what().mode() == LockMode.EXCLUSIVE && own.what().mode() == LockMode.SHARED) {
            request.finish(request.outcome.because(Reason.UPGRADE, with(own)));
            return true;
        }
        if (options.reentrancy() == LockOptions.Reentrancy.REFUSE) {
            request.finish(request.outcome.because(Reason.HELD_BY_CALLER, with(own)));
            return true;
        }
        Handle handle = own.enter();
        if (handle == null) {
            return false;
        }
        try {
            share(own, handle);
        } catch (RuntimeException | Error e) {
            own.leave();
            throw e;
        }
        return true;
    }

    private void share(Hold own, Handle handle) {
        if (options.reentrancy() == LockOptions.Reentrancy.REENTER_AND_EXTEND || !isGood(own)) {
            extend(own, handle);
        } else {
            request.join(own, handle);
        }
    }

    /** Whether a lease of it is as good as the options ask for. */
    private boolean isGood(Hold own) {
        return own.remaining().compareTo(Demand.leastLeft(options)) > 0
                && (!Demand.needsWholeTerm(options) || own.grant.isConfirmed());
    }

    private static Contention with(Hold own) {
        Holder self = ClientLabel.ofOwn(
                own.kit.options.application(),
                own.owner(),
                own.token(),
                own.origin.demand.actorName(),
                own.origin.demand.metadata(),
                own.kit.since(own.grantedNanos));
        return new Contention(Optional.of(self), own.remaining(), 0, 0);
    }

    private void extend(Hold own, Handle handle) {
        own.prolong(options.leaseDuration()).whenComplete((held, failure) -> {
            if (failure == null && held) {
                extended(own, handle);
                return;
            }
            own.leave();
            if (failure == null) {
                request.ask(); // lost meanwhile: the lock is asked for anew
            } else if (failure instanceof ServerRefusedException refused) {
                request.fail(refused);
            } else {
                request.finish(request.unknown(Refusals.causeOf(failure)));
            }
        });
    }

    /** The answer may have taken so long that too little is left of what it says. */
    private void extended(Hold own, Handle handle) {
        if (isGood(own) || !request.pending()) {
            request.join(own, handle);
            return;
        }
        boolean again = false;
        try {
            again = request.tooLate(() -> extend(own, handle));
        } finally {
            if (!again) {
                own.leave();
            }
        }
    }
}
