package io.holdfast.spi;

import java.util.function.IntPredicate;

/**
 * Is notified when one of a driver's connections comes or goes. Called on threads of the driver, one call at a time for each
 * connection; implementations must not block. A connection that was up when the listener was added is not reported.
 */
public interface ConnectionListener {
    /** The command connection was established again after it was down. */
    void commandsUp();

    /** The command connection broke. Reported before the commands that were under way on it fail. */
    void commandsDown();

    /** The message connection was established again, and every subscription on it was acknowledged again. */
    void messagesUp();

    /** The message connection broke: messages may have been missed from here on. */
    void messagesDown();

    /** As {@link #commandsUp()}, but for some partitions only: another server has taken them over, or its connection is back. */
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
