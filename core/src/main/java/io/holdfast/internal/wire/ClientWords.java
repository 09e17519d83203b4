package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.Waiter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** What one client says in the same words to the scripts of each kind of lock, and hears in the same words. */
final class ClientWords {
    /** The client, for how long its waiters wait in the queue without a sign of it, and what its channels begin with. */
    private final String waiting;

    /** What each of its labels begins with. */
    private final String label;

    /** In milliseconds, as a text. */
    private final String tokenLife;

    /**
     * Words of a client.
     *
     * @param channelPrefix by which scripts find the channels
     * @param label the part that all its requests share
     */
    ClientWords(OwnerIds ids, String channelPrefix, HoldfastOptions options, String label) {
        this.waiting = ids.client() + " " + options.waiterDeadline().toMillis() + " " + channelPrefix;
        this.label = label + "/";
        this.tokenLife = Long.toString(options.tokenLife().toMillis());
    }

    /** The first arguments of every script that touches a queue; see common.lua. */
    Arguments first() {
        return new Arguments().add(waiting).add(tokenLife);
    }

    /** What a hold is to end with. */
    String held(String term, String actor) {
        return term.concat(" ").concat(label(actor));
    }

    /** Who acts, in words. */
    String label(String actor) {
        return label.concat(actor);
    }

    /** What only the queue needs of a request, as words; see acquire.lua. */
    static String queueing(LockOptions lock, boolean queue) {
        Duration life = lock.requestLife();
        return (queue ? "1 " : "0 ")
                + lock.queueLimit()
                + " "
                + lock.priority()
                + " "
                + placeOf(lock)
                + " "
                + (life == null ? 0 : life.toMillis())
                + (lock.requestEnd() == LockOptions.RequestEnd.TO_TAIL ? " T " : " L ")
                + claimWindow(lock).toMillis();
    }

    /** How long a waiter may take to confirm: never longer than the term. */
    static Duration claimWindow(LockOptions lock) {
        return lock.handoffTimeout().compareTo(lock.leaseDuration()) < 0 ? lock.handoffTimeout() : lock.leaseDuration();
    }

    private static String placeOf(LockOptions lock) {
        return switch (lock.order()) {
            case FIFO -> "F";
            case LIFO -> "N";
            case RANDOM -> "R";
            case SHARES -> "S" + lock.groupWeight() + ":" + URLEncoder.encode(lock.group(), StandardCharsets.UTF_8);
        };
    }

    static LockOptions.Order orderOf(String letter) {
        return switch (letter) {
            case "N" -> LockOptions.Order.LIFO;
            case "R" -> LockOptions.Order.RANDOM;
            case "S" -> LockOptions.Order.SHARES;
            default -> LockOptions.Order.FIFO;
        };
    }

    /**
     * How a release ends what it ends.
     *
     * @param token which of the two that are known the script asks for
     */
    static String release(LockScripts.Release asked, long token) {
        return asked.tombstone().toMillis() + " " + asked.minHold().toMillis() + " "
                + asked.rest().plusNanos(999_999).toMillis() + " " + token;
    }

    /** Decodes what waiters.lua tells of one waiter. */
    static Waiter waiterOf(ScriptReply reply, int at, Asked what) {
        Holder read = ClientLabel.holder(reply.text(at), 0, reply.number(at + 1), reply.text(at + 2));
        return new Waiter(
                read.owner(),
                read.application(),
                read.host(),
                read.pid(),
                read.actor(),
                read.metadata(),
                read.since(),
                what.mode(),
                what.weight(),
                what.limit(),
                reply.count(at + 3),
                orderOf(reply.text(at + 4)),
                Waiter.State.valueOf(reply.text(at + 5).toUpperCase(Locale.ROOT)));
    }
}
