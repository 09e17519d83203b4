package io.holdfast.faults.campaign;

import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.faults.history.Checks;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.History.Disturbance;
import io.holdfast.faults.history.JepsenHistory;
import io.holdfast.faults.history.Ledger;
import io.holdfast.faults.history.Operation;
import io.holdfast.faults.history.Violation;
import io.holdfast.faults.subjects.Target;
import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/**
 * A quorum of three hosts, each a network namespace with an address, a server and a clock of its own, and one process that locks. Links are
 * cut; clocks differ by seconds, run at different rates and, if asked for, are set.
 */
@Command(
        name = "fault-tests/run hosts",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "A quorum on three hosts, which are network namespaces: cut links, and a clock for each server.",
            "Needs Linux, ip, a C compiler, and a server program that is linked dynamically.",
            ""
        },
        exitCodeOnInvalidInput = 64)
final class Hosts implements Callable<Integer> {
    private static final int COUNT = 3;
    private static final int PORT = 7_000;
    private static final String NET = "10.77.0.";
    private static final String HERE = NET + "254";
    private static final List<String> LOCKS = List.of("a", "b", "c");
    private static final int THREADS = 4;
    private static final Duration TERM = Duration.ofSeconds(3);
    /** How far the clocks are from each other in the beginning, in seconds. */
    private static final int[] AHEAD = {0, 7, -5};
    /** By how many millionths each clock is too fast: half of what the assumptions allow. */
    private static final int[] RATE = {0, 5_000, -5_000};

    private static final Duration SLEW = Duration.ofMillis(20);

    @Option(
            names = "--server",
            required = true,
            paramLabel = "PROGRAM",
            description = "A redis-server or valkey-server.")
    @SuppressWarnings("NullAway.Init") // set by the parser
    private Path server;

    @Option(names = "--subject", description = "holdfast-lettuce (the default) or holdfast-jedis.")
    private String subject = "holdfast-lettuce";

    @Option(names = "--seconds", description = "How long; 60 by default.")
    private int seconds = 60;

    @Option(names = "--seed", description = "Of what happens when; 1 by default.")
    private long seed = 1;

    @Option(
            names = "--set-clocks",
            description = "Sets the clock of one host after the other by up to 20 s. That is outside the assumptions.")
    private boolean setClocks;

    @Option(names = "--out", paramLabel = "FOLDER", description = "Where histories go; target/hosts by default.")
    private Path out = Path.of("target", "hosts");

    private final List<ServerClock> clocks = new ArrayList<>();
    private final List<ChildProcess> servers = new ArrayList<>();
    private volatile boolean over;

    private Hosts() {}

    /** Runs the command and ends with its status. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Hosts()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        Files.createDirectories(out);
        try {
            List<Path> programs = programs();
            network();
            for (int host = 1; host <= COUNT; host++) {
                startServer(on(host), programs.get(host - 1), NET + host);
            }
            startServer(List.of(), server, HERE);
            Thread slew = new Thread(this::slew, "slew");
            slew.setDaemon(true);
            slew.start();
            try (Crew crew = new Crew(out, this::settings, worker -> on(worker + 1))) {
                crew.start(COUNT);
                int strikes = strike(crew);
                List<String> stuck = crew.stop();
                return judge(crew.history(), strikes, stuck);
            }
        } finally {
            over = true;
            servers.forEach(ChildProcess::kill);
        }
    }

    /** A program for each host, with a clock of its own. */
    private List<Path> programs() throws IOException {
        List<Path> programs = new ArrayList<>();
        for (int host = 0; host < COUNT; host++) {
            System.setProperty("holdfast.test.server", server.toAbsolutePath().toString());
            ServerClock clock = ServerClock.install(Files.createTempDirectory("holdfast-host"));
            clock.problem().ifPresent(why -> {
                throw new IllegalStateException("no clock of its own: " + why);
            });
            clock.step(Duration.ofSeconds(AHEAD[host]));
            clocks.add(clock);
            programs.add(Path.of(System.getProperty("holdfast.test.server", "")));
        }
        return programs;
    }

    private static void network() {
        ip("link add hosts type bridge");
        ip("addr add " + HERE + "/24 dev hosts");
        ip("link set hosts up");
        for (int host = 1; host <= COUNT; host++) {
            ip("netns add host" + host);
            ip("link add out" + host + " type veth peer name in netns host" + host);
            ip("link set out" + host + " master hosts up");
            ip("-n host" + host + " addr add " + NET + host + "/24 dev in");
            ip("-n host" + host + " link set in up");
            ip("-n host" + host + " link set lo up");
        }
    }

    private static void ip(String words) {
        List<String> line = new ArrayList<>(List.of("ip"));
        line.addAll(List.of(words.split(" ", -1)));
        try {
            Process process = new ProcessBuilder(line).inheritIO().start();
            if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("failed: ip " + words);
            }
        } catch (IOException e) {
            throw new IllegalStateException("there is no ip", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static List<String> on(int host) {
        return List.of("ip", "netns", "exec", "host" + host);
    }

    private void startServer(List<String> launcher, Path program, String address) throws IOException {
        List<String> line = new ArrayList<>(launcher);
        line.addAll(List.of(program.toAbsolutePath().toString(), "--port", Integer.toString(PORT), "--bind", address));
        line.addAll(List.of(
                "--protected-mode",
                "no",
                "--save",
                "",
                "--dir",
                out.toAbsolutePath().toString()));
        servers.add(ChildProcess.start(new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(out.resolve("server-" + address + ".log").toFile())));
        String info = answer(address, "INFO", "server");
        String run = info.substring(info.indexOf("run_id:") + "run_id:".length())
                .lines()
                .findFirst()
                .orElseThrow();
        // It has its memory since for ever: nobody has to wait for the end of the quarantine.
        answer(address, "SET", "hf:node", "0 " + run, "EX", "100000");
    }

    /** Of a server that may just be starting. */
    private static String answer(String address, String... words) {
        long begin = System.nanoTime();
        while (true) {
            try (RespClient client = RespClient.connect(address, PORT)) {
                return client.command(words).asString();
            } catch (DriverException e) {
                if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(20)) {
                    throw e;
                }
                Striker.pause(Duration.ofMillis(50));
            }
        }
    }

    private Worker.Settings settings(int worker) {
        List<String> nodes = IntStream.rangeClosed(1, COUNT)
                .mapToObj(host -> "redis://" + NET + host + ":" + PORT)
                .toList();
        return new Worker.Settings(
                subject,
                new Target(nodes, Map.of()),
                TERM,
                HERE + ":" + PORT,
                LOCKS,
                THREADS,
                seed * 1_000 + worker,
                Crew.historyOf(out, worker));
    }

    /** Lets each clock run at its own rate. */
    private void slew() {
        long last = System.nanoTime();
        while (!over) {
            Striker.pause(SLEW);
            long now = System.nanoTime();
            for (int host = 0; host < COUNT; host++) {
                if (RATE[host] != 0) {
                    step(host, Duration.ofNanos((now - last) / 1_000_000 * RATE[host]));
                }
            }
            last = now;
        }
    }

    private synchronized void step(int host, Duration by) {
        clocks.get(host).step(by);
    }

    /** Cuts one host off after the other, and sets its clock if that was asked for. */
    private int strike(Crew crew) {
        Random random = new Random(seed);
        long begin = System.nanoTime();
        int strikes = 0;
        while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(seconds)) {
            Striker.pause(Duration.ofMillis(500 + random.nextInt(1_500)));
            int host = random.nextInt(COUNT);
            long from = System.nanoTime();
            if (setClocks && random.nextBoolean()) {
                step(host, Duration.ofMillis(random.nextInt(40_000) - 20_000L));
                crew.note("clock", from, Disturbance.ALL);
            } else {
                ip("link set out" + (host + 1) + " down");
                Striker.pause(Duration.ofMillis(500 + random.nextInt(3_500)));
                ip("link set out" + (host + 1) + " up");
                crew.note("cut", from, Disturbance.ALL);
            }
            strikes++;
        }
        Striker.pause(Duration.ofSeconds(5));
        return strikes;
    }

    private int judge(History history, int strikes, List<String> stuck) throws IOException {
        List<Violation> overlaps = Checks.exclusion(history);
        List<Violation> always = new ArrayList<>(Checks.outcomes(history));
        always.addAll(Checks.tokens(history));
        stuck.forEach(each -> always.add(new Violation("ends", each)));
        int lost = 0;
        int refused = 0;
        try (GuardedResource resource = new GuardedResource(HERE + ":" + PORT)) {
            for (String lock : LOCKS) {
                lost += Ledger.lostUpdates(resource.writes(lock, false));
                refused += resource.refused(lock);
                always.addAll(Ledger.check(lock, resource.writes(lock, true)));
            }
        }
        JepsenHistory.write(out, history, List.of("three hosts, " + subject + ", seed " + seed));
        if (!setClocks) {
            always.addAll(overlaps);
        }
        always.forEach(each -> System.out.println("VIOLATION " + each));
        System.out.println(subject + ", seed " + seed + ": " + strikes + " strikes, "
                + history.operations().size() + " requests, "
                + history.operations().stream().filter(Operation::obtained).count() + " holds, "
                + history.operations().stream().filter(each -> each.lost() != 0).count() + " told lost, "
                + overlaps.size() + " overlaps, " + lost + " lost updates unfenced, " + refused
                + " old tokens refused, "
                + always.size() + " violations");
        return always.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
