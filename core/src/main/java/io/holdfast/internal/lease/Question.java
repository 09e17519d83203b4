package io.holdfast.internal.lease;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import java.util.concurrent.CompletableFuture;

/**
 * What is asked for, one lock or several, from the call to the answer.
 *
 * @param <E> what is obtained, and has to be left
 */
public interface Question<E extends Entry<?>> {
    /**
     * What a recording shows of it, as far as it has come.
     *
     * @param lock the lock's name; of several locks, all names
     * @param owner the public part of the owner id; empty for several locks
     * @param group the group of the request; empty for none
     * @param contention what is known of the others
     * @param place in the queue, at first; 0 if it never was queued
     * @param attempts how often the server was asked
     */
    record Account(
            String lock,
            String mode,
            String owner,
            String actor,
            String group,
            Contention contention,
            int place,
            int attempts) {}

    /** Asks for the first time. Called once. Fails with exceptions of the library, or with a caller's own. */
    CompletableFuture<Attempt<E>> start();

    /** What a recording shows of it. May be asked at any time. */
    Account account();

    /** Withdraws it because its caller went away; what was obtained already is released. */
    void withdraw();
}
