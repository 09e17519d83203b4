package io.holdfast.faults.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One lock as it is on the server. */
final class View {
    final int number;
    final String key;

    @Nullable
    String text;

    String owner = "";

    /** The owner that the last release has named. */
    String releasedBy = "";

    long token;
    long lastToken; // of all holds and leases
    /** When somebody was last seen to hold it; before everything if nobody ever did. */
    long heldAt = -1;

    long freeSince;
    /** Its client keeps it when it is released. */
    boolean kept;

    long grantedAt;
    /** Since when its client should know that somebody wants it who does not wait. */
    long wantedSince = Asked.NEVER;

    /** Since when the holder is nobody's. */
    long unownedSince = Asked.NEVER;

    /** When it was handed to a waiter that has not taken it up; never if it was taken, or the lock was free. */
    long claimedAt = Asked.NEVER;

    @Nullable
    Machine lastClaimant;

    /** It is taken by nobody until a shortest hold is over. */
    boolean rests;

    /** It was handed to a waiter, for a term that can begin and end between two refreshes of the others. */
    boolean brief;

    /** Whose request made the server hand it off. */
    @Nullable
    Machine handedBy;

    long lastHandoffAt;

    private long prolonged; // the token of the hold that an operator has made last longer

    /** Since when it lasts longer than a term though no lease was extended. */
    long tooLongSince = Asked.NEVER;

    long lastClaim;

    /** As it was seen last, between two commands of a step too. */
    List<String> queue = List.of();

    /** The hold as it was seen last, between two commands of a step too. */
    @Nullable
    String seen;

    /** The token of the last grant that was looked at for its order. */
    long judged;

    View(int number) {
        this.number = number;
        this.key = "hf:{" + Plan.lock(number) + "}";
    }

    static long token(String hold) {
        return Long.parseLong(hold.split(" ", 3)[1]);
    }

    /** An operator has made the hold that was seen last last longer. */
    void prolonged() {
        prolonged = seen == null ? 0 : token(seen);
    }

    /** Whether an operator has made the present hold last longer. */
    boolean isProlonged() {
        return text != null && token == prolonged;
    }
}
