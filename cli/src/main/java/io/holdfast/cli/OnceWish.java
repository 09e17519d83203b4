package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.Once;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * That a command is run once for a name, or once in each slot of time.
 *
 * @param period of slots; null for none, or for days
 * @param daily whether each day of this machine's time zone is a slot
 * @param keep how long it is known that it was run; null for the library's default
 * @param tries after so many runs that fail it is given up; 0 for no limit
 */
record OnceWish(
        @Nullable Duration period, boolean daily, @Nullable Duration keep, int tries) {
    static final String ONCE = "--once";
    static final String PER = "--once-per";
    static final String KEEP = "--keep";
    static final String TRIES = "--tries";
    private static final String DAY = "day";
    private static final Duration SHORTEST_KEEP = Duration.ofMillis(1);
    private static final Duration SHORTEST_SLOT = Duration.ofSeconds(1);

    /** What is recorded: a command that fails leaves no record. */
    static final String RESULT = "status 0";

    /** Reads the options; null if neither is given. */
    static @Nullable OnceWish of(ParseResult given) {
        String per = given.matchedOptionValue(PER, null);
        String keep = given.matchedOptionValue(KEEP, null);
        if (per != null && given.hasMatchedOption(ONCE)) {
            throw new UsageException(ONCE + " and " + PER + " contradict each other");
        }
        if (per == null && !given.hasMatchedOption(ONCE)) {
            for (String further : new String[] {KEEP, TRIES}) {
                if (given.hasMatchedOption(further)) {
                    throw new UsageException(further + " needs " + ONCE + " or " + PER);
                }
            }
            return null;
        }
        for (String other : new String[] {LockRequest.ALSO, "--min-hold"}) {
            if (given.hasMatchedOption(other)) {
                throw new UsageException((per == null ? ONCE : PER) + " and " + other + " contradict each other");
            }
        }
        boolean daily = DAY.equals(per);
        return new OnceWish(
                per == null || daily ? null : Span.parse(PER, per, SHORTEST_SLOT, Span.YEAR, ", or 'day'"),
                daily,
                keep == null ? null : Span.parse(KEEP, keep, SHORTEST_KEEP, Span.YEAR, ""),
                LockRequest.number(given, TRIES, 1, Once.MAX_TRIES, 0));
    }

    /** What is asked for now: a slot does not change while it is waited for. */
    Once of(Holdfast client, String name, LockOptions options) {
        Once once = client.once(name, options);
        if (period != null) {
            once = once.per(period);
        } else if (daily) {
            once = once.perDay(ZoneId.systemDefault());
        }
        once = keep == null ? once : once.withKeep(keep);
        return (tries == 0 ? once : once.withTries(tries)).inPresentSlot();
    }
}
