package io.holdfast.model.exclusive;

import io.holdfast.model.queue.Message;
import java.util.List;

/**
 * What a script comes to.
 *
 * @param state afterwards
 * @param granted the owner that was granted the lock by this script, or {@link LockState#NOBODY}
 * @param messages what was published to clients that listen
 */
public record Outcome(LockState state, Reply reply, int granted, List<Message> messages) {
    /**
     * A reply.
     *
     * @param word its first word
     * @param rest what follows, where T and a number stands for a token, S for the time of a grant, and D for ticks as milliseconds
     * @param token the token that it tells, 0 for none
     * @param describes whether words follow that tell of the hold and of claims
     * @param mine the owner of a claim of the client that asks, which the reply tells, or {@link LockState#NOBODY}
     * @param handed the claim of a handoff that was told by message, 0 if there was none
     */
    public record Reply(String word, String rest, long token, boolean describes, int mine, int handed) {
        static Reply of(String word) {
            return new Reply(word, "", 0, false, LockState.NOBODY, 0);
        }

        static Reply of(String word, String rest) {
            return new Reply(word, rest, 0, false, LockState.NOBODY, 0);
        }
    }
}
