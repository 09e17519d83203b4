package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LockInfo;
import io.holdfast.Wait;
import java.util.List;

/**
 * Whether a lock is wanted below a command that runs under it already: that request waits for its own command to end.
 *
 * <p>Known by the tokens of all locks that a command runs under, which it has in its environment. A token that the lock's
 * present hold does not have is an old one's, or another server's.
 */
final class Nesting {
    /** Tokens with spaces between them, the outermost first. */
    static final String TOKENS = "HOLDFAST_TOKENS";

    private Nesting() {}

    /** The variable for a command that is to run under these tokens, too. */
    static String tokens(String more) {
        String outer = System.getenv(TOKENS);
        return outer == null || outer.isEmpty() ? more : outer + " " + more;
    }

    /**
     * Says so if that is the case.
     *
     * @return whether the wait could have no end, so that it is not begun
     */
    static boolean waitsForItself(Holdfast client, LockRequest request) {
        String tokens = System.getenv(TOKENS);
        if (tokens == null || tokens.isEmpty()) {
            return false;
        }
        List<String> outer = List.of(tokens.split(" ", -1));
        boolean endless = false;
        for (String lock : request.names()) {
            endless |= waitsForItself(client, request, lock, outer);
        }
        return endless;
    }

    private static boolean waitsForItself(Holdfast client, LockRequest request, String lock, List<String> outer) {
        List<LockInfo.Share> held;
        try {
            held = request.wanted().in(client).lock(lock).shares().stream()
                    .filter(each -> !each.holder().resting()
                            && outer.contains(Long.toString(each.holder().token())))
                    .toList();
        } catch (HoldfastException e) {
            return false; // whoever asks for the lock now will say why
        }
        if (!request.wanted().isKeptOutBy(held)) {
            return false;
        }
        Holder holder = held.get(0).holder();
        boolean endless = request.patience().equals(Wait.forever());
        String who = "'" + lock + "' is held by an outer holdfast process ("
                + Words.who(holder.application(), holder.host()) + ", pid " + holder.pid() + ")";
        if (endless) {
            Say.line(
                    who + ", which waits for this one: neither would ever end. Take the lock once, around the whole, or"
                            + " give the two parts locks of different names");
        } else if (!request.quiet()) {
            Say.line(who + ", which waits for this one: the lock will not become free meanwhile");
        }
        return endless;
    }
}
