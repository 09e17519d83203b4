package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Kind;
import io.holdfast.LockInfo.Way;
import io.holdfast.LockMode;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

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

    static String mode(LockMode mode) {
        return switch (mode) {
            case EXCLUSIVE -> "exclusive";
            case SHARED -> "read";
            case PERMITS -> "permits";
        };
    }

    /** The same where one that holds it alone, or wants to, writes. */
    static String mode(Kind kind, LockMode mode) {
        return kind == Kind.READ_WRITE && mode == LockMode.EXCLUSIVE ? "write" : mode(mode);
    }

    static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }

    /** Who has it, and what would free it, in a sentence or two. */
    static String why(LockInfo lock, List<Way> ways) {
        String held = held(lock);
        if (ways.isEmpty()) {
            return held;
        }
        boolean serves = lock.shares().size() > 1
                && lock.next().map(next -> next.mode() == LockMode.PERMITS).orElse(false);
        String freed = ways.stream().map(Words::way).collect(Collectors.joining("; "));
        return held + (serves ? " What serves the next in line: " : " What frees it: ") + freed + ".";
    }

    private static String held(LockInfo lock) {
        Holder holder = lock.holder().orElse(null);
        if (holder == null) {
            return lock.isQueued()
                    ? "Nobody holds it, and " + count(lock.waiters(), "request") + " waits for it."
                    : "Nobody holds it.";
        }
        if (holder.isPause()) {
            return "Paused by " + who(holder) + ".";
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

    /** One way, without its time. */
    static String way(Way way) {
        return way.words() + (way.condition().isEmpty() ? "" : ", " + way.condition());
    }

    static String count(int number, String one) {
        return number + " " + one + (number == 1 ? "" : "s");
    }

    /** {@code 350 ms}, {@code 12 s}, {@code 3 min}: about so long. */
    static String about(Duration length) {
        long millis = length.toMillis();
        if (millis < 10_000) {
            return millis + " ms";
        }
        return millis < 600_000 ? millis / 1_000 + " s" : millis / 60_000 + " min";
    }
}
