package io.holdfast;

/**
 * A store refused an act because a newer fencing token was there before: another holder has been at work since, and the caller that gets this must stop. Nothing was changed by the refused act.
 *
 * <p>Thrown by {@link FencedValue} and by the guards of the module {@code holdfast-fencing}; a guard of your own may throw
 * it too.
 */
public final class StaleTokenException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final long token;
    private final long newest;

    /**
     * A refusal.
     *
     * @param name of what is guarded
     * @param token the one that was refused
     * @param newest the newest that the store has seen; 0 if it does not report that
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

    /** The name of what is guarded. */
    public String name() {
        return name;
    }

    /** The token that was refused. */
    public long token() {
        return token;
    }

    /** The newest token that the store has seen; 0 if it did not report that. */
    public long newest() {
        return newest;
    }
}
