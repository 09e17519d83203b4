package io.holdfast;

import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.OwnerIds;
import java.io.Serializable;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Who holds a lock, as the server reports it. Of a plain lock that is the key's value, as the owner, and nothing else: the other
 * texts are empty, the token is 0, and {@code since} is the epoch.
 *
 * @param owner the public part of the owner id; {@code -} if the lock rests (see {@link #resting()})
 * @param token the fencing token
 * @param application the application's name
 * @param host the host's name
 * @param pid the process id
 * @param actor the id that the caller gave, or the name of the thread that asked; empty if it was not reported
 * @param metadata what the caller put beside the hold
 * @param since when the lock was granted, by the server's clock
 */
public record Holder(
        String owner,
        long token,
        String application,
        String host,
        String pid,
        String actor,
        Map<String, String> metadata,
        Instant since)
        implements Serializable {
    /** The metadata of a pause with its reason. */
    static final String REASON = "reason";

    /** The metadata of a holder with its note. */
    public static final String NOTE = "note";

    /** The metadata of a record with the result of the work. */
    static final String RESULT = "result";

    /** The metadata of a run with its number, where tries are limited, see {@link Once#withTries}. */
    public static final String TRY = "try";

    /** The metadata of a record of work that was given up, with why. */
    static final String GIVEN_UP = "given-up";

    /** The metadata of a holder, or of a waiter, with its group. */
    public static final String GROUP = "group";

    /** Copies the map. */
    public Holder {
        metadata = Map.copyOf(metadata);
    }

    /**
     * Whether the lock is no longer held, but stays taken until its minimum hold time ({@link LockOptions#withMinHold}), or the time that its release has
     * asked for, is over; after a loss, until its lock-delay ({@link LockOptions#withLockDelay}) is over.
     */
    public boolean resting() {
        return owner.equals(OwnerIds.REST) || isRecord() || isPause();
    }

    /**
     * Whether this is an operator's pause, see {@link Admin#pause}: with the words of the operator, the reason as the metadata
     * {@code reason}, and the token 0. It counts as {@link #resting()}.
     */
    public boolean isPause() {
        return owner.equals(OwnerIds.PAUSE);
    }

    /**
     * Whether this is the record of work that was done once, see {@link Once}: with the token and the words of its last holder, its
     * result as the metadata {@code result}, and the time at which it was recorded as {@link #since()}. It counts as {@link #resting()}.
     */
    public boolean isRecord() {
        return owner.equals(OwnerIds.RECORD);
    }

    /**
     * Whether this is a record that the work was given up, see {@link Once#withTries}: with the words of the last that tried, why as the
     * metadata {@code given-up}, and how many have tried as {@code try}.
     */
    public boolean isGivenUp() {
        return isRecord() && !metadata.containsKey(RESULT);
    }

    /** After how many tries, and why, in words; of a record that work was {@linkplain #isGivenUp() given up}. */
    public String givenUp() {
        String tries = metadata.getOrDefault(TRY, "0");
        return "given up after " + tries + (tries.equals("1") ? " try: " : " tries: ")
                + LogText.text(metadata.getOrDefault(GIVEN_UP, ""));
    }

    /** Its note, see {@link Lease#note}; empty for none. */
    public Optional<String> note() {
        return Optional.ofNullable(metadata.get(NOTE));
    }

    /** Its group, see {@link LockOptions#withGroup(String, int)}; empty for none. */
    public Optional<String> group() {
        return Optional.ofNullable(metadata.get(GROUP));
    }

    /** The id of the client that asked, as {@link Admin} and listings name it. */
    public String client() {
        return OwnerIds.clientOf(owner);
    }

    /** For people: {@code billing@host-3, pid 4711, thread main}. */
    public String describe() {
        if (application.isEmpty() && host.isEmpty()) {
            return "'" + LogText.text(owner) + "'";
        }
        String who = LogText.text(application + "@" + host + ", pid " + pid + (actor.isEmpty() ? "" : ", " + actor));
        if (isPause()) {
            String reason = metadata.getOrDefault(REASON, "");
            return "nobody (paused by " + who + (reason.isEmpty() ? "" : ": " + LogText.text(reason)) + ")";
        }
        if (isGivenUp()) {
            return "nobody (" + givenUp() + "; last tried by " + who + ")";
        }
        return isRecord() ? "nobody (done by " + who + ")" : resting() ? "nobody (resting after " + who + ")" : who;
    }
}
