package io.holdfast.cli;

import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * How a lock is asked for, by {@code run} and by {@code acquire}.
 *
 * @param name the lock
 * @param wanted what of it
 * @param once that it is done once; null for a lock
 * @param also those that are needed together with it; none but for {@code run}
 * @param patience how long to wait for it
 * @param patienceText the same as it was typed, empty if it was not
 * @param term the lease duration of its lease
 * @param atLeast how long it stays taken after it was obtained, whatever becomes of its holder
 * @param lockDelay how much longer it stays taken if its lease is lost
 * @param order where it enters the queue
 * @param priority among whom
 * @param group whose share says where it enters; empty for none
 * @param groupWeight how much that gets, beside a group of weight 1
 * @param queueLimit how many may wait; 0 for no limit
 * @param metadata what is to stand beside the hold
 * @param busyExit the status if it was not obtained
 * @param server where it is
 * @param as what others see as the holder; null for what is run
 * @param quiet whether to keep silent about what is no error
 * @param verbose whether to say more
 */
record LockRequest(
        String name,
        Wanted wanted,
        @Nullable OnceWish once,
        List<String> also,
        Wait patience,
        String patienceText,
        Duration term,
        Duration atLeast,
        Duration lockDelay,
        LockOptions.Order order,
        int priority,
        String group,
        int groupWeight,
        int queueLimit,
        Map<String, String> metadata,
        int busyExit,
        Server server,
        @Nullable String as,
        boolean quiet,
        boolean verbose) {

    static final String AS = "--as";
    static final String LOCK_DELAY = "--lock-delay";
    private static final String GROUP = "--group";
    private static final String GROUP_WEIGHT = "--group-weight";
    static final String ALSO = "--also";
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration MIN_LEASE_DURATION = Duration.ofMillis(100);
    static final Duration USUAL_TERM = Duration.ofSeconds(30);
    private static final int HIGHEST_STATUS = 255;
    private static final int LONGEST_QUEUE = 1_000_000;
    private static final int LONGEST_NAME = 100;
    private static final int MOST_LOCKS = 100;
    private static final String FOREVER = "forever";

    /** Reads the options that these commands have. */
    static LockRequest of(ParseResult given) {
        return of(given, USUAL_TERM);
    }

    /** The same with another lease duration if none is given. */
    static LockRequest of(ParseResult given, Duration usualTerm) {
        String wait = given.matchedOptionValue("--wait", null);
        boolean tryOnly = given.hasMatchedOption("--try");
        for (String other : List.of("--order", "--priority")) {
            if (given.hasMatchedOption(GROUP) && given.hasMatchedOption(other)) {
                throw new UsageException(GROUP + " and " + other + " contradict each other");
            }
        }
        if (given.hasMatchedOption(GROUP_WEIGHT) && !given.hasMatchedOption(GROUP)) {
            throw new UsageException(GROUP_WEIGHT + " needs " + GROUP);
        }
        if (wait != null && tryOnly) {
            throw new UsageException("--wait and --try contradict each other");
        }
        return new LockRequest(
                LockName.of(given),
                Wanted.of(given),
                OnceWish.of(given),
                also(given),
                tryOnly ? Wait.none() : wait(wait),
                tryOnly || wait == null ? "" : wait,
                span(given, "--lease", MIN_LEASE_DURATION, usualTerm),
                span(given, "--min-hold", SHORTEST, Duration.ZERO),
                span(given, LOCK_DELAY, SHORTEST, Duration.ZERO),
                order(given.matchedOptionValue("--order", null)),
                number(
                        given,
                        "--priority",
                        -LockOptions.MAX_PRIORITY,
                        LockOptions.MAX_PRIORITY,
                        LockOptions.defaults().priority()),
                text(GROUP, given.matchedOptionValue(GROUP, null), ""),
                number(given, GROUP_WEIGHT, 1, LockOptions.MAX_GROUP_WEIGHT, 1),
                number(given, "--queue-limit", 1, LONGEST_QUEUE, 0),
                metadata(given),
                number(given, "--busy-exit", 0, HIGHEST_STATUS, ExitStatus.BUSY),
                Server.of(given),
                as(given.matchedOptionValue(AS, null)),
                given.hasMatchedOption("--quiet"),
                given.hasMatchedOption("--verbose"));
    }

    private static List<String> also(ParseResult given) {
        String[] names = given.matchedOptionValue(ALSO, null);
        if (names == null) {
            return List.of();
        }
        Set<String> all = new HashSet<>(Set.of(LockName.of(given)));
        for (String name : names) {
            if (!all.add(LockName.checked(ALSO, name))) {
                throw new UsageException("the lock '" + name + "' is named twice");
            }
        }
        if (all.size() > MOST_LOCKS) {
            throw new UsageException(all.size() + " locks are named, must be " + MOST_LOCKS + " at most");
        }
        return List.of(names);
    }

    /** All locks that are needed, in the order in which they are typed. */
    List<String> names() {
        List<String> names = new ArrayList<>(List.of(name));
        names.addAll(also);
        return names;
    }

    private static Wait wait(@Nullable String text) {
        return text == null || text.equals(FOREVER)
                ? Wait.forever()
                : Wait.upTo(Span.parse("--wait", text, Duration.ZERO, Span.YEAR, ", or 'forever'"));
    }

    static Duration span(ParseResult given, String option, Duration least, Duration usual) {
        String text = given.matchedOptionValue(option, null);
        return text == null ? usual : Span.parse(option, text, least, Span.YEAR, "");
    }

    static int number(ParseResult given, String option, int least, int most, int usual) {
        String text = given.matchedOptionValue(option, null);
        return text == null ? usual : WholeNumber.parse(option, text, least, most);
    }

    private static LockOptions.Order order(@Nullable String text) {
        if (text == null) {
            return LockOptions.Order.FIFO;
        }
        return switch (text) {
            case "fifo" -> LockOptions.Order.FIFO;
            case "lifo" -> LockOptions.Order.LIFO;
            case "random" -> LockOptions.Order.RANDOM;
            default -> throw new UsageException("--order is '" + text + "', must be fifo, lifo or random");
        };
    }

    private static Map<String, String> metadata(ParseResult given) {
        String[] entries = given.matchedOptionValue("--meta", null);
        if (entries == null) {
            return Map.of();
        }
        Map<String, String> metadata = new LinkedHashMap<>();
        for (String entry : entries) {
            int equals = entry.indexOf('=');
            if (equals < 1 || entry.indexOf('\uFFFD') >= 0) {
                throw new UsageException("--meta is '" + entry + "', must be KEY=VALUE in UTF-8, with a key");
            }
            if (metadata.put(entry.substring(0, equals), entry.substring(equals + 1)) != null) {
                throw new UsageException("--meta gives '" + entry.substring(0, equals) + "' twice");
            }
        }
        try {
            LockOptions.defaults().withMetadata(metadata);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--meta: " + e.getMessage());
        }
        return metadata;
    }

    /** A name for the holder as it is typed; null if it is not. */
    static @Nullable String as(@Nullable String text) {
        return text == null ? null : text(AS, text, "");
    }

    private static String text(String option, @Nullable String text, String usual) {
        if (text == null) {
            return usual;
        }
        if (text.isEmpty() || text.length() > LONGEST_NAME) {
            throw new UsageException(option + " has " + text.length() + " characters, must have 1 to " + LONGEST_NAME);
        }
        if (text.indexOf('\uFFFD') >= 0) {
            throw new UsageException(option + " '" + text + "' is not valid UTF-8, or LC_ALL does not say UTF-8");
        }
        return text;
    }

    /** Whether the lock may stay taken after the work under it: the end of the processes does not free it. */
    boolean mayOutliveItsHolder() {
        return !atLeast.isZero() || !lockDelay.isZero();
    }

    /** For how long the server keeps the lock at most after a release that it did not confirm, whether the release arrived or not. */
    Duration keptFor() {
        Duration unreleased = term.plus(lockDelay);
        return atLeast.compareTo(unreleased) > 0 ? atLeast : unreleased;
    }

    /** How the lock is to be asked for and held. */
    LockOptions options() {
        LockOptions options = LockOptions.defaults().withLeaseDuration(term).withMinHold(atLeast);
        if (!lockDelay.isZero()) {
            options = options.withLockDelay(lockDelay);
        }
        // Each copy is checked as a whole: not made where nothing differs, which is nearly always.
        if (order != LockOptions.Order.FIFO || priority != 0 || queueLimit != 0 || !metadata.isEmpty()) {
            options = options.withOrder(order)
                    .withPriority(priority)
                    .withQueueLimit(queueLimit)
                    .withMetadata(metadata);
        }
        return group.isEmpty() ? options : options.withGroup(group, groupWeight);
    }
}
