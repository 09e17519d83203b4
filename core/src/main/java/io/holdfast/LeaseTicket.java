package io.holdfast;

import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Locale;

/**
 * What another process needs to go on with a lease: see {@link Lease#ticket()} and {@link Holdfast#adopt(LeaseTicket)}.
 * Whoever has it can release the lock: it is a secret.
 *
 * @param lock the lock's name
 * @param owner the whole owner id, with its secret part
 * @param token the fencing token
 * @param term the term with which the lease was asked for
 */
public record LeaseTicket(String lock, String owner, long token, Duration term) {
    private static final String VERSION = "hf1";

    /** Checks the values. */
    public LeaseTicket {
        Require.text("lock name", lock, 1000);
        Require.text("owner", owner, 200);
        if (token <= 0) {
            throw new IllegalArgumentException("token is " + token + ", must be positive");
        }
        Require.between("term", term, LockOptions.SHORTEST_TERM, Require.LONGEST);
    }

    /** As one line of text, for an environment variable or a message. */
    public String encoded() {
        return String.format(Locale.ROOT, "%s %d %d %s %s", VERSION, token, term.toMillis(), owner, lock);
    }

    /**
     * Reads what {@link #encoded()} wrote.
     *
     * @throws IllegalArgumentException if the text is no ticket
     */
    public static LeaseTicket decode(String text) {
        String[] words = text.split(" ", 5);
        if (words.length != 5 || !words[0].equals(VERSION)) {
            throw new IllegalArgumentException("this is no ticket of a lease (it does not begin '" + VERSION + " ')");
        }
        try {
            return new LeaseTicket(
                    words[4], words[3], Long.parseLong(words[1]), Duration.ofMillis(Long.parseLong(words[2])));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("this is no ticket of a lease: token or term is no number", e);
        }
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "LeaseTicket[" + lock + ", token " + token + "]";
    }
}
