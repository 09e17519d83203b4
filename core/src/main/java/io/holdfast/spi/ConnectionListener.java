package io.holdfast.spi;

import java.util.function.IntPredicate;

/**
 * A listener that is notified when one of a driver's connections goes up or down. Called on threads of the driver, one call at
 * a time for each connection. Implementations must not block. A connection that was up when the listener was added is not
 * reported.
 */
public interface ConnectionListener {
    /** Called when the command connection was established again after it was down. */
    void commandsUp();

    /** Called when the command connection broke, before the commands that were under way on it fail. */
    void commandsDown();

    /** Called when the message connection was established again, and every subscription on it was acknowledged again. */
    void messagesUp();

    /** Called when the message connection broke: from then on, messages may have been missed. */
    void messagesDown();

    /** As {@link #commandsUp()}, for some partitions only: another server has taken them over, or their server is back. */
    default void commandsUp(IntPredicate partitions) {
        commandsUp();
    }

    /** As {@link #messagesUp()}, for the channels of some partitions. */
    default void messagesUp(IntPredicate partitions) {
        messagesUp();
    }

    /** As {@link #messagesDown()}, for the channels of some partitions. */
    default void messagesDown(IntPredicate partitions) {
        messagesDown();
    }
}
