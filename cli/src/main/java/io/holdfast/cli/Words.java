package io.holdfast.cli;

import io.holdfast.Contention;
import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.LockMode;
import io.holdfast.LossReason;
import io.holdfast.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Holders and times in words. */
final class Words {
    private static final Duration DAY = Duration.ofDays(1);
    private static final int NAMES_SHOWN = 3;

    private Words() {}

    /** {@code backup.sh@web-1}. */
    static String who(String application, String host) {
        return host.isEmpty() ? application : application + "@" + host;
    }

    /** {@code held by backup.sh@web-1, pid 4711, since 02:40:11 (5m 2s ago)}. */
    static String held(Holder holder, Duration remaining) {
        String who = who(holder.application(), holder.host()) + ", pid " + holder.pid();
        if (holder.isGivenUp()) {
            return holder.givenUp() + " (" + who + "), " + ago(holder.since()) + ", recorded for another "
                    + Span.inWords(remaining) + "; 'holdfast release NAME --kind once' lets it be tried again";
        }
        if (holder.isRecord()) {
            return "done by " + who + ", " + ago(holder.since()) + ", recorded for another " + Span.inWords(remaining);
        }
        if (holder.isPause()) {
            return paused(new LockInfo.Pause(holder, remaining));
        }
        if (holder.resting()) {
            return "free in " + Span.inWords(remaining)
                    + ", when its minimum hold time or lock-delay is over; last held by " + who;
        }
        return "held by " + who + ", since " + time(holder.since()) + " (" + Span.inWords(age(holder.since()))
                + " ago)";
    }

    /** The same for a lock of any kind, of which not even that is known that somebody holds it. */
    static String held(LockInfo lock) {
        Holder holder = lock.holder().orElse(null);
        if (holder == null) {
            return "held by nobody";
        }
        if (lock.shares().size() == 1 || !Kinds.isShared(lock.kind())) {
            String one = held(holder, lock.remaining());
            String how = Kinds.isShared(lock.kind())
                    ? how(lock) + slots(lock.shares().get(0))
                    : "";
            return how.isEmpty() || holder.resting() ? one : one + ", " + how;
        }
        String names = lock.shares().stream()
                .limit(NAMES_SHOWN)
                .map(share -> holder(share.holder()))
                .collect(Collectors.joining(", "));
        int more = lock.shares().size() - NAMES_SHOWN;
        return "held by " + holders(lock) + ", " + how(lock) + ": " + names + (more > 0 ? " and others" : "");
    }

    /** {@code to read}, {@code to write}, {@code 3 permits}: how a lock is held that several may hold; empty for others. */
    static String how(LockInfo lock) {
        if (lock.shares().isEmpty()) {
            return "";
        }
        int limit = limit(lock);
        return lock.kind() == LockInfo.Kind.SEMAPHORE
                ? limit == 0 ? count(lock.used(), "permit") : lock.used() + " of " + count(limit, "permit")
                : how(lock.kind(), lock.shares().get(0).mode(), 0, 0);
    }

    /** The same of one that holds it, or wants it. */
    static String how(LockInfo.Kind kind, LockMode mode, int permits, int limit) {
        return switch (kind) {
            case LOCK, ELECTION, ONCE -> "";
            case READ_WRITE -> mode == LockMode.SHARED ? "to read" : "to write";
            case SEMAPHORE -> limit == 0 ? count(permits, "permit") : permits + " of " + count(limit, "permit");
        };
    }

    /** How one of several holds it: {@code 1 permit, slot 3}. */
    static String how(LockInfo.Kind kind, LockInfo.Share share) {
        return how(kind, share.mode(), share.permits(), 0) + slots(share);
    }

    private static String slots(LockInfo.Share share) {
        return share.slots().isEmpty()
                ? ""
                : ", slot" + (share.slots().size() > 1 ? "s " : " ")
                        + share.slots().stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** How many hold a lock; of a semaphore of which not all are listed, at least so many. */
    static String holders(LockInfo lock) {
        int listed = lock.shares().size();
        if (lock.kind() != LockInfo.Kind.SEMAPHORE) {
            return Integer.toString(Math.max(listed, lock.used()));
        }
        int permits = lock.shares().stream().mapToInt(LockInfo.Share::permits).sum();
        return permits < lock.used() ? "more than " + listed : Integer.toString(listed);
    }

    /**
     * How many permits of a semaphore there are, by what those say that are listed as waiting; 0 if nobody does. The server does
     * not know it otherwise: each request says it.
     */
    static int limit(LockInfo lock) {
        return lock.queue().stream()
                .mapToInt(Waiter::limit)
                .filter(limit -> limit > 0)
                .min()
                .orElse(0);
    }

    /**
     * What an operator has set, beside the hold of which others tell: {@code paused by …}, or {@code limited to 0 of 5 permits by an operator (holdfast@web-1, pid 17), until 06:43:12 (for 9m)}; null if
     * there is nothing to add.
     */
    static @Nullable String byOperator(LockInfo lock) {
        LockInfo.Limit limit = lock.limit().orElse(null);
        if (limit == null) {
            return lock.pause()
                    .filter(pause -> lock.holder().filter(Holder::isPause).isEmpty())
                    .map(Words::paused)
                    .orElse(null);
        }
        int said = limit(lock);
        return "limited to "
                + (said == 0 ? count(limit.permits(), "permit") : limit.permits() + " of " + count(said, "permit"))
                + " by an operator (" + who(limit.application(), limit.host()) + ", pid " + limit.pid() + ")"
                + lock.pause().map(Words::because).orElse("")
                + until(limit.remaining());
    }

    /** {@code paused by ops@web-1, pid 17: incident 4711, until 06:43:12 (for 9m)}. */
    private static String paused(LockInfo.Pause pause) {
        return "paused by " + who(pause.application(), pause.host()) + ", pid " + pause.pid() + because(pause)
                + until(pause.remaining());
    }

    private static String because(LockInfo.Pause pause) {
        return pause.reason().isEmpty() ? "" : ": " + pause.reason();
    }

    private static String until(Duration remaining) {
        return ", until " + time(in(remaining)) + " (for " + Span.inWords(remaining) + ")";
    }

    /** A line that begins with a capital letter and ends with a full stop. */
    static String sentence(String words) {
        return Character.toUpperCase(words.charAt(0)) + Say.printable(words.substring(1)) + ".\n";
    }

    /** {@code deploy.sh@web-1}, the one that holds it longest from now, and how many more. */
    static String heldBy(LockInfo lock) {
        Holder holder = lock.holder().orElse(null);
        if (holder == null) {
            return "nobody";
        }
        int more = lock.shares().size() - 1;
        return holder(holder) + (more > 0 ? " and " + more + " more" : "");
    }

    /** {@code deploy.sh@web-1}, or who had it before it rested. */
    static String holder(Holder holder) {
        String who = who(holder.application(), holder.host());
        if (holder.isPause()) {
            return "nobody, paused by " + who;
        }
        if (holder.isGivenUp()) {
            return "nobody, " + holder.givenUp();
        }
        return holder.isRecord() ? "nobody, done by " + who : holder.resting() ? "nobody, rests after " + who : who;
    }

    /** A line about waiters that are there but not listed; empty if there are none. */
    static String more(LockInfo lock) {
        int more = lock.waiters() - lock.queue().size();
        return more > 0 ? "and " + more + " more\n" : "";
    }

    /** A line about calls that stand in no queue; empty if there are none. */
    static String calls(LockInfo lock) {
        return lock.callers() > lock.waiters()
                ? count(lock.callers(), "call") + (lock.callers() == 1 ? " waits" : " wait")
                        + " in all: calls of one process share a request, or wait inside of the process that has the lock.\n"
                : "";
    }

    /** {@code deploy.sh@web-1, pid 4711}. */
    static String who(Waiter waiter) {
        return who(waiter.application(), waiter.host()) + ", pid " + waiter.pid();
    }

    /** {@code 02:40:11 (5m 2s ago)}. */
    static String ago(Instant since) {
        return time(since) + " (" + Span.inWords(age(since)) + " ago)";
    }

    /** What the server thinks of a waiter's client. */
    static String state(Waiter.State state) {
        return switch (state) {
            case HERE -> "here";
            case AWAY -> "away, keeps its position";
            case SUSPECT -> "did not take up the lock, keeps its position";
            case GONE -> "gone, is removed when its turn comes";
        };
    }

    /** {@code 1 waiter}, {@code 2 waiters}. */
    static String count(int number, String one) {
        return number + " " + one + (number == 1 ? "" : "s");
    }

    /** What is known of a lock that was not obtained. */
    static String contention(Contention contention) {
        Holder holder = contention.holder().orElse(null);
        String by = holder == null ? "the holder is not known" : held(holder, contention.remaining());
        String who = contention.sharing().map(use -> shared(use, by)).orElse(by);
        if (contention.position() > 0) {
            return who + "; position " + contention.position() + " of " + contention.waiters() + " in the queue";
        }
        return contention.waiters() > 0 ? who + "; " + contention.waiters() + " waiting" : who;
    }

    private static String shared(Contention.Sharing use, String by) {
        return switch (use.mode()) {
            case EXCLUSIVE -> by + " to write";
            case SHARED -> use.used() > 1 ? "read by " + use.used() + "; the last is " + by : by + " to read";
            case PERMITS ->
                use.used() + " of " + count(use.limit(), "permit") + " in use, " + use.wanted() + " wanted"
                        + (use.used() > 0 ? "; the last is " + by : "");
        };
    }

    /** A release that the server has not answered, of a lock with this lease duration. */
    static String unconfirmed(String lock, Duration term) {
        return "the server did not confirm that '" + lock + "' is free again; it will be within " + Span.inWords(term);
    }

    /** Why a lease was lost. */
    static String loss(LossReason reason) {
        return switch (reason) {
            case EXPIRED ->
                "it could not be renewed in time, because the server did not answer or this machine stood still";
            case NOT_ON_SERVER -> "the server has forgotten it or has given it to another";
            case REVOKED -> "an operator released it, or a client took it over from a holder that seemed stuck";
            case LEASE_LIMIT_REACHED -> "it was no longer renewed";
            case ABANDONED -> "it was dropped without a release";
            case CLIENT_CLOSED -> "the connection was closed";
        };
    }

    /** How long ago that was; never negative, although the server's clock may be ahead of ours. */
    static Duration age(Instant since) {
        Duration age = Duration.between(since, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    /** When that will be, as exactly as the length is known. */
    static Instant in(Duration length) {
        return Instant.now().plus(length).truncatedTo(ChronoUnit.MILLIS);
    }

    /** The time of day here, with the date if it is not of the last day. */
    static String time(Instant instant) {
        // By hand: a DateTimeFormatter loads three hundred classes.
        LocalDateTime here = LocalDateTime.ofInstant(instant, ZoneId.systemDefault());
        StringBuilder text = new StringBuilder();
        if (age(instant).compareTo(DAY) >= 0) {
            text.append(here.getYear()).append('-');
            pad(text, here.getMonthValue()).append('-');
            pad(text, here.getDayOfMonth()).append(' ');
        }
        pad(text, here.getHour()).append(':');
        pad(text, here.getMinute()).append(':');
        return pad(text, here.getSecond()).toString();
    }

    private static StringBuilder pad(StringBuilder text, int number) {
        return text.append(number < 10 ? "0" : "").append(number);
    }
}
