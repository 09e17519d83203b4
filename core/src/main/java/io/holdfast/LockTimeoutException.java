package io.holdfast;

/** The lock was not obtained in time: somebody else holds it. This client does not hold it and does not wait any more. */
public final class LockTimeoutException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String lock;
    private final transient Contention contention;

    LockTimeoutException(String lock, Wait wait, Contention contention) {
        super("lock '" + lock + "' not obtained (wait " + wait + "): " + contention.inWords(), null);
        this.lock = lock;
        this.contention = contention;
    }

    /** The lock's name. */
    public String lock() {
        return lock;
    }

    /** What the server last said: holder, place, number of waiters. */
    public Contention contention() {
        return contention;
    }
}
