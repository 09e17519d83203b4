package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Kind;
import io.holdfast.LockInfo.Way;
import io.holdfast.LockMode;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is said of locks, holders and waiters on the page. */
final class Words {
    private Words() {}

    /** {@code billing@host-7, pid 12}. */
    static String process(String application, String host, String pid) {
        return application + "@" + host + ", pid " + pid;
    }

    static String process(Holder holder) {
        return process(holder.application(), holder.host(), holder.pid());
    }

    static String process(Waiter waiter) {
        return process(waiter.application(), waiter.host(), waiter.pid());
    }

    /** {@code billing@host-7, pid 12, worker-3}. */
    static String who(Holder holder) {
        return process(holder) + (holder.actor().isEmpty() ? "" : ", " + holder.actor());
    }

    static String who(Waiter waiter) {
        return process(waiter) + (waiter.actor().isEmpty() ? "" : ", " + waiter.actor());
    }

    static String who(LockInfo.Pause pause) {
        return process(pause.application(), pause.host(), pause.pid());
    }

    /** {@code : incident 4711}; empty if the operator gave no reason. */
    static String reason(String reason) {
        return reason.isEmpty() ? "" : ": " + reason;
    }

    static String mode(LockMode mode) {
        return switch (mode) {
            case EXCLUSIVE -> "exclusive";
            case SHARED -> "read";
            case PERMITS -> "permits";
        };
    }

    /** The mode in words; of a read/write lock, the exclusive mode is {@code write}. */
    static String mode(Kind kind, LockMode mode) {
        return kind == Kind.READ_WRITE && mode == LockMode.EXCLUSIVE ? "write" : mode(mode);
    }

    static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }

    /** What stands above the ways in which it becomes free. */
    static String waysTitle(LockInfo lock) {
        if (lock.kind() == Kind.ONCE) {
            return "What ends that";
        }
        boolean serves = lock.shares().size() > 1
                && lock.next().map(next -> next.mode() == LockMode.PERMITS).orElse(false);
        return serves ? "What serves the next waiter" : "What frees it";
    }

    /** Who has it, and that it pauses, if it does. */
    static String held(LockInfo lock) {
        LockInfo.Pause pause = lock.pause().orElse(null);
        if (pause == null) {
            return hasIt(lock);
        }
        boolean only = lock.holder().map(Holder::isPause).orElse(true) && !lock.isQueued();
        String paused = "Paused by " + who(pause)
                + (lock.kind() == Kind.ONCE ? ": it is not begun." : ": it is granted to no one.");
        return only ? paused : hasIt(lock) + " " + paused;
    }

    private static String wait(int requests) {
        return count(requests, "request") + (requests == 1 ? " waits for it." : " wait for it.");
    }

    private static String hasIt(LockInfo lock) {
        Holder holder = lock.holder().filter(has -> !has.isPause()).orElse(null);
        if (lock.kind() == Kind.ONCE) {
            return isAtIt(lock, holder);
        }
        if (holder == null) {
            return lock.isQueued() ? "No client holds it, and " + wait(lock.waiters()) : "No client holds it.";
        }
        if (holder.resting()) {
            return "It rests, after " + who(holder) + ".";
        }
        if (lock.shares().size() > 1) {
            return switch (lock.kind()) {
                case SEMAPHORE ->
                    count(lock.used(), "permit") + " of it are out, to "
                            + lock.shares().size() + " holders.";
                default -> lock.used() + " hold it together, to read.";
            };
        }
        return "Held by " + who(holder) + (lock.confirmed() ? "." : ", to whom it was handed just now.");
    }

    /** Whether it is the record of a result. */
    static boolean isDone(Holder holder) {
        return holder.isRecord() && !holder.isGivenUp();
    }

    /** The state of work that is done once, in words. */
    private static String isAtIt(LockInfo lock, @Nullable Holder holder) {
        if (holder == null) {
            return lock.isQueued()
                    ? "No client works on it, and " + wait(lock.waiters())
                    : "No client works on it, and no result is recorded.";
        }
        if (holder.isGivenUp()) {
            String words = holder.givenUp();
            return "G" + words.substring(1) + ". The last that tried was " + who(holder)
                    + ". The work is not tried again until this record expires or is released.";
        }
        if (holder.isRecord()) {
            return "Done by " + who(holder) + ". Each caller gets the recorded result, until the record expires.";
        }
        return holder.resting()
                ? "It rests, after " + who(holder) + "."
                : "Being done by " + who(holder) + (lock.confirmed() ? "." : ", to whom it was handed just now.");
    }

    /** One way, without its time. */
    static String way(Way way) {
        return way.words() + (way.condition().isEmpty() ? "" : ", " + way.condition());
    }

    static String count(int number, String one) {
        return number + " " + one + (number == 1 ? "" : "s");
    }

    /** {@code 350 ms}, {@code 12 s}, {@code 3 min}, {@code 4 h}, {@code 7 d}: about so long. */
    static String about(Duration length) {
        long millis = length.toMillis();
        if (millis < 10_000) {
            return millis + " ms";
        }
        if (millis < 600_000) {
            return millis / 1_000 + " s";
        }
        long hours = length.toHours();
        return hours < 2 ? length.toMinutes() + " min" : hours < 48 ? hours + " h" : length.toDays() + " d";
    }
}
