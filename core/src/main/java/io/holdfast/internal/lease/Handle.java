package io.holdfast.internal.lease;

import io.holdfast.LeaseLostException;
import io.holdfast.ReleaseResult;
import io.holdfast.spi.BlockingCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One entry into a hold, which leaves it once. The lease of the caller's has it and the hold knows it weakly: so a lease that
 * was dropped without a release is noticed.
 */
public final class Handle {
    public final Holding hold;
    private final AtomicBoolean left = new AtomicBoolean();

    public Handle(Holding hold) {
        this.hold = hold;
    }

    public boolean hasLeft() {
        return left.get();
    }

    public boolean isValid() {
        return !left.get() && hold.isValid();
    }

    /**
     * What to throw when the work is done and the lease is lost.
     *
     * @param result of the work that was done under it; null if there is none
     */
    public LeaseLostException lostException(@Nullable Object result) {
        return new LeaseLostException(hold.keys().name(), hold.token(), hold.lossReason(), hold.isHandedOver(), result);
    }

    /** Leaves; the last handle of a hold releases it. */
    public CompletableFuture<ReleaseResult> leave() {
        return left.compareAndSet(false, true)
                ? hold.leave()
                : CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
    }

    /** The same; blocks for the answer, which is never an exception for the server's sake. */
    public ReleaseResult leaveAndWait() {
        return BlockingCall.await(this::leave).join();
    }

    /** The same without blocking; completes on the client's executor. */
    public CompletableFuture<ReleaseResult> leaveAsync() {
        return leave().thenApplyAsync(result -> result, hold.executor());
    }
}
