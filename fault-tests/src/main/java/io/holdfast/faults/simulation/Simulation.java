package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Plan.Kind;
import io.holdfast.model.following.Follower;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs plans in virtual time, and tells what the checks have found: the command, and what tests call. */
@Command(
        name = "fault-tests/run simulate",
        description = "Runs the engine and its scripts in virtual time, under faults that follow from a seed.",
        footer = {
            "",
            "Examples:",
            "  fault-tests/run simulate --seeds 1..200                  what the build tries first",
            "  fault-tests/run simulate --plan quorum --minutes 10      seeds that nothing has tried yet",
            "  fault-tests/run simulate --plan inside --replay 503      one seed, with its plan and its trace",
            "",
            "Exit status: 0 if nothing was found, 1 if something was, 64 if the arguments are invalid."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class Simulation implements Callable<Integer> {
    private static final String KINDS =
            "inside, outside, quorum, handed, kept, steered, cluster, nested, lines, lines-steered,"
                    + " lines-outside, elections, elections-outside, elections-quorum or once";

    private static final int FOUND = 1;
    private static final int MISUSED = 64;
    private static final long TELL_EVERY_NANOS = 10_000_000_000L;

    @Option(names = "--plan", defaultValue = "inside", description = KINDS)
    private String plan = "inside";

    @Option(names = "--seeds", paramLabel = "FROM..TO", description = "these seeds, both included")
    private @Nullable String seeds;

    @Option(names = "--fresh", paramLabel = "N", description = "so many seeds that nobody has seen")
    private int fresh;

    @Option(names = "--minutes", description = "stops after this time; without other seeds, fresh ones until then")
    private int minutes;

    @Option(names = "--replay", paramLabel = "SEED", description = "one seed, with its plan and its trace")
    private @Nullable Long replay;

    @Option(names = "--keep", split = ",", description = "with --replay: only these items of the plan")
    private @Nullable List<Integer> keep;

    private final PrintStream out;
    private final PrintStream err;

    private Simulation(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Exits with 0 if nothing was found, 1 if something was, 64 if the arguments are none. */
    public static void main(String[] args) {
        System.exit(run(System.out, System.err, args));
    }

    static int run(PrintStream out, PrintStream err, String... args) {
        return new CommandLine(new Simulation(out, err))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    if (failure instanceof IllegalArgumentException) {
                        err.println(failure.getMessage());
                        return MISUSED;
                    }
                    throw failure;
                })
                .setParameterExceptionHandler((failure, given) -> misuse(err, failure))
                .execute(args);
    }

    private static int misuse(PrintStream err, ParameterException failure) {
        err.println(failure.getMessage());
        failure.getCommandLine().usage(err);
        return MISUSED;
    }

    @Override
    public Integer call() {
        Long one = replay;
        LongFunction<? extends Drawn> draw = draw(plan);
        if (one != null) {
            Drawn drawn = draw.apply(one);
            List<Integer> kept = keep;
            Drawn chosen = kept == null ? drawn : drawn.keep(kept);
            chosen.items().forEach(out::println);
            Outcome outcome = chosen.run();
            out.println(describe(outcome));
            return outcome.finding() == null ? 0 : FOUND;
        }
        return many(draw);
    }

    /** Draws plans of this name. */
    private static LongFunction<? extends Drawn> draw(String name) {
        String known = name.toLowerCase(Locale.ROOT);
        if (known.equals(OncePlan.NAME)) {
            return OncePlan::draw;
        }
        for (ElectionPlan.Kind kind : ElectionPlan.Kind.values()) {
            if (kind.toString().equals(known)) {
                return seed -> ElectionPlan.draw(kind, seed);
            }
        }
        for (LinePlan.Kind kind : LinePlan.Kind.values()) {
            if (kind.toString().equals(known)) {
                return seed -> LinePlan.draw(kind, seed);
            }
        }
        for (Kind kind : Kind.values()) {
            if (kind.toString().equals(known)) {
                return seed -> Plan.draw(kind, seed);
            }
        }
        throw new IllegalArgumentException("--plan is " + name + ", must be " + KINDS);
    }

    private int many(LongFunction<? extends Drawn> draw) {
        long from = 0;
        long count = fresh > 0 ? fresh : minutes > 0 ? Long.MAX_VALUE : 100;
        String range = seeds;
        if (range != null) {
            String[] ends = range.split("\\.\\.", 2);
            try {
                from = Long.parseLong(ends[0]);
                count = Long.parseLong(ends[ends.length - 1]) - from + 1;
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("--seeds is " + range + ", must be two numbers with .. between", e);
            }
        }
        SecureRandom random = new SecureRandom();
        Summary sum = new Summary();
        Follower follower = new Follower();
        long begin = System.nanoTime();
        long toldAt = begin;
        for (long i = 0; i < count; i++) {
            if (minutes > 0 && System.nanoTime() - begin > minutes * 60_000_000_000L) {
                break;
            }
            long seed = range != null || (fresh == 0 && minutes == 0) ? from + i : random.nextLong() >>> 16;
            Outcome outcome = draw.apply(seed).run(follower);
            sum.add(outcome);
            if (outcome.finding() != null) {
                out.println(report(outcome));
                return FOUND;
            }
            if (System.nanoTime() - toldAt > TELL_EVERY_NANOS) {
                toldAt = System.nanoTime();
                err.println(sum.tell(toldAt - begin));
            }
        }
        out.println(plan.toLowerCase(Locale.ROOT) + ": " + sum.tell(System.nanoTime() - begin));
        out.print(follower.figures());
        return 0;
    }

    /**
     * Tries seeds until something is found. No model is asked: it would see at once that a script was changed, and nobody would know whether
     * the other checks do.
     *
     * @return the check, what it found, the seed, and the steps of all runs; null if nothing was found
     */
    static String @Nullable [] firstFinding(String name, long from, long to) {
        LongFunction<? extends Drawn> draw = draw(name);
        long steps = 0;
        for (long seed = from; seed <= to; seed++) {
            Outcome outcome = draw.apply(seed).run(null);
            steps += outcome.steps();
            Finding finding = outcome.finding();
            if (finding != null) {
                return new String[] {finding.check().name(), finding.what(), Long.toString(seed), Long.toString(steps)};
            }
        }
        return null;
    }

    /** Sums over runs. */
    private static final class Summary {
        private long runs;
        private long steps;
        private long obtained;
        private long overlaps;
        private long lostUpdates;

        void add(Outcome outcome) {
            runs++;
            steps += outcome.steps();
            obtained += outcome.obtained();
            overlaps += outcome.overlaps();
            lostUpdates += outcome.lostUpdates();
        }

        String tell(long nanos) {
            return runs + " runs, " + steps + " steps (" + steps * 1_000_000_000 / Math.max(1, nanos)
                    + " in a second), " + obtained + " leases, " + overlaps + " overlaps seen, " + lostUpdates
                    + " unfenced updates lost";
        }
    }

    /** A finding with the least plan that shows it, and how to see it again. */
    static String report(Outcome outcome) {
        Finding finding = outcome.finding();
        if (finding == null) {
            return describe(outcome);
        }
        Drawn whole = outcome.plan();
        Set<Integer> all =
                whole.items().stream().map(Drawn.Item::number).collect(Collectors.toCollection(TreeSet::new));
        Set<Integer> kept = new Shrinker(numbers -> {
                    Finding again = whole.keep(numbers).run().finding();
                    return again != null && again.check() == finding.check();
                })
                .shrink(all);
        Outcome least = whole.keep(kept).run();
        StringBuilder text = new StringBuilder();
        least.plan().items().forEach(item -> text.append(item).append('\n'));
        return text.append(describe(least))
                .append("\nfirst found: ")
                .append(finding)
                .append("\nreplay: fault-tests/run simulate --plan ")
                .append(whole.name())
                .append(" --replay ")
                .append(whole.seed())
                .append(" --keep ")
                .append(kept.stream().map(String::valueOf).collect(Collectors.joining(",")))
                .toString();
    }

    private static String describe(Outcome outcome) {
        Finding finding = outcome.finding();
        StringBuilder text = new StringBuilder();
        if (finding != null) {
            outcome.trace()
                    .last()
                    .forEach(line -> text.append("  ").append(line).append('\n'));
        }
        return text.append("seed ")
                .append(outcome.plan().seed())
                .append(", ")
                .append(outcome.steps())
                .append(" steps, ")
                .append(outcome.obtained())
                .append(" leases: ")
                .append(finding == null ? "nothing found" : finding)
                .toString();
    }
}
