package io.holdfast.model.queue;

/**
 * What a message tells.
 *
 * @param owner whom it concerns, for P nobody
 * @param flag of G, that nobody else waits for what is kept; of V, that waiters were dropped
 */
public record Message(Kind kind, int client, int owner, long token, boolean flag) {
    /** G: a grant by handoff. V: the hold was ended by name. E: dropped. O: what it waits for was done. P: a probe. R: the lock is wanted. */
    public enum Kind {
        G,
        V,
        E,
        O,
        P,
        R
    }

    @Override
    public String toString() {
        return switch (kind) {
            case G -> "the grant of " + Words.owner(owner) + " with token " + token;
            case V -> "the revocation of " + Words.owner(owner) + " with token " + token;
            case E -> "that " + Words.owner(owner) + " was dropped";
            case O -> "the record of token " + token;
            case P -> "a probe";
            case R -> "a recall of token " + token;
        };
    }
}
