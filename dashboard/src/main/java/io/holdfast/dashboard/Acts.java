package io.holdfast.dashboard;

import io.holdfast.Admin;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Revocation;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.Optional;

/**
 * What may be done by the page, each time to what it has shown and to nothing else: a hold by its owner and its token, a request by its owner. A
 * name alone would mean whoever has come since. A pause is of the lock, whoever has it, and so is by name.
 */
final class Acts {
    /** As many of the holders and waiters as are looked through. */
    private static final int MOST = 1_000;

    private static final Duration LONGEST = Duration.ofDays(365);

    private final Holdfast holdfast;

    Acts(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    /** @throws IllegalArgumentException saying what is missing */
    Documents.Done carryOut(Documents.Act act) {
        LockId id = LockId.of(act.kind(), act.name());
        String what = act.act();
        if (id == null || what == null) {
            throw new IllegalArgumentException("this operation needs the fields act, kind and name");
        }
        return switch (what) {
            case "pause" -> pause(id, millis(act), reason(act));
            case "resume" -> resume(id);
            default -> ofOne(id, what, act);
        };
    }

    /** What is done to one holder or waiter. */
    private Documents.Done ofOne(LockId id, String what, Documents.Act act) {
        String owner = act.owner();
        if (owner == null) {
            throw new IllegalArgumentException("this operation needs a field owner: the owner that the page showed");
        }
        LockInfo lock = look(id);
        return switch (what) {
            case "drop" -> drop(id, lock, owner);
            case "release" -> release(id, lock, owner, token(act));
            case "extend" -> extend(id, lock, owner, token(act), millis(act));
            default ->
                throw new IllegalArgumentException(
                        "the act is '" + what + "', must be release, drop, extend, pause or resume");
        };
    }

    private LockInfo look(LockId id) {
        try {
            return id.inspector(holdfast).lock(id.name(), MOST);
        } catch (ServerUnreachableException e) {
            throw new NothingDoneException(e);
        }
    }

    /** The server could not be asked how things are, so the act was not begun. */
    static final class NothingDoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NothingDoneException(ServerUnreachableException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private static long millis(Documents.Act act) {
        if (act.millis() < 1 || act.millis() > LONGEST.toMillis()) {
            throw new IllegalArgumentException(
                    "millis is " + act.millis() + ", must be from 1 to " + LONGEST.toMillis());
        }
        return act.millis();
    }

    private static String reason(Documents.Act act) {
        String reason = act.reason() == null ? "" : act.reason();
        if (reason.length() > Admin.LONGEST_REASON) {
            throw new IllegalArgumentException(
                    "reason has " + reason.length() + " characters, must have at most " + Admin.LONGEST_REASON);
        }
        return reason;
    }

    private static String token(Documents.Act act) {
        String token = act.token();
        if (token == null || token.isEmpty()) {
            throw new IllegalArgumentException(
                    "this operation needs a field token: the token of the hold that the page showed");
        }
        return token;
    }

    private static Optional<Holder> holder(LockInfo lock, String owner, String token) {
        return lock.shares().stream()
                .map(LockInfo.Share::holder)
                .filter(holder -> holder.owner().equals(owner)
                        && Long.toString(holder.token()).equals(token))
                .findFirst();
    }

    private Documents.Done release(LockId id, LockInfo lock, String owner, String token) {
        Holder holder = holder(lock, owner, token).orElse(null);
        if (holder == null) {
            return nothing(lock, "That hold of " + id.inWords() + " has ended already");
        }
        Revocation done = id.admin(holdfast).release(id.name(), holder);
        String words = switch (done.outcome()) {
            case RELEASED ->
                ended(id, holder)
                        + done.next()
                                .map(next -> (id.isWork() ? "; now done by " : "; now held by ") + Words.who(next))
                                .orElse("")
                        + ".";
            case NOTHING_TO_RELEASE, LEFT_ALONE -> "That hold of " + id.inWords() + " has ended already.";
        };
        return new Documents.Done(done.outcome() == Revocation.Outcome.RELEASED, words);
    }

    private static String ended(LockId id, Holder holder) {
        if (holder.isRecord()) {
            return (holder.isGivenUp() ? "Allowed new tries of " : "Removed the result of ") + id.inWords();
        }
        if (holder.isPause()) {
            return "Ended the pause of " + id.inWords();
        }
        return holder.resting()
                ? "Ended the rest of " + id.inWords()
                : "Released " + id.inWords() + " of " + Words.who(holder);
    }

    private Documents.Done pause(LockId id, long millis, String reason) {
        Duration time = Duration.ofMillis(millis);
        boolean free = id.admin(holdfast).pause(id.name(), time, reason);
        String words = "Paused " + id.inWords() + " for " + Words.about(time) + Words.reason(reason) + ".";
        return new Documents.Done(true, free ? words : words + goesOn(id));
    }

    /** What a pause lets be. */
    private String goesOn(LockId id) {
        LockInfo lock;
        try {
            lock = id.inspector(holdfast).lock(id.name(), 0);
        } catch (ServerRefusedException | ServerUnreachableException e) {
            return ""; // it pauses all the same
        }
        Holder holder = lock.holder().filter(has -> !has.isPause()).orElse(null);
        if (holder == null) {
            return "";
        }
        if (holder.isRecord()) {
            return holder.isGivenUp()
                    ? " It was given up: it is not tried again."
                    : " It was done: each caller gets the result.";
        }
        if (holder.resting()) {
            return " It rests at present.";
        }
        return lock.kind() == LockInfo.Kind.ONCE
                ? " It is being done, and goes on."
                : " It is held, and stays so until it is released.";
    }

    private Documents.Done resume(LockId id) {
        return id.admin(holdfast).resume(id.name())
                ? new Documents.Done(true, "Ended the pause of " + id.inWords() + ".")
                : new Documents.Done(false, "There is no pause of " + id.inWords() + " any more. Nothing was done.");
    }

    private Documents.Done extend(LockId id, LockInfo lock, String owner, String token, long millis) {
        Holder holder = holder(lock, owner, token).orElse(null);
        Optional<Duration> remaining = holder == null
                ? Optional.empty()
                : id.admin(holdfast).extend(id.name(), holder, Duration.ofMillis(millis));
        return remaining.isEmpty() || holder == null
                ? nothing(lock, "That hold of " + id.inWords() + " has ended already")
                : new Documents.Done(
                        true,
                        "The hold of " + Words.who(holder) + " on " + id.inWords() + " now lasts at least "
                                + Words.about(remaining.get()) + ".");
    }

    private Documents.Done drop(LockId id, LockInfo lock, String owner) {
        Waiter waiter = lock.queue().stream()
                .filter(each -> each.owner().equals(owner))
                .findFirst()
                .orElse(null);
        return waiter != null && id.admin(holdfast).drop(id.name(), waiter).dropped() > 0
                ? new Documents.Done(true, "Dropped the request of " + Words.who(waiter) + " for " + id.inWords() + ".")
                : nothing(lock, "That request for " + id.inWords() + " waits no longer");
    }

    private static Documents.Done nothing(LockInfo lock, String why) {
        String now = lock.holder()
                .filter(holder -> !holder.resting())
                .map(holder -> (lock.kind() == LockInfo.Kind.ONCE ? "; it is being done by " : "; it is held by ")
                        + Words.who(holder) + " with token " + holder.token())
                .orElse("");
        return new Documents.Done(false, why + now + ". Nothing was done.");
    }
}
