package io.holdfast.faults.subjects;

import io.holdfast.faults.history.Want;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One client of a lock library. May be used by many threads; a hold is used by the thread that obtained it. */
public interface Subject extends AutoCloseable {
    /** What is known of a request that did not obtain the lock. */
    final class NotObtained extends Exception {
        private static final long serialVersionUID = 1L;

        private final String outcome;

        /** The outcome is one word. */
        public NotObtained(String outcome, @Nullable Throwable cause) {
            super(outcome, cause);
            this.outcome = outcome;
        }

        /** One word. */
        public String outcome() {
            return outcome;
        }
    }

    /** One hold of a lock. */
    interface Hold {
        /** The fencing token; 0 if the library has none. */
        long token();

        /** The numbers of its permits; empty where they have none. */
        default List<Integer> slots() {
            return List.of();
        }

        /** Whether it is still held, by the best means that the library has; true if it has none. */
        boolean isHeld();

        /** Whether the hold is known to be over, without asking a server and without side effects. */
        boolean isOver();

        /** Releases it, and says in one word what came of that. */
        String release() throws Exception;
    }

    /**
     * What a name stands for at this moment, where that depends on the time.
     *
     * @throws NotObtained if a server would have to say, and does not
     */
    default String present(String lock, Random random) throws NotObtained {
        return lock;
    }

    /**
     * Asks for a lock.
     *
     * @param want what of it; libraries that are asked for exclusive locks only need not look
     * @param wait how long to wait at most; zero for not at all
     * @param onQueued called when the request is known to be queued, if the library tells
     * @param onLost called with the reason when the hold is lost, if the library tells
     * @throws NotObtained if it is not obtained, whatever the reason
     */
    Hold acquire(String lock, Want want, Duration wait, Runnable onQueued, Consumer<String> onLost)
            throws NotObtained, InterruptedException;

    /** The library with its version, and its settings in words. */
    String describe();

    @Override
    void close();

    /** How a client is made. */
    interface Maker {
        /** Connects. */
        Subject connect(Target to, Duration term);
    }
}
