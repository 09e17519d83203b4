package io.holdfast.benchmarks.contestants;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** One client that takes locks. May be used by many threads. */
public interface Contestant extends AutoCloseable {
    /** One hold of a lock. */
    interface Grip {
        /** Gives it up, in the thread that obtained it. */
        void release() throws Exception;

        /** Gives up what was obtained by {@link Contestant#acquireAsync}. */
        default CompletionStage<?> releaseAsync() {
            throw new UnsupportedOperationException();
        }
    }

    /** Obtains a lock, however long that takes. */
    Grip acquire(String lock) throws Exception;

    /** Obtains a lock that another process is known to hold: waits for it to be handed over. */
    default Grip join(String lock) throws Exception {
        return acquire(lock);
    }

    /**
     * Obtains a lock without blocking; only of contestants with {@link Contestants.Ability#ASYNC}.
     *
     * @param actor who asks, where the library tells askers apart by more than the request
     */
    default CompletionStage<Grip> acquireAsync(String lock, long actor) {
        throw new UnsupportedOperationException();
    }

    /**
     * Has work done once for a key, however long that takes; only of contestants with {@link Contestants.Ability#ONCE}.
     *
     * @return what the work has returned, here or elsewhere
     */
    default String once(String key, Supplier<String> work) throws Exception {
        throw new UnsupportedOperationException();
    }

    @Override
    void close();

    /** How one is made. */
    interface Maker {
        /** Connects to {@code redis://host:port}; holds last for the term, and are renewed where the library does that. */
        Contestant connect(String address, Duration term) throws Exception;
    }
}
