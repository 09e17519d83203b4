package io.holdfast;

import io.holdfast.internal.wire.Shown;
import java.time.Duration;
import java.util.Optional;

/** The lock was not obtained in time: another holder has it. This call does not hold it and does not wait any more. */
public final class LockTimeoutException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final transient Contention contention;

    LockTimeoutException(String lock, Wait wait, Contention contention) {
        super(Shown.lock(lock) + " not obtained (wait " + wait + "): " + contention.describe(), null);
        this.lockName = lock;
        this.contention = contention;
    }

    /** Of a plain lock, of whose holder the server knows only a value. */
    LockTimeoutException(String key, String why, PlainHolder holder) {
        super("plain " + Shown.lock(key) + " not obtained (" + why + "): " + holder.describe(), null);
        this.lockName = key;
        this.contention = new Contention(Optional.empty(), holder.remaining().orElse(Duration.ZERO), 0, 0);
    }

    /** Of a lock that reports nothing about its holder. */
    LockTimeoutException(String lock, Wait wait) {
        super("old lock " + Shown.name(lock) + " not obtained (wait " + wait + ")", null);
        this.lockName = lock;
        this.contention = Contention.NOTHING_KNOWN;
    }

    /** The lock's name; the key of a plain lock. */
    public String lockName() {
        return lockName;
    }

    /** What the server last said: holder, place, number of waiters. Of a plain lock, the remaining term only. */
    public Contention contention() {
        return contention;
    }
}
