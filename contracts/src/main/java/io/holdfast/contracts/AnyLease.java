package io.holdfast.contracts;

import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.PlainLease;
import io.holdfast.ReleaseResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A lease of any kind of lock: what all of them can do. */
interface AnyLease extends AutoCloseable {
    /** A lease as the library hands it out, in this shape. */
    static AnyLease of(Object held) {
        return held instanceof PlainLease plain ? new Plain(plain) : new Distributed((Lease) held);
    }

    /** What the library has handed out. */
    Object handedOut();

    /** Who holds the lock, as others are told. */
    String holder();

    boolean isValid();

    void requireValid();

    Duration remaining();

    int attempts();

    /** Asks the server. */
    boolean isHeldOnServer();

    CompletionStage<LossReason> lost();

    void extend(Duration atLeast);

    CompletableFuture<Void> extendAsync(Duration atLeast);

    ReleaseResult release();

    CompletableFuture<ReleaseResult> releaseAsync();

    @Override
    default void close() {
        release();
    }

    /** One with a token, of one server or of a quorum. */
    record Distributed(Lease lease) implements AnyLease {
        @Override
        public Object handedOut() {
            return lease;
        }

        @Override
        public String holder() {
            return lease.owner();
        }

        @Override
        public boolean isValid() {
            return lease.isValid();
        }

        @Override
        public void requireValid() {
            lease.requireValid();
        }

        @Override
        public Duration remaining() {
            return lease.remaining();
        }

        @Override
        public int attempts() {
            return lease.attempts();
        }

        @Override
        public boolean isHeldOnServer() {
            return lease.isHeldOnServer();
        }

        @Override
        public CompletionStage<LossReason> lost() {
            return lease.whenLost();
        }

        @Override
        public void extend(Duration atLeast) {
            lease.extend(atLeast);
        }

        @Override
        public CompletableFuture<Void> extendAsync(Duration atLeast) {
            return lease.extendAsync(atLeast);
        }

        @Override
        public ReleaseResult release() {
            return lease.release();
        }

        @Override
        public CompletableFuture<ReleaseResult> releaseAsync() {
            return lease.releaseAsync();
        }
    }

    /** One of a plain lock. */
    record Plain(PlainLease lease) implements AnyLease {
        @Override
        public Object handedOut() {
            return lease;
        }

        @Override
        public String holder() {
            return lease.value();
        }

        @Override
        public boolean isValid() {
            return lease.isValid();
        }

        @Override
        public void requireValid() {
            lease.requireValid();
        }

        @Override
        public Duration remaining() {
            return lease.remaining();
        }

        @Override
        public int attempts() {
            return lease.attempts();
        }

        @Override
        public boolean isHeldOnServer() {
            return lease.isHeldOnServer();
        }

        @Override
        public CompletionStage<LossReason> lost() {
            return lease.whenLost();
        }

        @Override
        public void extend(Duration atLeast) {
            lease.extend(atLeast);
        }

        @Override
        public CompletableFuture<Void> extendAsync(Duration atLeast) {
            return lease.extendAsync(atLeast);
        }

        @Override
        public ReleaseResult release() {
            return lease.release();
        }

        @Override
        public CompletableFuture<ReleaseResult> releaseAsync() {
            return lease.releaseAsync();
        }
    }
}
