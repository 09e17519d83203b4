package io.holdfast;

import java.time.Instant;

/**
 * What came of a call of {@link Once}. Five answers that are never merged: the work was done by this call, or before it, or
 * another is at it, or it was given up, or the outcome is unknown.
 */
public sealed interface OnceResult {
    /**
     * The work was done by this call.
     *
     * @param text what it returned
     * @param token of the lease under which it was done
     * @param recorded whether the server has acknowledged the record. If not, it did not answer: the record is sent again in the
     *     background, and comes too late if the lease ends before
     */
    record Ran(String text, long token, boolean recorded) implements OnceResult {}

    /**
     * The work had been done, or was done by another while this call waited; it was not begun here.
     *
     * @param text what it returned
     * @param token of the lease under which it was done
     * @param at when it was recorded, by the server's clock
     * @param by who did it
     */
    record Done(String text, long token, Instant at, Holder by) implements OnceResult {
        static Done of(Holder record) {
            return new Done(record.metadata().getOrDefault(Holder.RESULT, ""), record.token(), record.since(), record);
        }
    }

    /**
     * Another was at it as long as this call wanted to wait.
     *
     * @param why with who is at it and since when, in its {@linkplain Attempt.NotObtained#contention() contention}
     */
    record InProgress(Attempt.NotObtained<Lease> why) implements OnceResult {}

    /**
     * The work has had as many tries as it may have, and none has left a result. See {@link Once#withTries}.
     *
     * @param why with the record of it as the holder in its {@linkplain Attempt.NotObtained#contention() contention}
     */
    record GivenUp(Attempt.NotObtained<Lease> why) implements OnceResult {
        /** The record: who tried last, under which token, and when that was given up. */
        public Holder by() {
            return why.contention().holder().orElseThrow();
        }

        /** Why the last one has left no result. */
        public String reason() {
            return by().metadata().getOrDefault(Holder.GIVEN_UP, "");
        }

        /** How many tries there were. */
        public int tries() {
            return Once.tryOf(by());
        }
    }

    /**
     * The server did not answer: the work was not begun here, and whether it was done is not known.
     *
     * @param cause what went wrong
     */
    record Unknown(ServerUnreachableException cause) implements OnceResult {}

    /**
     * What the work returned, here or elsewhere.
     *
     * @throws LockTimeoutException if another is at it
     * @throws LockRefusedException if it was given up
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
