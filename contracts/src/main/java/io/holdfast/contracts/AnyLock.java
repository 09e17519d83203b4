package io.holdfast.contracts;

import io.holdfast.Acquirable;
import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.PlainLock;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock of any kind: the ways of asking that all of them have. */
interface AnyLock {
    /**
     * How a lock is asked for.
     *
     * @param term how long a lease lasts without renewal
     * @param renewed whether it is renewed
     * @param maxHold when renewal stops; null for never
     * @param interruptBefore how long before the end work is interrupted; null for never
     * @param lockDelay how much longer the lock stays taken when the lease is lost
     */
    record Terms(
            Duration term,
            boolean renewed,
            @Nullable Duration maxHold,
            @Nullable Duration interruptBefore,
            Duration lockDelay) {
        /** So long that no test sees its end. */
        static final Terms LONG = new Terms(Duration.ofMinutes(1), true, null, null, Duration.ZERO);

        /** Ends in the time of a test, if nobody renews it. */
        static final Terms BRIEF = LONG.lasting(Duration.ofSeconds(3));

        Terms lasting(Duration value) {
            return new Terms(value, renewed, maxHold, interruptBefore, lockDelay);
        }

        Terms notRenewed() {
            return new Terms(term, false, maxHold, interruptBefore, lockDelay);
        }

        Terms renewedUntil(Duration value) {
            return new Terms(term, renewed, value, interruptBefore, lockDelay);
        }

        Terms interruptedBefore(Duration value) {
            return new Terms(term, renewed, maxHold, value, lockDelay);
        }

        Terms delayedBy(Duration value) {
            return new Terms(term, renewed, maxHold, interruptBefore, value);
        }
    }

    /** How asking ended. */
    enum Outcome {
        OBTAINED,
        TAKEN,
        TIMED_OUT,
        UNKNOWN,
        OTHER
    }

    /**
     * An attempt.
     *
     * @param lease if it was obtained
     * @param holder who held the lock, as was told; empty if nobody was told
     */
    record Answer(Outcome outcome, Optional<AnyLease> lease, String holder) {
        private static <L> Answer of(Attempt<L> attempt, Function<L, AnyLease> lease) {
            String holder = attempt instanceof Attempt.NotObtained<L> not
                    ? not.contention().holder().map(Holder::owner).orElse("")
                    : "";
            Outcome outcome = attempt.fold(
                    held -> Outcome.OBTAINED,
                    not -> switch (not.reason()) {
                        case TAKEN -> Outcome.TAKEN;
                        case TIMED_OUT -> Outcome.TIMED_OUT;
                        default -> Outcome.OTHER;
                    },
                    unknown -> Outcome.UNKNOWN);
            return new Answer(outcome, attempt.asOptional().map(lease), holder);
        }
    }

    /** What is done under a lease. */
    interface Work<T extends @Nullable Object> {
        T under(AnyLease lease) throws Exception;
    }

    AnyLease acquire() throws InterruptedException;

    AnyLease acquire(Wait wait) throws InterruptedException;

    Optional<AnyLease> tryAcquire(Wait wait) throws InterruptedException;

    Answer attempt(Wait wait) throws InterruptedException;

    /** The very future that the library hands out, of a lease as {@link AnyLease#of} takes it. */
    CompletableFuture<?> acquireAsync(Wait wait);

    /** The very future that the library hands out. */
    CompletableFuture<?> attemptAsync(Wait wait);

    /** The lock itself. */
    Acquirable<?> lock();

    <T extends @Nullable Object> T call(Work<T> work) throws Exception;

    <T> Optional<T> tryCall(Wait wait, Work<T> work) throws Exception;

    <T extends @Nullable Object> CompletableFuture<T> callAsync(
            Function<? super AnyLease, ? extends CompletionStage<T>> work);

    /** How long the present hold lasts, whoever has it, as the server says. */
    Duration remaining();

    /** One with tokens, of one server or of a quorum. */
    record Distributed(DistributedLock lock) implements AnyLock {
        @Override
        public AnyLease acquire() throws InterruptedException {
            return AnyLease.of(lock.acquire());
        }

        @Override
        public AnyLease acquire(Wait wait) throws InterruptedException {
            return AnyLease.of(lock.acquire(wait));
        }

        @Override
        public Optional<AnyLease> tryAcquire(Wait wait) throws InterruptedException {
            return lock.tryAcquire(wait).map(AnyLease::of);
        }

        @Override
        public Answer attempt(Wait wait) throws InterruptedException {
            return Answer.of(lock.attempt(wait), AnyLease::of);
        }

        @Override
        public CompletableFuture<?> acquireAsync(Wait wait) {
            return lock.acquireAsync(wait);
        }

        @Override
        public CompletableFuture<?> attemptAsync(Wait wait) {
            return lock.attemptAsync(wait);
        }

        @Override
        public <T extends @Nullable Object> T call(Work<T> work) throws Exception {
            return lock.<T, Exception>call(lease -> work.under(AnyLease.of(lease)));
        }

        @Override
        public <T> Optional<T> tryCall(Wait wait, Work<T> work) throws Exception {
            return lock.<T, Exception>tryCall(wait, lease -> work.under(AnyLease.of(lease)));
        }

        @Override
        public <T extends @Nullable Object> CompletableFuture<T> callAsync(
                Function<? super AnyLease, ? extends CompletionStage<T>> work) {
            return lock.callAsync(lease -> work.apply(AnyLease.of(lease)));
        }

        @Override
        public Duration remaining() {
            return lock.remaining();
        }
    }

    /** A lock of the plain protocol. */
    record Plain(PlainLock lock) implements AnyLock {
        @Override
        public AnyLease acquire() throws InterruptedException {
            return AnyLease.of(lock.acquire());
        }

        @Override
        public AnyLease acquire(Wait wait) throws InterruptedException {
            return AnyLease.of(lock.acquire(wait));
        }

        @Override
        public Optional<AnyLease> tryAcquire(Wait wait) throws InterruptedException {
            return lock.tryAcquire(wait).map(AnyLease::of);
        }

        @Override
        public Answer attempt(Wait wait) throws InterruptedException {
            return Answer.of(lock.attempt(wait), AnyLease::of);
        }

        @Override
        public CompletableFuture<?> acquireAsync(Wait wait) {
            return lock.acquireAsync(wait);
        }

        @Override
        public CompletableFuture<?> attemptAsync(Wait wait) {
            return lock.attemptAsync(wait);
        }

        @Override
        public <T extends @Nullable Object> T call(Work<T> work) throws Exception {
            return lock.<T, Exception>call(lease -> work.under(AnyLease.of(lease)));
        }

        @Override
        public <T> Optional<T> tryCall(Wait wait, Work<T> work) throws Exception {
            return lock.<T, Exception>tryCall(wait, lease -> work.under(AnyLease.of(lease)));
        }

        @Override
        public <T extends @Nullable Object> CompletableFuture<T> callAsync(
                Function<? super AnyLease, ? extends CompletionStage<T>> work) {
            return lock.callAsync(lease -> work.apply(AnyLease.of(lease)));
        }

        @Override
        public Duration remaining() {
            return lock.remaining();
        }
    }
}
