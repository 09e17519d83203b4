package io.holdfast;

import java.time.Instant;

/**
 * The outcome of a call of {@link Once}. There are five outcomes:
 *
 * <ul>
 *   <li>{@link Ran}: this call did the work
 *   <li>{@link Done}: the work was done before this call, or by another caller while this call waited
 *   <li>{@link InProgress}: the lock was not free in time, mostly because another caller was doing the work
 *   <li>{@link GivenUp}: the work was given up
 *   <li>{@link Unknown}: the server did not answer
 * </ul>
 */
public sealed interface OnceResult {
    /**
     * This call did the work.
     *
     * @param text the result of the work
     * @param token the fencing token of the lease under which it was done
     * @param recorded whether the server has acknowledged the record. If not, the client sends the record again in the
     *     background. If the lease ends before that arrives, the record comes too late
     */
    record Ran(String text, long token, boolean recorded) implements OnceResult {}

    /**
     * The work had been done before, or another caller did it while this call waited. This call did not begin it.
     *
     * @param text the result of the work
     * @param token the fencing token of the lease under which it was done
     * @param at the time at which the result was recorded, by the server's clock
     * @param by the holder that did the work
     */
    record Done(String text, long token, Instant at, Holder by) implements OnceResult {
        static Done of(Holder record) {
            return new Done(record.metadata().getOrDefault(Holder.RESULT, ""), record.token(), record.since(), record);
        }
    }

    /**
     * This call did not get the lock for a {@linkplain Attempt.Reason#isBusy() busy} reason. Usually another caller was doing
     * the work, and the wait of this call was over.
     *
     * @param why the outcome of the request. Its {@linkplain Attempt.NotObtained#contention() contention} says which holder
     *     does the work, and since when, or that the lock is paused or rests
     */
    record InProgress(Attempt.NotObtained<Lease> why) implements OnceResult {}

    /**
     * The work was given up: it has used up its tries, and none has left a result. See {@link Once#withTries}.
     *
     * @param why the outcome of the request. The holder in its {@linkplain Attempt.NotObtained#contention() contention} is the
     *     record that says so
     */
    record GivenUp(Attempt.NotObtained<Lease> why) implements OnceResult {
        /**
         * Returns the record: the holder that left it, its token, and the time at which the work was given up. That is the holder
         * that tried last, or, if that one left no record, the next caller, which did not begin the work.
         */
        public Holder by() {
            return why.contention().holder().orElseThrow();
        }

        /** Returns why the last try has left no result. */
        public String reason() {
            return by().metadata().getOrDefault(Holder.GIVEN_UP, "");
        }

        /** Returns how many tries there were. */
        public int tries() {
            return Once.tryOf(by());
        }
    }

    /**
     * The server did not answer. This call did not begin the work. Whether another caller did it is unknown.
     *
     * @param cause the failure
     */
    record Unknown(ServerUnreachableException cause) implements OnceResult {}

    /**
     * Returns the result of the work, whether this call or another caller did it.
     *
     * @throws LockTimeoutException if the lock was not free in time, mostly because another caller was doing the work
     * @throws LockRefusedException if the work was given up, the queue was full, or an operator dropped the request
     * @throws ServerUnreachableException if the outcome is unknown
     */
    default String orElseThrow() {
        if (this instanceof Ran ran) {
            return ran.text();
        } else if (this instanceof Done done) {
            return done.text();
        } else if (this instanceof InProgress busy) {
            throw LockNotObtainedException.of(busy.why());
        } else if (this instanceof GivenUp given) {
            throw LockNotObtainedException.of(given.why());
        }
        throw ((Unknown) this).cause();
    }
}
