package io.holdfast.cli;

import io.holdfast.Diagnosis;
import io.holdfast.Diagnosis.Ability;
import io.holdfast.Diagnosis.Clock;
import io.holdfast.Diagnosis.Facts;
import io.holdfast.Diagnosis.Probe;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast doctor}: whether a server is fit for locks, and what to do if not. */
final class Doctor implements Subcommand {
    /** People compare times of several machines by eye. */
    private static final Duration CLOCK_LIMIT = Duration.ofSeconds(1);

    private static final Duration MEDIAN_LIMIT = Duration.ofMillis(50);
    /** Half the time after which an answer counts as missing. */
    private static final Duration LONGEST_LIMIT = Duration.ofSeconds(1);

    private static final int PERCENT_LIMIT = 90;
    private static final long MEBI = 1 << 20;
    private static final String PERMISSIONS = "give the user the permissions of docs/operations.md";

    /** How it is with one thing. */
    enum Level {
        OK,
        WARN,
        FAIL;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One finding.
     *
     * @param check what was looked at; a promise, as the field names of documents are
     * @param found what it is like
     * @param advice what to do; null if nothing is
     */
    record Finding(
            String check,
            Level level,
            String found,
            @Nullable String advice) {}

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                "doctor",
                "holdfast doctor [--clock-for TIME] [--json] [--url URL] [-v]",
                "Checks a server: version, role, memory, persistence, clock, latency, and the most important of this"
                        + " user's permissions. To test the permissions, it acquires a lock and a read/write"
                        + " lock named 'holdfast doctor' for a moment, and sends itself a message. For each problem it"
                        + " says what to do.",
                Pages.statuses("0", "no problems, or only warnings", "1", "something fails"));
        spec.addOption(Specs.value(
                ClockDrift.OPTION,
                "TIME",
                "How long to compare the server's clock with this machine's; a longer time gives a more exact"
                        + " answer. 3s by default, at most 10m; 0s skips the comparison."));
        Specs.examples(spec, "  A check before a deployment:", "    holdfast doctor --url redis://locks || exit");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String text = given.matchedOptionValue(ClockDrift.OPTION, null);
        Duration length = text == null ? ClockDrift.USUAL : ClockDrift.length(text);
        Server server = Server.of(given);
        Diagnosis diagnosis = null;
        List<Finding> findings;
        int status;
        try {
            diagnosis = server.diagnose();
            findings = findings(diagnosis, server.drift(length).orElse(null));
            if (server.isBundled()) {
                findings.add(bundled());
            }
            status = count(findings, Level.FAIL) == 0 ? 0 : ExitStatus.NO;
        } catch (ServerUnreachableException | ServerRefusedException | DriverException e) {
            findings = List.of(new Finding(
                    "connection",
                    Level.FAIL,
                    String.valueOf(e.getMessage()),
                    "check address, network, user and password"));
            status = ExitStatus.UNREACHABLE;
        }
        if (given.hasMatchedOption("--json")) {
            Diagnosis known = diagnosis;
            List<Finding> told = findings;
            Json.print(json -> document(json, known, told));
        } else {
            System.out.print(page(findings));
        }
        return status;
    }

    private static int count(List<Finding> findings, Level level) {
        return (int) findings.stream().filter(each -> each.level() == level).count();
    }

    private static String page(List<Finding> findings) {
        Table table = new Table();
        for (Finding each : findings) {
            table.add(each.level().word(), each.check(), each.found());
            if (each.advice() != null) {
                table.add("", "", "→ " + each.advice());
            }
        }
        int warnings = count(findings, Level.WARN);
        return table.text() + count(findings, Level.OK) + " ok, " + Words.count(warnings, "warning") + ", "
                + count(findings, Level.FAIL) + " failed\n";
    }

    private static void document(Json json, @Nullable Diagnosis diagnosis, List<Finding> findings) {
        json.text("server", diagnosis == null ? null : diagnosis.server())
                .number("ok", count(findings, Level.OK))
                .number("warnings", count(findings, Level.WARN))
                .number("failed", count(findings, Level.FAIL));
        json.list(
                "checks",
                findings,
                (each, finding) -> each.text("check", finding.check())
                        .text("level", finding.level().word())
                        .text("found", finding.found())
                        .text("advice", finding.advice()));
        Facts facts = diagnosis == null ? null : diagnosis.facts().orElse(null);
        Clock clock = diagnosis == null ? null : diagnosis.clock().orElse(null);
        List<Duration> pings = diagnosis == null ? List.of() : diagnosis.pings();
        json.text("product", facts == null ? null : facts.product())
                .text("version", facts == null ? null : facts.version())
                .text("user", diagnosis == null ? null : diagnosis.user().orElse(null))
                .fractionalMillis("clockAhead", clock == null ? null : clock.ahead())
                .fractionalMillis("clockRoundTrip", clock == null ? null : clock.roundTrip())
                .fractionalMillis("pingShortest", pings.isEmpty() ? null : pings.get(0))
                .fractionalMillis("pingMedian", pings.isEmpty() ? null : pings.get(pings.size() / 2))
                .fractionalMillis("pingLongest", pings.isEmpty() ? null : pings.get(pings.size() - 1));
    }

    // ---- judging

    /**
     * What the facts mean.
     *
     * @param drift null if it is not known
     */
    static List<Finding> findings(Diagnosis diagnosis, @Nullable ClockDrift drift) {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding(
                "connection",
                Level.OK,
                diagnosis.server()
                        + diagnosis.user().map(user -> ", as user " + user).orElse(""),
                null));
        Facts facts = diagnosis.facts().orElse(null);
        if (facts == null) {
            findings.add(new Finding(
                    "info",
                    Level.WARN,
                    "INFO is not allowed: version, role, memory and persistence are not known",
                    "allow +info to have them checked"));
        } else {
            findings.add(version(facts));
            findings.add(role(facts));
            findings.add(memory(facts));
            findings.add(persistence(facts));
        }
        diagnosis.clock().ifPresent(clock -> findings.add(clock(clock)));
        if (drift != null) {
            findings.add(drift(drift));
        }
        if (!diagnosis.pings().isEmpty()) {
            findings.add(latency(diagnosis.pings()));
        }
        diagnosis.probes().forEach(probe -> findings.add(ability(probe)));
        KnownServers.row(diagnosis).ifPresent(row -> findings.add(service(row)));
        return findings;
    }

    private static Finding version(Facts facts) {
        String found = KnownServers.product(facts) + " " + facts.version();
        return facts.tooOld()
                ? new Finding("version", Level.FAIL, found, "upgrade the server: Redis 6.2 is the oldest that works")
                : new Finding("version", Level.OK, found, null);
    }

    private static Finding service(KnownServers.Row row) {
        return new Finding(
                "service",
                row.fit() ? Level.OK : Level.WARN,
                "this looks like " + row.name(),
                row.advice() + "; see docs/guide/managed-servers.md");
    }

    private static Finding bundled() {
        return new Finding(
                "program",
                Level.WARN,
                "the bundled server, which has known vulnerabilities (SECURITY.md)",
                "install valkey-server or redis-server, 7.0.15 or later, from this machine's distribution: the next"
                        + " machine-local server that starts will use that program");
    }

    private static Finding role(Facts facts) {
        if (!facts.master()) {
            return new Finding("role", Level.FAIL, "a replica", "give the address of the master");
        }
        if (facts.clustered()) {
            return new Finding(
                    "role",
                    Level.FAIL,
                    "a node of a cluster",
                    "give the address of the cluster: redis-cluster://host:port");
        }
        return facts.replicas() == 0
                ? new Finding("role", Level.OK, "a master without replicas", null)
                : new Finding(
                        "role",
                        Level.WARN,
                        "a master with " + Words.count(facts.replicas(), "replica")
                                + "; a replica that takes over may lack the newest locks, so that two clients hold one lock",
                        "let clients use withReplicas(" + facts.replicas()
                                + "), or withQuarantine of their longest lease, or a quorum; see docs/claim.md");
    }

    private static Finding memory(Facts facts) {
        String used = facts.memoryUsedBytes() / MEBI + " MiB used of "
                + (facts.memoryLimitBytes() == 0 ? "no limit" : facts.memoryLimitBytes() / MEBI + " MiB");
        String policy = facts.evictionPolicy();
        if (!policy.isEmpty() && !policy.equals("noeviction")) {
            return new Finding(
                    "memory",
                    Level.WARN,
                    used + ", maxmemory-policy " + policy + ": when its memory is full, the server may drop locks",
                    "CONFIG SET maxmemory-policy noeviction");
        }
        if (facts.memoryLimitBytes() > 0 && facts.memoryUsedBytes() > facts.memoryLimitBytes() / 100 * PERCENT_LIMIT) {
            return new Finding(
                    "memory",
                    Level.WARN,
                    used + ": when the memory is full, no lock can be taken",
                    "raise maxmemory, or free some memory");
        }
        return new Finding("memory", Level.OK, used + (policy.isEmpty() ? "" : ", " + policy), null);
    }

    private static Finding persistence(Facts facts) {
        return facts.failedToSave().isEmpty()
                ? new Finding(
                        "persistence", Level.OK, "nothing failed; a restart that loses data also loses locks", null)
                : new Finding(
                        "persistence",
                        Level.WARN,
                        String.join(", ", facts.failedToSave())
                                + ": not ok; the server may refuse writes, locks included",
                        "check the server's log and its disk");
    }

    private static Finding clock(Clock clock) {
        Duration ahead = clock.ahead();
        String found = (ahead.abs().compareTo(clock.roundTrip()) <= 0
                        ? "the same as this machine's"
                        : fine(ahead.abs()) + (ahead.isNegative() ? " behind" : " ahead of") + " this machine's")
                + " (± " + fine(clock.roundTrip().dividedBy(2)) + ")";
        return ahead.abs().compareTo(CLOCK_LIMIT) > 0
                ? new Finding(
                        "clock",
                        Level.WARN,
                        found + ": locks are not affected, but displayed times and jobs that start by the clock are",
                        "set the clocks of both machines by NTP")
                : new Finding("clock", Level.OK, found, null);
    }

    private static Finding drift(ClockDrift drift) {
        String found = String.format(
                Locale.ROOT,
                "the server's clock runs %+.3f %% (± %.3f %%) against this machine's, over %s",
                drift.percent(),
                drift.uncertainPercent(),
                Span.inWords(drift.over()));
        if (drift.isTooFast()) {
            return new Finding(
                    "drift",
                    Level.WARN,
                    found + ": faster than the 1 % that leases allow for, so a hold may end before its lease does",
                    "limit the slewing of the server's clock to less than 0.5 % (chrony: maxslewrate 4000), and step"
                            + " the clock only at boot (makestep); see docs/safety.md");
        }
        return new Finding(
                "drift",
                Level.OK,
                found + (drift.mayBeTooFast() ? "; a longer comparison shows whether that is within 1 %" : ""),
                drift.mayBeTooFast() ? "holdfast doctor " + ClockDrift.OPTION + " 1m" : null);
    }

    private static Finding latency(List<Duration> pings) {
        Duration median = pings.get(pings.size() / 2);
        Duration longest = pings.get(pings.size() - 1);
        String found = "shortest " + fine(pings.get(0)) + ", median " + fine(median) + ", longest " + fine(longest)
                + " of " + pings.size();
        return median.compareTo(MEDIAN_LIMIT) > 0 || longest.compareTo(LONGEST_LIMIT) > 0
                ? new Finding(
                        "latency",
                        Level.WARN,
                        found,
                        "use a nearer or less busy server, and longer lease durations (many seconds)")
                : new Finding("latency", Level.OK, found, null);
    }

    private static Finding ability(Probe probe) {
        String check = probe.ability().name().toLowerCase(Locale.ROOT);
        boolean needed = probe.ability() == Ability.SCRIPTS
                || probe.ability() == Ability.LOCKING
                || probe.ability() == Ability.LISTENING;
        String problem = probe.problem().orElse(null);
        if (problem == null) {
            return new Finding(
                    check,
                    Level.OK,
                    switch (probe.ability()) {
                        case SCRIPTS -> "scripts run";
                        case BATCHES -> "one call can name several locks";
                        case LOCKING -> "a lock was taken and released";
                        case SHARING -> "a read/write lock was taken, extended and released";
                        case LISTENING -> "the client's channel can be subscribed to";
                        case MESSAGES -> "a message was sent and arrived";
                        case SUBSCRIBERS -> "the server says who listens";
                        case SEARCHING -> "the server can be searched";
                        case CLIENTS -> "clients can be listed";
                    },
                    null);
        }
        if (probe.ability() == Ability.BATCHES || probe.ability() == Ability.SEARCHING) {
            return new Finding(
                    check, Level.OK, problem, null); // clients find out by themselves; who searches is told so then
        }
        return new Finding(
                check,
                needed ? Level.FAIL : Level.WARN,
                problem,
                switch (probe.ability()) {
                    case SCRIPTS, LOCKING, LISTENING -> "no lock can be acquired here: " + remedy(problem);
                    case SHARING -> "read/write locks and semaphores do not work here: " + remedy(problem);
                    case MESSAGES -> "waiters learn of their turn some seconds late: " + PERMISSIONS;
                    case SUBSCRIBERS -> "each dead waiter delays the others by a second: " + PERMISSIONS;
                    case CLIENTS ->
                        "ls, top and clients show only what clients report on their own: allow +pubsub|channels, on a cluster"
                                + " +pubsub|shardchannels";
                    case BATCHES, SEARCHING -> null;
                });
    }

    /** What to do about what a server that locks are wanted of says. */
    private static String remedy(String problem) {
        if (problem.contains("READONLY")) {
            return "a replica cannot write; give the address of the master";
        }
        if (problem.contains("OOM")) {
            return "the server's memory is full; raise maxmemory, or free some memory";
        }
        if (problem.contains("MISCONF")) {
            return "the server refuses writes because it cannot save; check its log and its disk";
        }
        return PERMISSIONS;
    }

    /** With microseconds, which {@link Span} has no use for. */
    private static String fine(Duration length) {
        long micros = length.toNanos() / 1_000;
        return micros < 10_000
                ? String.format(Locale.ROOT, "%.2fms", micros / 1_000.0)
                : micros < 1_000_000 ? micros / 1_000 + "ms" : Span.inWords(length);
    }
}
