package io.holdfast.internal.polled;

import io.holdfast.HoldfastException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.Hold;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link PolledRequest} asks, and what the answers mean to its caller: the one thing in which requests differ that ask
 * again and again. One plain key ({@link PlainPoll}), or the nodes of a quorum ({@code QuorumPoll}).
 *
 * <p>After {@link #ask} it reports exactly once: {@link PolledRequest#granted}, {@link PolledRequest#notGranted} or
 * {@link PolledRequest#fail}. It is never asked while an answer is due.
 */
public interface Poll {
    /** Whose it is; said once, before all else. */
    void of(PolledRequest request);

    /** Said once, before it is asked for the first time. */
    void begin();

    /**
     * Asks once.
     *
     * @param number how often it was asked, this time included
     * @param takeOver whether to take the lock from the holder that was seen last
     */
    void ask(int number, boolean takeOver);

    /** Whether every time is asked for the same owner, so that what was granted to it once is its own until it is released. */
    boolean hasOneOwner();

    /** What was granted arrived with too little left: asks at once for more of it. Only if it has one owner. */
    void askAgain();

    /** Takes back, in the background, what may have come of it. Any number of times. */
    void abandon();

    /** The request has ended without a hold. */
    void forget();

    // ---- how often

    int maxAttempts();

    /** How long to sleep; throws what the caller's own function throws. */
    long backoffNanos(int attempts);

    /** It has begun to sleep, and may be woken. */
    default void asleep() {}

    /** It does not sleep any more, for good. */
    default void awake() {}

    /** Whether the lock may be taken from its holder, now that the wait is over. */
    default boolean mayTakeOver() {
        return false;
    }

    /** It was granted, and the hold has begun. */
    default void held(Hold hold) {}

    // ---- refusals

    /** The last answer did not say whether it was granted. */
    ServerUnreachableException unknown();

    /** In place of that: the server has refused it, and nothing of the request can be there. Null if that is not so. */
    default @Nullable HoldfastException refusal() {
        return null;
    }

    /** Answers take longer than the term allows. */
    ServerUnreachableException late();
}
