package io.holdfast;

import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Locale;

/**
 * The data with which another process can continue a lease: see {@link Lease#ticket()} and {@link Holdfast#adopt(LeaseTicket)}.
 * A process that has it can release the lock, so keep it secret.
 *
 * @param lockName the lock's name
 * @param owner the whole owner id, with its secret part
 * @param token the fencing token of the lease
 * @param grantToken the token by which the server knows the hold: the lease's own, or a smaller one if earlier leases had the
 *     same hold
 * @param leaseDuration the lease duration with which the lease was requested
 */
public record LeaseTicket(String lockName, String owner, long token, long grantToken, Duration leaseDuration) {
    private static final String VERSION = "hf1";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public LeaseTicket {
        Require.text("lock name", lockName, 1000);
        Require.text("owner", owner, 200);
        if (grantToken <= 0) {
            throw new IllegalArgumentException("grantToken is " + grantToken + ", must be positive");
        }
        if (token < grantToken) {
            throw new IllegalArgumentException("token is " + token + ", must be at least grantToken, " + grantToken);
        }
        Require.between("leaseDuration", leaseDuration, LockOptions.MIN_LEASE_DURATION, Require.LONGEST);
    }

    /**
     * Returns the ticket as text, for an environment variable or a message. It is one line, unless the lock's name contains a
     * line break.
     */
    public String encoded() {
        return String.format(
                Locale.ROOT,
                "%s %d %d %d %s %s",
                VERSION,
                token,
                grantToken,
                leaseDuration.toMillis(),
                owner,
                lockName);
    }

    /**
     * Reads the text that {@link #encoded()} wrote.
     *
     * @throws IllegalArgumentException if the text is not a ticket, or a value in it is out of range
     */
    public static LeaseTicket decode(String text) {
        String[] words = text.split(" ", 6);
        if (words.length != 6 || !words[0].equals(VERSION)) {
            throw new IllegalArgumentException(
                    "this is no ticket of a lease (a ticket has at least six words, and begins '" + VERSION + " ')");
        }
        try {
            return new LeaseTicket(
                    words[5],
                    words[4],
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Duration.ofMillis(Long.parseLong(words[3])));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "this is no ticket of a lease: a token or the lease duration is not a number", e);
        }
    }

    /** Returns the name and the token, without the secret. */
    @Override
    public String toString() {
        return "LeaseTicket[" + lockName + ", token " + token + "]";
    }
}
