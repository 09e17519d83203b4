package io.holdfast.internal.lease;

import io.holdfast.LeaseLostException;
import io.holdfast.internal.wire.Require;
import io.holdfast.spi.BlockingCall;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What a caller has of what it asked for, and leaves: one hold ({@link Handle}), or those of several locks.
 *
 * @param <R> what came of leaving it
 */
public interface Entry<R> {
    boolean isValid();

    /**
     * What to throw when the work is done and the lease is lost.
     *
     * @param result of the work that was done under it; null if there is none
     */
    LeaseLostException lostException(@Nullable Object result);

    /** The work under it has failed; said before it is left. */
    default void failed(Throwable why) {}

    /**
     * Refuses to let what it has rest after the release.
     *
     * @throws UnsupportedOperationException with the reason, if it cannot
     */
    void acceptRest();

    /**
     * Leaves; to leave again is without effect.
     *
     * @param rest how long what is released is to rest from now on, at least; zero for no wish
     */
    CompletableFuture<R> leave(Duration rest);

    /** Leaves what was made for a caller that was gone before. */
    void leaveUnused();

    /** Leaves, and wants no rest. */
    default CompletableFuture<R> leave() {
        return leave(Duration.ZERO);
    }

    /** Where stages complete. */
    Executor executor();

    /** Leaves, and blocks for the answer, which is never an exception for the server's sake. */
    default R leaveAndWait() {
        return leaveAndWait(Duration.ZERO);
    }

    private R leaveAndWait(Duration rest) {
        StackRoom.demand();
        return BlockingCall.await(() -> leave(rest)).join();
    }

    /** Leaves without blocking; completes on the client's executor. */
    default CompletableFuture<R> leaveAsync() {
        return leaveAsync(Duration.ZERO);
    }

    private CompletableFuture<R> leaveAsync(Duration rest) {
        StackRoom.demand();
        return leave(rest).thenApplyAsync(result -> result, executor());
    }

    /**
     * Leaves, and blocks for the answer; what is released rests for so long.
     *
     * @throws UnsupportedOperationException if it cannot; then nothing was left
     */
    default R leaveToRestAndWait(Duration rest) {
        return leaveAndWait(accepted(rest));
    }

    /** The same without blocking. */
    default CompletableFuture<R> leaveToRestAsync(Duration rest) {
        return leaveAsync(accepted(rest));
    }

    private Duration accepted(Duration rest) {
        Require.between("rest", rest, Duration.ofMillis(1), Require.LONGEST);
        acceptRest();
        return rest;
    }
}
