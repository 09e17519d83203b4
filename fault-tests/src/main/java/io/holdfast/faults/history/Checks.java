package io.holdfast.faults.history;

import io.holdfast.faults.history.History.Disturbance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** What a history says about the promises, one check each. A check says nothing about what it cannot be sure of. */
public final class Checks {
    /** A waiter that was passed over while it could not be reached is back in its place after a refresh and a claim. */
    private static final long AFTERMATH_NANOS = Duration.ofSeconds(5).toNanos();

    private Checks() {}

    /** Holds of one lock that were surely held at one time. */
    public static List<Violation> exclusion(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            List<Operation> holds = operations.stream()
                    .filter(Operation::surelyHeld)
                    .sorted(Comparator.comparingLong(Operation::got))
                    .toList();
            Operation longest = null;
            for (Operation next : holds) {
                if (longest != null && next.got() <= longest.lastAlive() && next.lastAlive() >= next.got()) {
                    long overlap = Math.min(longest.lastAlive(), next.lastAlive()) - next.got();
                    found.add(new Violation(
                            "exclusion", longest + " and " + next + " were held together for " + micros(overlap)));
                }
                if (longest == null || next.lastAlive() > longest.lastAlive()) {
                    longest = next;
                }
            }
        }
        return found;
    }

    /** A hold that was asked for when another had begun has a greater token. */
    public static List<Violation> tokens(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            List<Operation> begun = operations.stream()
                    .filter(each -> each.obtained() && each.token() != 0)
                    .sorted(Comparator.comparingLong(Operation::got))
                    .toList();
            int next = 0;
            Operation greatest = null;
            for (Operation each : operations) { // by the time of asking
                if (!each.obtained() || each.token() == 0) {
                    continue;
                }
                for (; next < begun.size() && begun.get(next).got() < each.asked(); next++) {
                    Operation other = begun.get(next);
                    greatest = greatest == null || other.token() > greatest.token() ? other : greatest;
                }
                if (greatest != null && greatest.token() >= each.token()) {
                    found.add(new Violation("tokens", each + " began after " + greatest));
                }
            }
        }
        return found;
    }

    /**
     * Who is known to be queued before another asks is granted before it, unless something happened to its process on the
     * way. Tokens tell the order of grants.
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
                    if (later.token() < earlier.token() && undisturbed(history, earlier, later)) {
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
                .noneMatch(each -> each.touches(earlier.worker(), earlier.asked() - AFTERMATH_NANOS, until)
                        || each.touches(later.worker(), earlier.asked() - AFTERMATH_NANOS, until));
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

    /** A stretch of time in which nobody held a lock that somebody alive was waiting for. */
    public record Idle(String lock, long from, long to) {}

    /** All stretches longer than this. */
    public static List<Idle> idle(History history, Duration longerThan) {
        List<Idle> found = new ArrayList<>();
        history.byLock().forEach((lock, operations) -> {
            List<long[]> steps = new ArrayList<>(); // time, change of holders, change of those who wait
            for (Operation each : operations) {
                List<Disturbance> away = away(history, each);
                long begun = each.obtained() ? each.got() : each.endOr(history.end());
                addSteps(steps, each.asked(), begun, away, 1);
                if (each.obtained()) {
                    addSteps(steps, each.got(), each.endOr(history.end()), away, 0);
                }
            }
            steps.sort(Comparator.comparingLong(step -> step[0]));
            long holders = 0;
            long waiters = 0;
            long since = -1;
            for (long[] step : steps) {
                holders += step[1];
                waiters += step[2];
                boolean idle = holders == 0 && waiters > 0;
                if (!idle && since >= 0) {
                    if (step[0] - since > longerThan.toNanos()) {
                        found.add(new Idle(lock, since, step[0]));
                    }
                    since = -1;
                } else if (idle && since < 0) {
                    since = step[0];
                }
            }
        });
        return found;
    }

    /** Adds an interval, without the times at which its process was away. */
    private static void addSteps(List<long[]> steps, long from, long to, List<Disturbance> away, int waiter) {
        long begin = from;
        for (Disturbance each : away) {
            if (each.from() < to && (each.fatal() || each.to() > begin)) {
                addStep(steps, begin, each.from(), waiter);
                begin = each.fatal() ? to : Math.max(begin, each.to());
            }
        }
        addStep(steps, begin, to, waiter);
    }

    private static void addStep(List<long[]> steps, long from, long to, int waiter) {
        if (to > from) {
            steps.add(new long[] {from, 1 - waiter, waiter});
            steps.add(new long[] {to, waiter - 1, -waiter});
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
