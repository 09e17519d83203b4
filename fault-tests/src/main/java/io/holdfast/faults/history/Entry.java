package io.holdfast.faults.history;

/**
 * One line of a history. Times are {@link System#nanoTime()}, which all processes of one machine share.
 *
 * @param kind what happened
 * @param at when
 * @param operation the operation's number, unique in its process; 0 for what concerns the process as a whole
 * @param lock the lock's name; empty where it was told before
 * @param token the fencing token, or 0; of what a lock guards, the value
 * @param word an outcome, a reason or a result, as its kind says
 */
public record Entry(Kind kind, long at, long operation, String lock, long token, String word) {
    /** What can happen. */
    public enum Kind {
        /** The lock is asked for; taken just before the call. The word is for how long and, after a space, what is asked for. */
        ASK,
        /** The request is known to be queued. */
        QUEUED,
        /** The lock is held; taken just after the call. The word has the numbers of its permits, commas between them. */
        GOT,
        /** It was not obtained; the word says how. */
        NONE,
        /** The lease said that it is valid; taken just before it was asked. */
        ALIVE,
        /** What is guarded is about to be read; the word is the register. */
        READING,
        /** It was read; the word is the register. */
        READ,
        /** What is guarded is about to be written; the word is the register. */
        WRITING,
        /** It was written; the word is the register. */
        WROTE,
        /** It was neither read nor written: the register has refused the token. */
        REFUSED,
        /** The lease was seen to be over without having been released. */
        OVER,
        /** The holder was told that the lease is lost; the word is the reason. */
        LOST,
        /** The release is about to be asked for. */
        LEAVING,
        /** The release was answered; the word is the result. */
        LEFT,
        /** The process did nothing from {@code at} for so many nanoseconds, which the token field carries. */
        STALLED
    }
}
