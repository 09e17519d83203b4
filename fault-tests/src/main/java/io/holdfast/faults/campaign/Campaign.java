package io.holdfast.faults.campaign;

import com.google.gson.Gson;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.faults.subjects.Subjects;
import io.holdfast.faults.subjects.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the campaign. */
@Command(
        name = "fault-tests/run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Lets processes contend for locks on real servers while things go wrong, and checks their histories.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  fault-tests/run                                        Holdfast, all faults, both drivers, once",
            "  fault-tests/run --rounds 3 --server /usr/bin/redis-server   as long as it takes, clocks included",
            "  fault-tests/run --subjects holdfast-jedis --faults kill-process,flushall --seed 7",
            "  fault-tests/run --faults freeze-process+messages-lost --topologies single   two faults at a time",
            "  fault-tests/run --subjects lines --topologies single   Read/write locks and semaphores",
            "  fault-tests/run --subjects once --rounds 10            Work that is done once in each slot",
            "  fault-tests/run --follow --faults kill-process,flushall   each call of a script beside the model",
            "  fault-tests/run --subjects all --faults freeze-process,kill-process   Holdfast beside its peers",
            "",
            "Progress goes to standard error, the report to standard output and to report.md in the folder of the run.",
            "Status: 0 if Holdfast kept its promises, 1 if not, 2 if an episode could not be carried out, 64 if the command",
            "line is wrong. A seed decides what happens when; how real processes are scheduled does not follow from it: a",
            "rare failure may need several runs."
        },
        exitCodeOnInvalidInput = 64)
final class Campaign implements Callable<Integer> {
    private static final int EPISODES_MISSING = 2;
    private static final List<String> TOPOLOGIES = List.of("single", "sentinels", "cluster", "quorum");
    /** Those where a call goes to one server, which has all of its keys and all of its listeners. */
    private static final List<String> FOLLOWED = List.of("single", "sentinels");

    @Option(
            names = "--subjects",
            split = ",",
            paramLabel = "NAME",
            description = "Libraries and kinds of locks, or holdfast (the default), lines (its read/write locks and"
                    + " semaphores), once (work that is done once), peers, all. See --list.")
    private List<String> subjects = List.of("holdfast");

    @Option(
            names = "--faults",
            split = ",",
            paramLabel = "NAME[+NAME]",
            description =
                    "Faults; all by default, each by itself. See --list. Two at a time are joined by +: of the two"
                            + " one acts upon processes, the network or servers, and the other upon something else.")
    private List<String> faults = List.of();

    @Option(
            names = "--topologies",
            split = ",",
            paramLabel = "NAME",
            description =
                    "single, sentinels, cluster, quorum; all by default. Peers run on a single server, and a quorum"
                            + " has exclusive locks only.")
    private List<String> topologies = List.of();

    @Option(names = "--rounds", description = "How often; 1 by default.")
    private int rounds = 1;

    @Option(
            names = "--strikes",
            paramLabel = "N",
            description =
                    "Lets faults strike so many times as often; those that can strike once only get more episodes.")
    private int strikes = 1;

    @Option(
            names = "--term",
            paramLabel = "MS",
            description = "Term of holds in milliseconds, 3000 by default; 0 for the" + " default of each library.")
    private long leaseDurationMillis = 3_000;

    @Option(names = "--seed", description = "Seed of the first round; a fresh one by default. It is told.")
    private @Nullable Long firstSeed;

    @Option(
            names = "--server",
            paramLabel = "PROGRAM",
            description = "A redis-server or valkey-server in place of the one that comes with the tests. Clocks can"
                    + " only be set where it is linked dynamically and there is a C compiler.")
    private @Nullable Path server;

    @Option(
            names = "--follow",
            description =
                    "Compares each call of a script with the model: its reply, and all keys afterwards. A call is sent"
                            + " in a transaction with reads of its keys. On a single server and with Sentinels. Servers before"
                            + " 7.2 leave out calls in which a millisecond ends.")
    private boolean follow;

    @Option(
            names = "--own-network",
            description =
                    "Runs everything in a network namespace of its own, where packets can be dropped. Needs Linux,"
                            + " unshare, ip and iptables.")
    private boolean ownNetwork; // made by the script

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "Where results and histories go; target/faults by default.")
    private Path out = Path.of("target", "faults");

    @Option(
            names = "--keep",
            description = "Keeps the histories of all episodes, not only of those with violations: as they were"
                    + " written (*.jsonl), and for other checkers (*.edn).")
    private boolean keep;

    @Option(names = "--list", description = "Tells subjects and faults, and ends.")
    private boolean list;

    @Option(names = "--report", description = "Makes the report from what is in the folder already, and ends.")
    private boolean reportOnly;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by the parser
    private CommandSpec spec;

    private boolean failed;

    private Campaign() {}

    /** Runs the command and ends with its status. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Campaign()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        if (list) {
            System.out.println("Subjects: " + String.join(", ", Subjects.names()));
            for (Fault fault : Fault.values()) {
                System.out.printf(
                        Locale.ROOT,
                        "%-18s %-7s %-9s %s, %s%n",
                        fault.label(),
                        Arrays.stream(Topology.values()).anyMatch(each -> fault.concerns(each) && fault.isInside(each))
                                ? "inside"
                                : "outside",
                        fault.victim().name().toLowerCase(Locale.ROOT),
                        fault.words(),
                        Arrays.stream(Topology.values())
                                .filter(fault::concerns)
                                .map(each -> each.name().toLowerCase(Locale.ROOT))
                                .toList());
            }
            return ExitCode.OK;
        }
        if (follow && topologies.stream().anyMatch(each -> !FOLLOWED.contains(each))) {
            throw new ParameterException(
                    spec.commandLine(), "--follow is for these topologies: " + String.join(", ", FOLLOWED));
        }
        Files.createDirectories(out);
        if (!reportOnly) {
            runAll();
        }
        Report report = Report.of(out);
        Files.writeString(out.resolve("report.md"), report.text());
        System.out.println(report.text());
        if (failed) {
            return EPISODES_MISSING;
        }
        return report.isClean() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void runAll() throws IOException {
        if (server != null) {
            System.setProperty("holdfast.test.server", server.toAbsolutePath().toString());
        }
        ServerClock clock = ServerClock.install(Files.createTempDirectory("holdfast-clock"));
        clock.problem().ifPresent(why -> System.err.println("Clocks are not set: " + why + "."));
        WorkerClocks workers = WorkerClocks.install(Files.createTempDirectory("holdfast-clocks"));
        workers.problem().ifPresent(why -> System.err.println("Clocks of processes are right: " + why + "."));
        Optional<String> noNetwork = Firewall.problem();
        List<Mishap> chosen = chosen();
        if (ownNetwork || (!faults.isEmpty() && chosen.stream().anyMatch(each -> each.any(Fault::needsNetwork)))) {
            noNetwork.ifPresent(why -> System.err.println("Packets are not dropped: " + why + "."));
        }
        Optional<String> noAtomicMove = chosen.stream().anyMatch(each -> each.any(Fault::needsAtomicMove))
                ? RedisCluster.whyNotAtOnce()
                : Optional.empty();
        noAtomicMove.ifPresent(why -> System.err.println("Slots are not moved in one step: " + why + "."));
        long first = firstSeed == null ? ThreadLocalRandom.current().nextInt(1, 1_000_000) : firstSeed;
        List<Episode> episodes = episodes(
                first,
                chosen,
                fault -> (fault.needsClock() && clock.problem().isPresent())
                        || (fault.needsNetwork() && noNetwork.isPresent())
                        || (fault.needsAtomicMove() && noAtomicMove.isPresent()));
        if (episodes.isEmpty()) {
            failed = true;
            System.err.println(
                    "There is nothing to do: no fault that was chosen can happen with these servers and subjects.");
            return;
        }
        System.err.println(episodes.size() + " episodes, seed " + first + ", into " + out);
        int number = 0;
        for (Episode episode : episodes) {
            number++;
            System.err.print(number + "/" + episodes.size() + " " + episode.label() + "… ");
            Path folder = Files.createDirectories(out.resolve(episode.label()));
            EpisodeResult result;
            try {
                result = episode.run(folder, clock, workers);
            } catch (IllegalStateException e) { // of the campaign itself: the other episodes are worth having
                failed = true;
                System.err.println("NOT CARRIED OUT: " + e);
                continue;
            }
            Files.writeString(
                    out.resolve("results.jsonl"),
                    new Gson().toJson(result) + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            System.err.printf(
                    Locale.ROOT,
                    "%.0f s, %d obtained of %d, idle %d ms, overlaps %d, lost %d/%d%n",
                    result.seconds(),
                    result.obtained(),
                    result.requests(),
                    result.worstIdleMillis(),
                    result.overlaps(),
                    result.lostPlain(),
                    result.lostFenced());
            result.violations().forEach(each -> System.err.println("    VIOLATION " + each));
            if (result.violations().isEmpty() && !keep) {
                deleteHistories(folder);
            }
        }
    }

    private List<Mishap> chosen() {
        try {
            return faults.isEmpty()
                    ? Arrays.stream(Fault.values()).map(Mishap::of).toList()
                    : faults.stream().map(Mishap::of).toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static void deleteHistories(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    private List<Episode> episodes(long first, List<Mishap> chosen, Predicate<Fault> impossible) {
        List<String> names = new ArrayList<>();
        for (String name : subjects) {
            switch (name) {
                case "all" -> names.addAll(Subjects.names());
                case "holdfast" ->
                    Subjects.names().stream().filter(Subjects::isHoldfast).forEach(names::add);
                case "lines" ->
                    Subjects.names().stream()
                            .filter(each -> Subjects.way(each).isShared())
                            .forEach(names::add);
                case "once" ->
                    Subjects.names().stream()
                            .filter(each -> Subjects.way(each) == Way.ONCE)
                            .forEach(names::add);
                case "peers" ->
                    Subjects.names().stream()
                            .filter(each -> !Subjects.isHoldfast(each))
                            .forEach(names::add);
                default -> {
                    Subjects.of(name); // refuses unknown ones
                    names.add(name);
                }
            }
        }
        List<Episode> episodes = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (String topologyName : topologies.isEmpty() ? follow ? FOLLOWED : TOPOLOGIES : topologies) {
                Topology topology = Topology.valueOf(topologyName.toUpperCase(Locale.ROOT));
                for (Mishap mishap : chosen) {
                    if (!mishap.concerns(topology) || mishap.any(impossible)) {
                        continue;
                    }
                    for (String name : names) {
                        boolean single = !Subjects.isHoldfast(name)
                                || name.equals(Subjects.SHARED)
                                || name.equals(Subjects.ASKING);
                        // Work that is done once has another name each second.
                        boolean nothingToPause =
                                mishap.any(fault -> fault == Fault.PAUSE) && Subjects.way(name) == Way.ONCE;
                        boolean unused = topology == Topology.QUORUM
                                && (name.equals(Subjects.QUARANTINE) || Subjects.way(name) != Way.EXCLUSIVE);
                        if (!unused && !nothingToPause && (!single || topology == Topology.SINGLE)) {
                            Duration term = leaseDurationMillis == 0
                                    ? Subjects.defaultTerm(name)
                                    : Duration.ofMillis(leaseDurationMillis);
                            long seed = first + round;
                            if (mishap.times() == 1) {
                                for (int i = 0; i < strikes; i++) {
                                    episodes.add(
                                            new Episode(name, topology, mishap, term, 1, seed + 1_000L * i, follow));
                                }
                            } else {
                                episodes.add(new Episode(name, topology, mishap, term, strikes, seed, follow));
                            }
                        }
                    }
                }
            }
        }
        return episodes;
    }
}
