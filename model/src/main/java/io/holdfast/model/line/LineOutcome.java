package io.holdfast.model.line;

import io.holdfast.model.queue.Message;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a script of a line comes to.
 *
 * @param state afterwards
 * @param reply its words
 * @param begun owners whose holds were granted, or downgraded, by this script
 * @param messages what was published to clients that listen, those of a client in the order of their grants
 */
public record LineOutcome(LineState state, Reply reply, Set<Integer> begun, List<Message> messages) {
    /**
     * A reply.
     *
     * @param words where T and a number stands for a token, and S and an owner for the time of its grant
     * @param told what {@code describe} tells behind them, if it does
     */
    public record Reply(String words, @Nullable Told told) {
        static Reply of(String words) {
            return new Reply(words, null);
        }
    }

    /**
     * What a reply tells of the line.
     *
     * @param wake in how many ms to look, 0 for none
     * @param grants owners of the client that asks which hold now
     * @param last the owner of the hold that lasts longest, if it is told, or {@link LineState#NOBODY}
     * @param millis how long that lasts yet
     */
    public record Told(long wake, int holders, int used, List<Integer> grants, int last, long millis) {}
}
