package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.internal.wire.LockScripts.Given;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message of a script to a client: a letter, words, and last the key of the hold, which may contain blanks. docs/protocol.md
 * lists them. Those of reports have formats of their own.
 */
public sealed interface Notice {
    /**
     * Requests of the client hold the lock now: {@code G} for one, {@code L} for those of one script.
     *
     * @param hold the key of the hold, as in each notice
     */
    record Granted(List<Grant> grants, String hold) implements Notice {}

    /**
     * One of them.
     *
     * @param claimMillis for how long it holds without a confirmation
     * @param kept whether the client is told when others want the lock
     */
    record Grant(String ownerPublic, Given given, long claimMillis, boolean kept) {}

    /** The server looks whether the client hears: it is to refresh its waiters ({@code P}). */
    record Probe(String probe, String hold) implements Notice {}

    /** An operator has dropped a waiter ({@code E}). */
    record Dropped(String ownerPublic, String hold) implements Notice {}

    /**
     * What requests of the client wait for was done, and they have left the queue ({@code O}).
     *
     * @param record by whom, when, with which result
     * @param millis for how long it is kept from then on
     */
    record Done(Holder record, long millis, String hold) implements Notice {}

    /** Others want a lock whose hold is shared ({@code R}). */
    record Recalled(long token, String hold) implements Notice {}

    /**
     * A hold was ended by name ({@code V}).
     *
     * @param waitersToo whether all waiters were dropped, too
     */
    record Revoked(String ownerPublic, long token, boolean waitersToo, String hold) implements Notice {}

    /**
     * What a message says; null if it is none of these.
     *
     * @throws RuntimeException if it begins as one of these, and is not whole
     */
    static @Nullable Notice of(String text) {
        String[] words = text.split(" ", 7);
        return switch (words[0]) {
            case "G" ->
                new Granted(
                        List.of(new Grant(
                                words[1],
                                new Given(number(words[2]), number(words[3])),
                                number(words[4]),
                                words[5].equals("1"))),
                        words[6]);
            case "L" -> granted(text);
            case "P" -> new Probe(words[1], after(text, 2));
            case "E" -> new Dropped(words[1], after(text, 2));
            case "O" ->
                new Done(
                        ClientLabel.holder(OwnerIds.RECORD, number(words[1]), number(words[2]), words[4]),
                        number(words[3]),
                        after(text, 5));
            case "R" -> new Recalled(number(words[1]), after(text, 2));
            case "V" -> new Revoked(words[1], number(words[2]), words[3].equals("1"), after(text, 4));
            default -> null;
        };
    }

    private static Granted granted(String text) {
        String[] words = text.split(" ", 4);
        int count = Integer.parseInt(words[2]);
        String[] each = words[3].split(" ", 3 * count + 1);
        List<Grant> grants = new ArrayList<>(count);
        for (int i = 0; i < 3 * count; i += 3) {
            grants.add(new Grant(each[i], Given.of(each[i + 1], number(words[1])), number(each[i + 2]), false));
        }
        return new Granted(grants, each[3 * count]);
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }

    /** All that stands behind so many words. */
    private static String after(String text, int words) {
        return text.split(" ", words + 1)[words];
    }
}
