package io.holdfast.benchmarks;

import com.google.gson.Gson;
import io.holdfast.benchmarks.Scenario.Stage;
import io.holdfast.benchmarks.contestants.Contestants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: runs scenarios, and writes results and a report. */
@Command(
        name = "benchmarks/run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Measures Holdfast, other lock libraries and the floors below them side by side.",
        footer = {
            "",
            "Examples:",
            "  benchmarks/run --quick",
            "  benchmarks/run --jdk25 ~/jdk-25",
            "  benchmarks/run --scenarios free,hot --rounds 7 --out results",
            "  benchmarks/run --scenarios leases --out results --add",
            "  benchmarks/run --scenarios free,hot,handoff --awake --out awake",
            "  benchmarks/run --report --docs docs --notes benchmarks/notes.md",
            "",
            "Progress goes to standard error. The folder gets results.jsonl, a line for each",
            "measurement, machine.json, report.md and plots. Status: 0 if all was measured,",
            "1 if a contestant of Holdfast failed, 64 if the command line is wrong, 70 if the",
            "build failed."
        },
        exitCodeOnInvalidInput = Benchmarks.WRONG_USAGE,
        exitCodeOnExecutionException = Benchmarks.BROKEN)
final class Benchmarks implements Callable<Integer> {
    static final int WRONG_USAGE = 64;
    static final int BROKEN = 70;

    @Option(
            names = "--quick",
            description = "Shorter measurements and fewer rounds: about ten minutes in place of ninety.")
    private boolean quick;

    @Option(
            names = "--scenarios",
            split = ",",
            paramLabel = "NAME",
            description = "Only these, commas between them; --list tells all. micro is run by name only.")
    private List<String> scenarios = List.of();

    @Option(names = "--contestants", split = ",", paramLabel = "NAME", description = "Only these; --list tells all.")
    private List<String> contestants = List.of();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often each contestant is measured; 5, or 2 if quick.")
    private int rounds;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "Where results go; target/benchmarks by default. What it has is replaced.")
    private Path out = Path.of("target", "benchmarks");

    @Option(
            names = "--add",
            description =
                    "Keeps what the folder has of other scenarios: for those that a run did not come to, or to measure"
                            + " some again.")
    private boolean add;

    @Option(
            names = "--jdk25",
            paramLabel = "FOLDER",
            description = "A JDK of 21 or later, for virtual threads; without it their scenarios are left out.")
    private @Nullable Path newJdk;

    @Option(
            names = "--awake",
            description =
                    "Keeps all cores awake with loops of idle priority, so that waking a thread is cheap where it is costly"
                            + " otherwise. Needs Linux and chrt.")
    private boolean awake;

    @Option(names = "--report", description = "Makes the report anew from what is in the folder, and measures nothing.")
    private boolean reportOnly;

    @Option(
            names = "--docs",
            paramLabel = "FOLDER",
            description = "Writes the report there too, as benchmarks.md with plots below benchmarks/.")
    private @Nullable Path docs;

    @Option(
            names = "--notes",
            paramLabel = "FILE",
            description = "What somebody has to say of this run, put after the targets.")
    private @Nullable Path notes;

    @Option(names = "--list", description = "Tells scenarios and contestants, and ends.")
    private boolean list;

    private Benchmarks() {}

    /** Runs the command and ends with its status. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Benchmarks()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (list) {
            Scenarios.all().forEach(each -> System.out.printf("%-14s %s%n", each.id(), each.title()));
            System.out.println();
            Contestants.all().forEach(each -> System.out.printf("%-23s %s%n", each.id(), each.label()));
            return CommandLine.ExitCode.OK;
        }
        if (newJdk != null && !Files.isExecutable(newJdk.resolve("bin").resolve("java"))) {
            return wrong("there is no bin/java in " + newJdk);
        }
        List<Scenario> chosen = new ArrayList<>();
        try {
            for (String name : scenarios) {
                chosen.add(Scenarios.of(name));
            }
        } catch (IllegalArgumentException e) {
            return wrong(String.valueOf(e.getMessage()));
        }
        String said = "";
        if (notes != null) {
            if (!Files.isReadable(notes)) {
                return wrong("there is no file " + notes);
            }
            said = Files.readString(notes);
        }
        List<Scenario> all = chosen.isEmpty() ? Scenarios.usual() : chosen;
        boolean sound;
        try (Awake loops = awake && !reportOnly ? Awake.start() : null) {
            if (loops != null && !loops.works()) {
                return wrong("--awake needs Linux, the program chrt, and leave to start loops of idle priority");
            }
            sound = reportOnly || measure(all);
        }
        Results results = Results.read(out.resolve("results.jsonl"));
        Machine machine = new Gson().fromJson(Files.readString(out.resolve("machine.json")), Machine.class);
        Report.write(results, machine, said, out.resolve("report.md"), out.resolve("plots"));
        System.err.println("the report is " + out.resolve("report.md"));
        if (docs != null) {
            Report.write(results, machine, said, docs.resolve("benchmarks.md"), docs.resolve("benchmarks"));
        }
        return sound ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private static int wrong(String what) {
        System.err.println("benchmarks/run: " + what + " (--help tells more)");
        return WRONG_USAGE;
    }

    private static void replace(Path file, String content) throws IOException {
        Path fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), content);
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private boolean measure(List<Scenario> chosen) throws IOException, InterruptedException {
        Scale scale = (quick ? Scale.quick() : Scale.full()).withOnly(Set.copyOf(contestants));
        if (rounds > 0) {
            scale = scale.withRounds(rounds);
        }
        Path logs = Files.createDirectories(out.resolve("logs"));
        Path file = out.resolve("results.jsonl");
        Path machineFile = out.resolve("machine.json");
        Gson gson = new Gson();
        Set<String> measured = chosen.stream().map(Scenario::id).collect(Collectors.toCollection(LinkedHashSet::new));
        List<Result> kept = add && Files.exists(file) ? Results.read(file).without(measured) : List.of();
        Machine machine = Machine.look(scale, newJdk, awake);
        if (!kept.isEmpty()) {
            machine =
                    gson.fromJson(Files.readString(machineFile), Machine.class).with(machine, measured);
        }
        // Whole files first: whoever ends the run in between finds what was there, or what is kept.
        replace(file, kept.stream().map(each -> gson.toJson(each) + "\n").collect(Collectors.joining()));
        replace(machineFile, gson.toJson(machine));
        List<Result> failed = new ArrayList<>();
        Stage stage = new Stage(
                scale, new Crew(logs, scale.processes()), newJdk, Path.of("").toAbsolutePath(), logs.toAbsolutePath());
        Run run = new Run(
                stage,
                result -> {
                    if (result.failure() != null && result.contestant().startsWith("holdfast")) {
                        failed.add(result);
                    }
                    try {
                        Files.writeString(
                                file, gson.toJson(result) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                System.err::println);
        long begin = System.nanoTime();
        chosen.forEach(run::run);
        System.err.printf("%.0f s in all%n", (System.nanoTime() - begin) / 1e9);
        return failed.isEmpty();
    }
}
