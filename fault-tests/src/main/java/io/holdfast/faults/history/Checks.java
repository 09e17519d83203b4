package io.holdfast.faults.history;

import io.holdfast.faults.history.History.Disturbance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a history says about the promises, one check each. A check says nothing about what it cannot be sure of. */
public final class Checks {
    /** A waiter that was passed over while it could not be reached is back in its place after a refresh and a claim. */
    private static final long AFTERMATH_NANOS = Duration.ofSeconds(5).toNanos();

    /** What an answer takes on a machine that does much else. */
    private static final long UNDER_WAY_NANOS = Duration.ofMillis(500).toNanos();

    private static final String TOKENS = "tokens";
    private static final String PAUSE = "pause";
    private static final String ONCE = "once";
    private static final String RECORDED = "RELEASED"; // as the result of a release
    private static final String DONE = "DONE"; // as the outcome of a request

    /** What has to do with the token that readers share: it may be wrong where a server has forgotten something. */
    public static final String PHASES = "phases";

    private Checks() {}

    /** Holds of one lock that were surely held at one time, and do not fit together. */
    public static List<Violation> exclusion(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            List<Operation> holds = operations.stream()
                    .filter(Operation::surelyHeld)
                    .sorted(Comparator.comparingLong(Operation::got))
                    .toList();
            List<Operation> present = new ArrayList<>();
            for (Operation next : holds) {
                present.removeIf(each -> each.lastAlive() < next.got());
                // What is too much is too much when the last of them begins.
                if (!next.want().fits(wants(present)) || present.stream().anyMatch(each -> meet(each, next))) {
                    Operation longest = present.stream()
                            .filter(each -> next.want().mode() != Want.Mode.SHARED
                                    || each.want().mode() == Want.Mode.ALONE)
                            .max(Comparator.comparingLong(Operation::lastAlive))
                            .orElse(next);
                    long overlap = Math.min(longest.lastAlive(), next.lastAlive()) - next.got();
                    found.add(new Violation("exclusion", told(present, next) + " for " + micros(overlap)));
                }
                present.add(next);
            }
        }
        return found;
    }

    private static boolean meet(Operation one, Operation other) {
        return !Collections.disjoint(one.slots(), other.slots());
    }

    private static String told(List<Operation> present, Operation next) {
        String others = present.stream().map(Operation::toString).collect(Collectors.joining("; "));
        return others + " and " + next + " were held together";
    }

    private static List<Want> wants(List<Operation> operations) {
        return operations.stream().map(Operation::want).toList();
    }

    /**
     * A hold that was asked for when another had begun has a greater token; a reader's is not less than another reader's, with
     * whom it may share one. A reader's that is less counts as {@link #PHASES}.
     */
    public static List<Violation> tokens(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            List<Operation> begun = begun(operations);
            int next = 0;
            Operation greatest = null;
            Operation greatestOfReaders = null;
            for (Operation each : operations) { // by the time of asking
                if (!each.obtained() || each.token() == 0) {
                    continue;
                }
                for (; next < begun.size() && begun.get(next).got() < each.asked(); next++) {
                    Operation other = begun.get(next);
                    if (isReader(other)) {
                        greatestOfReaders = greater(greatestOfReaders, other);
                    } else {
                        greatest = greater(greatest, other);
                    }
                }
                if (greatest != null && greatest.token() >= each.token()) {
                    found.add(fallen(each, greatest));
                }
                boolean mayShare = isReader(each);
                if (greatestOfReaders != null
                        && greatestOfReaders.token() >= each.token()
                        && !(mayShare && greatestOfReaders.token() == each.token())) {
                    found.add(fallen(each, greatestOfReaders));
                }
            }
        }
        return found;
    }

    /** Where data that is older than the hold before has brought readers back, whoever joins them has their token. */
    private static Violation fallen(Operation later, Operation earlier) {
        boolean joins = isReader(later) && later.token() < earlier.token();
        return new Violation(joins ? PHASES : TOKENS, later + " began after " + earlier);
    }

    /** Those that were obtained with a token, by the time when they were. */
    private static List<Operation> begun(List<Operation> operations) {
        return operations.stream()
                .filter(each -> each.obtained() && each.token() != 0)
                .sorted(Comparator.comparingLong(Operation::got))
                .toList();
    }

    private static Operation greater(@Nullable Operation one, Operation other) {
        return one == null || other.token() > one.token() ? other : one;
    }

    private static boolean isReader(Operation operation) {
        return operation.want().mode() == Want.Mode.SHARED;
    }

    /** Readers that surely held a lock together have one token, and nobody else has it. */
    public static List<Violation> phases(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            List<Operation> begun = begun(operations);
            Map<Long, Operation> tokens = new HashMap<>();
            List<Operation> reading = new ArrayList<>();
            for (Operation next : begun) {
                Operation same = tokens.putIfAbsent(next.token(), next);
                if (same != null && !(isReader(same) && isReader(next))) {
                    found.add(new Violation(PHASES, next + " has the token of " + same));
                }
                if (!isReader(next) || !next.surelyHeld()) {
                    continue;
                }
                reading.removeIf(each -> each.lastAlive() < next.got());
                reading.stream()
                        .filter(each -> each.token() != next.token())
                        .findFirst()
                        .ifPresent(each -> found.add(new Violation(PHASES, next + " read together with " + each)));
                reading.add(next);
            }
        }
        return found;
    }

    /**
     * Who is known to be queued before another of its group asks is granted before it, unless something happened to its process on
     * the way. Tokens tell the order of grants.
     */
    public static List<Violation> order(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            List<Operation> queued = operations.stream()
                    .filter(each -> each.queued() != 0 && each.obtained() && each.token() != 0)
                    .sorted(Comparator.comparingLong(Operation::queued))
                    .toList();
            int next = 0;
            PriorityQueue<Operation> waiting =
                    new PriorityQueue<>(Comparator.comparingLong(Operation::got).thenComparingLong(Operation::token));
            for (Operation later : operations) { // by the time of asking
                for (; next < queued.size() && queued.get(next).queued() < later.asked(); next++) {
                    waiting.add(queued.get(next));
                }
                // Whose grant was seen before this one asked has a smaller token, or the check of tokens tells.
                while (!waiting.isEmpty() && waiting.peek().got() < later.asked()) {
                    waiting.remove();
                }
                if (!later.obtained() || later.token() == 0) {
                    continue;
                }
                for (Operation earlier : waiting) {
                    boolean compete = later.want().group().equals(earlier.want().group());
                    if (compete && later.token() < earlier.token() && undisturbed(history, earlier, later)) {
                        found.add(new Violation("order", later + " overtook " + earlier));
                    }
                }
            }
        }
        return found;
    }

    private static boolean undisturbed(History history, Operation earlier, Operation later) {
        long until = Math.max(earlier.got(), later.got());
        return history.disturbances().stream()
                .filter(each -> !each.what().equals(PAUSE)) // places are kept meanwhile
                .noneMatch(each -> each.touches(earlier.worker(), earlier.asked() - AFTERMATH_NANOS, until)
                        || each.touches(later.worker(), earlier.asked() - AFTERMATH_NANOS, until));
    }

    /**
     * Of work that is done once: one result of a name is recorded at most, and none before it is told as done; nobody begins with it
     * who asks after that; and where nothing happens to a process, its work that does not fail is recorded.
     */
    public static List<Violation> once(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            Operation recorded = null;
            long begun = history.end(); // the first that may have recorded a result
            for (Operation each : operations) {
                if (each.leaving() != 0 && !each.result().equals(Operation.FAILED)) {
                    begun = Math.min(begun, each.leaving());
                }
                if (!each.result().equals(RECORDED)) {
                    continue;
                } else if (recorded != null) {
                    found.add(new Violation(ONCE, each + " and " + recorded + " were both recorded"));
                }
                recorded = each;
            }
            for (Operation each : operations) {
                if (each.outcome().equals(DONE) && each.none() < begun) {
                    found.add(new Violation(ONCE, each + " was told as done before anybody had done it"));
                } else if (each.obtained() && recorded != null && each.asked() > recorded.left()) {
                    found.add(new Violation(ONCE, each + " began after " + recorded + " was recorded"));
                } else if (each.obtained()
                        && !each.result().equals(RECORDED)
                        && !each.result().equals(Operation.FAILED)
                        && each.left() != 0
                        && !disturbed(history, each, each.left())) {
                    found.add(new Violation(ONCE, each + " was not recorded, but " + each.result()));
                }
            }
        }
        return found;
    }

    /** Whether something happened to its process before this time, or so shortly before it asked that it may still feel it. */
    private static boolean disturbed(History history, Operation operation, long until) {
        return history.disturbances().stream()
                .anyMatch(each -> each.touches(operation.worker(), operation.asked() - AFTERMATH_NANOS, until));
    }

    /**
     * Work that is done once is done where a caller could have done it: nothing happened to its process, and it waited for longer than this
     * while no other was at it.
     */
    public static List<Violation> undone(History history, Duration patience) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            if (isDone(operations)) {
                continue;
            }
            for (Operation each : operations) {
                if (each.none() == 0 || disturbed(history, each, each.none())) {
                    continue;
                }
                long held = operations.stream()
                        .filter(Operation::obtained)
                        .mapToLong(other ->
                                Math.min(other.endOr(each.none()), each.none()) - Math.max(other.got(), each.asked()))
                        .filter(time -> time > 0)
                        .sum();
                long waited = each.none() - each.asked() - held;
                if (waited > patience.toNanos()) {
                    found.add(new Violation(ONCE, each + " waited for " + micros(waited) + ", and no process did it"));
                }
            }
        }
        return found;
    }

    /** The names of work that is recorded as done, or was told as done. */
    public static List<String> done(History history) {
        return history.byLock().entrySet().stream()
                .filter(each -> isDone(each.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean isDone(List<Operation> operations) {
        return operations.stream()
                .anyMatch(
                        each -> each.result().equals(RECORDED) || each.outcome().equals(DONE));
    }

    /**
     * Nothing is granted while an operator pauses this lock. A grant from before may be under way for a while: only a request that came
     * later, or a grant that comes so late, is a violation.
     */
    public static List<Violation> pauses(History history, String lock) {
        List<Violation> found = new ArrayList<>();
        List<Operation> operations = history.byLock().getOrDefault(lock, List.of());
        for (Disturbance pause : history.disturbances()) {
            if (!pause.what().equals(PAUSE)) {
                continue;
            }
            for (Operation each : operations) {
                boolean meanwhile = each.got() > pause.from() && each.got() < pause.to();
                boolean late = each.asked() > pause.from()
                        || (each.got() > pause.from() + UNDER_WAY_NANOS
                                && history.disturbances().stream()
                                        .noneMatch(other -> !other.what().equals(PAUSE)
                                                && other.touches(each.worker(), each.asked(), each.got())));
                if (meanwhile && late) {
                    found.add(new Violation(PAUSE, each + " was granted during a pause"));
                }
            }
        }
        return found;
    }

    /** A lease that is seen to be over without a release is told to be lost by then, or soon where threads had to run first. */
    public static List<Violation> losses(History history, Duration slack) {
        List<Violation> found = new ArrayList<>();
        for (Operation each : history.operations()) {
            if (each.over() == 0 || killed(history, each.worker(), each.over() + slack.toNanos())) {
                continue;
            }
            long told = each.lost() == 0 ? history.end() : each.lost();
            boolean stood = history.disturbances().stream()
                    .anyMatch(other -> other.worker() == each.worker()
                            && other.touches(each.worker(), each.over() - slack.toNanos(), told));
            if (told - each.over() > slack.toNanos() && !stood) {
                found.add(new Violation(
                        "losses",
                        each + " was over, and told as lost "
                                + (each.lost() == 0 ? "never" : micros(each.lost() - each.over()) + " later")));
            }
        }
        return found;
    }

    /** Every request of a process that lived to the end has an outcome. */
    public static List<Violation> outcomes(History history) {
        return history.operations().stream()
                .filter(each -> each.none() == 0 && !each.obtained() && !killed(history, each.worker(), history.end()))
                .map(each -> new Violation("outcomes", each + " has no outcome"))
                .toList();
    }

    private static boolean killed(History history, int worker, long until) {
        return history.disturbances().stream()
                .anyMatch(each -> each.fatal() && each.worker() == worker && each.from() <= until);
    }

    /** A stretch of time in which a lock stood idle: somebody alive was waiting for it, and whoever was first could have had it. */
    public record Idle(String lock, long from, long to) {}

    private record Step(long at, Operation operation, boolean holds, boolean begins) {}

    /**
     * All stretches longer than this. Who is first is not known, so a lock stands idle when each of those who wait could have had it
     * beside those who have it: an exclusive one when nobody has it.
     */
    public static List<Idle> idle(History history, Duration longerThan) {
        List<Idle> found = new ArrayList<>();
        history.byLock().forEach((lock, operations) -> {
            List<Step> steps = new ArrayList<>();
            for (Operation each : operations) {
                List<Disturbance> away = away(history, each);
                long begun = each.obtained() ? each.got() : each.endOr(history.end());
                addSteps(steps, each.asked(), begun, away, each, false);
                if (each.obtained()) {
                    addSteps(steps, each.got(), each.endOr(history.end()), away, each, true);
                }
            }
            // What ends at a time has begun before it.
            steps.sort(Comparator.comparingLong(Step::at).thenComparing(Step::begins));
            List<Operation> holders = new ArrayList<>();
            List<Operation> waiters = new ArrayList<>();
            long since = -1;
            for (Step step : steps) {
                List<Operation> changed = step.holds() ? holders : waiters;
                if (step.begins()) {
                    changed.add(step.operation());
                } else {
                    changed.remove(step.operation());
                }
                List<Want> held = wants(holders);
                boolean idle = !waiters.isEmpty()
                        && waiters.stream().allMatch(each -> each.want().fits(held));
                if (!idle && since >= 0) {
                    if (step.at() - since > longerThan.toNanos()) {
                        found.add(new Idle(lock, since, step.at()));
                    }
                    since = -1;
                } else if (idle && since < 0) {
                    since = step.at();
                }
            }
        });
        return found;
    }

    /** Adds an interval, without the times at which its process was away. */
    private static void addSteps(
            List<Step> steps, long from, long to, List<Disturbance> away, Operation operation, boolean holds) {
        long begin = from;
        for (Disturbance each : away) {
            if (each.from() < to && (each.fatal() || each.to() > begin)) {
                addStep(steps, begin, each.from(), operation, holds);
                begin = each.fatal() ? to : Math.max(begin, each.to());
            }
        }
        addStep(steps, begin, to, operation, holds);
    }

    private static void addStep(List<Step> steps, long from, long to, Operation operation, boolean holds) {
        if (to > from) {
            steps.add(new Step(from, operation, holds, true));
            steps.add(new Step(to, operation, holds, false));
        }
    }

    /** When its process was stopped, cut off or killed, in order: it counts neither as a holder nor as waiting then. */
    private static List<Disturbance> away(History history, Operation operation) {
        return history.disturbances().stream()
                .filter(each -> each.worker() == operation.worker() && (each.fatal() || each.to() >= operation.asked()))
                .sorted(Comparator.comparingLong(Disturbance::from))
                .toList();
    }

    /**
     * How long a lock stood idle at most because of each kind of disturbance. What concerns one process counts from its
     * beginning: the others must go on. What concerns all counts from its end.
     */
    public static Map<String, Duration> recoveries(History history) {
        List<Idle> stretches = idle(history, Duration.ofMillis(1));
        Map<String, Duration> worst = new HashMap<>();
        for (Disturbance each : history.disturbances()) {
            long reference = each.worker() == Disturbance.ALL ? each.to() : each.from();
            long longest = 0;
            for (Idle stretch : stretches) {
                boolean dueToIt = stretch.to() >= each.from() && stretch.from() <= each.to() + AFTERMATH_NANOS;
                if (dueToIt) {
                    longest = Math.max(longest, stretch.to() - Math.max(stretch.from(), reference));
                }
            }
            worst.merge(each.what(), Duration.ofNanos(longest), (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
        return worst;
    }

    /** A free lock does not stand idle for longer than is promised for what has happened. */
    public static List<Violation> liveness(History history, Duration undisturbed, Duration disturbed) {
        List<Violation> found = new ArrayList<>();
        for (Idle stretch : idle(history, undisturbed)) {
            long healed = stretch.from();
            boolean calm = true;
            for (Disturbance each : history.disturbances()) {
                if (each.from() <= stretch.to() && each.to() >= stretch.from() - AFTERMATH_NANOS) {
                    calm = false;
                    healed = Math.max(healed, each.worker() == Disturbance.ALL ? each.to() : each.from());
                }
            }
            Duration idle = Duration.ofNanos(stretch.to() - healed);
            if (calm || idle.compareTo(disturbed) > 0) {
                found.add(new Violation(
                        "liveness",
                        stretch.lock() + " stood idle for " + idle.toMillis() + " ms while somebody waited"));
            }
        }
        return found;
    }

    private static String micros(long nanos) {
        return nanos / 1_000 + " µs";
    }
}
