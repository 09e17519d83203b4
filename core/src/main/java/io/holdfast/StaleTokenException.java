package io.holdfast;

/**
 * Thrown if a store refused an act because it had already seen a newer fencing token. Another holder has been at work since, so
 * the caller must stop. The refused act changed nothing.
 *
 * <p>Thrown by {@link FencedValue} and by the guards of the module {@code holdfast-fencing}. Your own guard may throw it too.
 */
public final class StaleTokenException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final long token;
    private final long newest;

    /**
     * Creates the exception for a refusal.
     *
     * @param name the name of the guarded resource
     * @param token the token that was refused
     * @param newest the newest token that the store has seen; 0 if it does not report that
     */
    public StaleTokenException(String name, long token, long newest) {
        super(
                "HF-STALE-TOKEN",
                "token " + token + " for '" + name + "' is stale: a newer holder was here before"
                        + (newest == 0 ? "" : ", with token " + newest),
                null);
        this.name = name;
        this.token = token;
        this.newest = newest;
    }

    /** Returns the name of the guarded resource. */
    public String name() {
        return name;
    }

    /** Returns the token that was refused. */
    public long token() {
        return token;
    }

    /** Returns the newest token that the store has seen; 0 if it did not report that. */
    public long newest() {
        return newest;
    }
}
