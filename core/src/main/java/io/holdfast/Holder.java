package io.holdfast;

import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.OwnerIds;
import java.io.Serializable;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The holder of a lock, as the server reports it. For a plain lock, only the owner is known, which is the key's value. The other
 * texts are then empty, the token is 0, and {@code since} is the epoch.
 *
 * @param owner the public part of the owner id; in its place {@code -} if the lock rests, {@code !} for a pause, {@code =} for a
 *     record (see {@link #resting()})
 * @param token the fencing token
 * @param application the application's name
 * @param host the host's name
 * @param pid the process id
 * @param actor the id that the caller gave, or the name of the thread that made the request; empty if it was not reported
 * @param metadata the metadata that the caller stored with the hold
 * @param since the time of the grant, by the server's clock
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
    /** The metadata key of a pause for its reason. */
    static final String REASON = "reason";

    /** The metadata key of a holder for its note. */
    public static final String NOTE = "note";

    /** The metadata key of a record for the result of the work. */
    static final String RESULT = "result";

    /** The metadata key of a holder for the number of its try, if tries are limited; see {@link Once#withTries}. */
    public static final String TRY = "try";

    /** The metadata key of a record for the reason why the work was given up. */
    static final String GIVEN_UP = "given-up";

    /** The metadata key of a holder or a waiter for its group. */
    public static final String GROUP = "group";

    /** Copies the map. */
    public Holder {
        metadata = Map.copyOf(metadata);
    }

    /**
     * Returns whether the lock is resting: no longer held, but still taken. A released lock rests until its minimum hold time
     * ({@link LockOptions#withMinHold}) and the time that its release asked for are over. A lock whose client has lost the lease
     * rests until its lock-delay ({@link LockOptions#withLockDelay}) is over. A {@linkplain #isPause() pause} and a
     * {@linkplain #isRecord() record} count as resting, too.
     */
    public boolean resting() {
        return owner.equals(OwnerIds.REST) || isRecord() || isPause();
    }

    /**
     * Returns whether this is an operator's pause, see {@link Admin#pause}. Application, host and process id are then those of
     * the operator, the reason is the metadata {@code reason}, and the token is 0. A pause counts as {@link #resting()}.
     */
    public boolean isPause() {
        return owner.equals(OwnerIds.PAUSE);
    }

    /**
     * Returns whether this is the record of work that is done once, see {@link Once}. Token, application, host, process id and
     * actor are then those of its last holder. The result is the metadata {@code result}, and {@link #since()} is the time at
     * which it was recorded. A record counts as {@link #resting()}.
     */
    public boolean isRecord() {
        return owner.equals(OwnerIds.RECORD);
    }

    /**
     * Returns whether this is a record that the work was given up, see {@link Once#withTries}. The reason is then the metadata
     * {@code given-up}, and the number of tries is the metadata {@code try}. The other values are those of the holder that
     * tried last; if that holder died, those of the next one, which wrote the record.
     */
    public boolean isGivenUp() {
        return isRecord() && !metadata.containsKey(RESULT);
    }

    /**
     * Returns, in words, after how many tries and why the work was {@linkplain #isGivenUp() given up}. Call it only for such a
     * record.
     */
    public String givenUp() {
        String tries = metadata.getOrDefault(TRY, "0");
        return "given up after " + tries + (tries.equals("1") ? " try: " : " tries: ")
                + LogText.text(metadata.getOrDefault(GIVEN_UP, ""));
    }

    /** Returns the holder's note, see {@link Lease#note}; empty if there is none. */
    public Optional<String> note() {
        return Optional.ofNullable(metadata.get(NOTE));
    }

    /** Returns the holder's group, see {@link LockOptions#withGroup(String, int)}; empty if it has none. */
    public Optional<String> group() {
        return Optional.ofNullable(metadata.get(GROUP));
    }

    /** Returns the id of the holder's client, as {@link Admin} and listings use it. */
    public String client() {
        return OwnerIds.clientOf(owner);
    }

    /** Returns a description for people, such as {@code billing@host-3, pid 4711, main}. */
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
