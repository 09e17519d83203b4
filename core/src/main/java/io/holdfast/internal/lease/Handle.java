package io.holdfast.internal.lease;

import io.holdfast.LeaseLostException;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One entry into a hold, which leaves it once. The lease of the caller's has it and the hold knows it weakly: so a lease that
 * was dropped without a release is noticed.
 */
public final class Handle implements Entry<ReleaseResult> {
    /** What removes a listener, and that of the one before. */
    private record Listener(Runnable remove, @Nullable Listener before) {}

    private static final int HELD = 0;
    private static final int LEFT = 1;
    private static final int LEFT_IN_TIME = 2; // it was not lost before

    private static final AtomicReferenceFieldUpdater<Handle, @Nullable Listener> LISTENER =
            AtomicReferenceFieldUpdater.newUpdater(Handle.class, Listener.class, "listener");

    public final Hold hold;
    /** What its lease has of the hold. */
    public final Holding own;

    /** HELD, LEFT or LEFT_IN_TIME. An object of its own: listeners of the hold read it, and must not keep the handle. */
    private final AtomicInteger presence = new AtomicInteger(HELD);

    private volatile boolean used;
    private volatile @Nullable Listener listener; // the last; null until there is one

    public Handle(Hold hold, Holding own) {
        this.hold = hold;
        this.own = own;
    }

    /** Its caller has it from now on. Returns it. */
    public Handle used() {
        used = true;
        hold.rest.used(1);
        return this;
    }

    /** Leaves in place of a caller that was gone before it had it. */
    @Override
    public void leaveUnused() {
        if (used) { // else an error came before that
            hold.rest.used(-1);
        }
        leave();
    }

    public boolean hasLeft() {
        return presence.get() != HELD;
    }

    /** Warns until it has left: its hold may go on for others. Returns what removes the listener. */
    public Runnable onWarning(Consumer<Duration> action) {
        Runnable remove = hold.onWarning(action);
        LISTENER.updateAndGet(this, before -> new Listener(remove, before));
        if (hasLeft()) {
            removeListeners();
        }
        return remove;
    }

    private void removeListeners() {
        for (Listener each = listener; each != null; each = each.before) {
            each.remove.run();
        }
    }

    /** Completes when its hold is lost, if it has not left before. */
    public CompletableFuture<LossReason> lost() {
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        AtomicInteger seen = presence; // and not this: the hold would keep its handle, and a forgotten lease for ever
        OneShot.after(own.lost(), (reason, failure) -> {
            if (seen.get() != LEFT_IN_TIME) {
                told.complete(reason);
            }
        });
        return told;
    }

    /** Completes when others wait for the lock, if it has not left before. */
    public CompletableFuture<Void> wanted() {
        AtomicInteger seen = presence; // and not this, as above
        return own.wanted(() -> seen.get() == HELD);
    }

    @Override
    public boolean isValid() {
        return !hasLeft() && own.isValid();
    }

    @Override
    public LeaseLostException lostException(@Nullable Object result) {
        return new LeaseLostException(hold.keys().name(), own.token(), own.lossReason(), own.isHandedOver(), result);
    }

    @Override
    public void acceptRest() {
        hold.grant.acceptRest();
    }

    /** Leaves; the last handle of a hold releases it. */
    @Override
    public CompletableFuture<ReleaseResult> leave(Duration rest) {
        if (!presence.compareAndSet(HELD, LEFT)) {
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
        }
        try {
            removeListeners();
            CompletableFuture<ReleaseResult> answer = own.leave(rest);
            if (own.lossReason() == null) {
                presence.set(LEFT_IN_TIME);
            }
            return answer;
        } catch (RuntimeException | Error e) {
            presence.set(
                    HELD); // so that it can be tried again; if it was not, the lease is over, and counts as forgotten
            throw e;
        }
    }

    @Override
    public Executor executor() {
        return hold.executor();
    }
}
