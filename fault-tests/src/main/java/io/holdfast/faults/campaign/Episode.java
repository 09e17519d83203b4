package io.holdfast.faults.campaign;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.faults.following.Following;
import io.holdfast.faults.history.Checks;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.JepsenHistory;
import io.holdfast.faults.history.Ledger;
import io.holdfast.faults.history.Operation;
import io.holdfast.faults.history.Registers;
import io.holdfast.faults.history.Violation;
import io.holdfast.faults.subjects.Subjects;
import io.holdfast.faults.subjects.Target;
import io.holdfast.faults.subjects.Way;
import io.holdfast.model.following.Followed;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One subject, one set of servers, one kind of fault or two, some seconds.
 *
 * @param subject its name
 * @param topology which servers
 * @param mishap what happens
 * @param term how long a hold lasts without renewal
 * @param strikes how many times as often it happens as it otherwise would
 * @param seed of what happens when; scheduling of real processes does not follow from it
 * @param follow whether each call of a script is compared with the model
 */
record Episode(
        String subject, Topology topology, Mishap mishap, Duration term, int strikes, long seed, boolean follow) {
    private static final int WORKERS = 4;
    private static final int THREADS = 4;
    private static final List<String> LOCKS = List.of("a", "b", "c");
    private static final List<String> JOBS = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l");
    private static final int WORDS = 20; // violations of one kind that are told
    private static final Duration CALM = Duration.ofMillis(600);
    /** A refresh and a claim, and what a loaded machine needs. */
    private static final Duration UNDISTURBED = Duration.ofSeconds(4);
    /** What comes on top of a term: a command that is not answered, a refresh, a claim. */
    private static final Duration RECOVERY = Duration.ofSeconds(6);
    /** Seeing that a lease is over and telling of it are two threads of one process. */
    private static final Duration TELLING = Duration.ofSeconds(1);

    private static final String LITTER = """
            local left = {}
            for _, key in ipairs(redis.call('KEYS', '*')) do
              if redis.call('PTTL', key) == -1 then left[#left + 1] = key end
            end
            return left
            """;

    /** The key of a hold, or the members of a line whose ends are to come; what is over may lie there until somebody looks. */
    private static final String HOLDS = """
            local time = redis.call('TIME')
            local members = ARGV[1] .. ':m'
            if #redis.call('KEYS', members) > 0 then
              return redis.call('ZRANGEBYSCORE', members, time[1] * 1000 + math.floor(time[2] / 1000) + 1, '+inf')
            end
            local holds = redis.call('KEYS', ARGV[1])
            if #holds == 0 or redis.call('TYPE', ARGV[1]).ok ~= 'string' then return {} end
            return string.sub(redis.call('GET', ARGV[1]), 1, 2) == '= ' and {} or holds -- a record of what was done stays
            """;

    /** That follows nothing. */
    Episode(String subject, Topology topology, Mishap mishap, Duration term, int strikes, long seed) {
        this(subject, topology, mishap, term, strikes, seed, false);
    }

    /** Runs it; the folder is for its files, and the program of single servers has this clock. Work that is done once is called for by these. */
    EpisodeResult run(Path folder, ServerClock clock, WorkerClocks workers) throws IOException {
        Files.createDirectories(folder);
        clock.reset();
        Random random = new Random(seed);
        String began = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        try (Servers servers = new Servers(topology, mishap.serverSettings());
                RedisServer ledger = RedisServer.start();
                Crew crew = new Crew(
                        folder,
                        worker -> settings(worker, servers, ledger, folder),
                        worker -> way() == Way.ONCE ? workers.launcher(folder, worker) : List.of())) {
            String version = servers.version();
            crew.start(WORKERS);
            long begin = System.nanoTime();
            long commandsBefore = servers.commands();
            List<Striker> strikers = new ArrayList<>();
            for (Fault fault : mishap.faults()) {
                Random own = strikers.isEmpty() ? random : new Random(~seed);
                strikers.add(new Striker(fault, servers, crew, clock, term, way(), LOCKS.get(0), own));
            }
            Striker.pause(CALM);
            int times = Math.max(1, mishap.times()) * strikes;
            for (int i = 0; i < times; i++) {
                Striker.strikeTogether(strikers);
                Striker.pause(Duration.ofMillis(400 + random.nextInt(1_500)));
            }
            Striker.pause(Duration.ofSeconds(2));
            long commands = servers.commands() - commandsBefore;
            List<String> stuck = crew.stop();
            double seconds = (System.nanoTime() - begin) / 1e9;
            History history = crew.history();
            JepsenHistory.write(folder, history, head(version, began));
            List<String> left = leftBehind(servers, history.byLock().keySet());
            Followed followed = follow && Subjects.isHoldfast(subject) ? new Followed() : null;
            List<Violation> differences = new ArrayList<>();
            for (int worker = 0; followed != null && worker < crew.size(); worker++) {
                Following.Result result = Following.Result.read(followedBy(folder, worker));
                followed.add(result.calls());
                String difference = result.difference();
                if (difference != null) {
                    differences.add(new Violation("model", "worker " + worker + ", " + difference));
                }
            }
            return judge(history, stuck, left, version, began, seconds, commands, ledger, followed, differences);
        }
    }

    private static Path followedBy(Path folder, int worker) {
        return folder.resolve("followed-" + worker + ".json");
    }

    private static String address(RedisServer ledger) {
        return "127.0.0.1:" + ledger.port();
    }

    /** What a history begins with, for whoever has nothing else of it. */
    private List<String> head(String version, String began) {
        return List.of(
                "Holdfast fault campaign, " + label() + ", " + began + ", commit " + commit(),
                Subjects.version(subject) + ", " + version + ", term " + term.toMillis() + " ms, strikes "
                        + mishap.times() * mishap.faults().size() * strikes + ", "
                        + (isInside() ? "inside the assumptions" : "outside the assumptions"));
    }

    /** Of the sources, as the script that starts the campaign tells. */
    private static String commit() {
        return System.getProperty("holdfast.faults.commit", "unknown");
    }

    private Worker.Settings settings(int worker, Servers servers, RedisServer ledger, Path folder) {
        Target target = servers.target(worker);
        return new Worker.Settings(
                subject,
                follow ? target.followedInto(followedBy(folder, worker)) : target,
                term,
                address(ledger),
                way() == Way.ONCE ? JOBS : LOCKS,
                THREADS,
                seed * 1_000 + worker,
                Crew.historyOf(folder, worker));
    }

    /** Keys without an expiry; for Holdfast also holds, once all terms are over. */
    private List<String> leftBehind(Servers servers, Set<String> locks) {
        List<String> left = new ArrayList<>();
        for (RedisServer master : servers.masters()) {
            try {
                for (Reply key : master.command("EVAL", LITTER, "0").asList()) {
                    left.add(key.asString() + " has no expiry");
                }
            } catch (DriverException e) {
                left.add("a server does not answer: " + e.getMessage());
            }
        }
        if (Subjects.isHoldfast(subject)) {
            long end = System.nanoTime() + term.plus(RECOVERY).toNanos();
            List<String> holds = holds(servers, locks);
            while (!holds.isEmpty() && System.nanoTime() - end < 0) {
                Striker.pause(Duration.ofMillis(50));
                holds = holds(servers, locks);
            }
            left.addAll(holds);
        }
        return left;
    }

    private List<String> holds(Servers servers, Set<String> locks) {
        List<String> holds = new ArrayList<>();
        for (RedisServer master : servers.masters()) {
            for (String lock : locks) {
                String key = "hf:{" + way().tag(lock) + "}";
                for (Reply each : master.command("EVAL", HOLDS, "0", key).asList()) {
                    holds.add(each.asString() + " is still held");
                }
            }
        }
        return holds;
    }

    private EpisodeResult judge(
            History history,
            List<String> stuck,
            List<String> left,
            String version,
            String began,
            double seconds,
            long commands,
            RedisServer ledger,
            @Nullable Followed followed,
            List<Violation> differences) {
        boolean ours = Subjects.isHoldfast(subject);
        boolean guards = way().guards();
        boolean fenced = guards && history.operations().stream().anyMatch(each -> each.token() != 0);
        List<Violation> exclusion = Checks.exclusion(history);
        boolean numbered = history.operations().stream().anyMatch(each -> each.token() != 0);
        List<Violation> tokens = Checks.tokens(history);
        List<Violation> stale = Registers.reads(history, Registers.FENCED);
        // A writer may stand still between its check and its write: only counted, as lost updates are.
        int stalePlain = Registers.reads(history, Registers.PLAIN).size();
        List<Violation> order = topology == Topology.QUORUM ? List.of() : Checks.order(history);
        List<Violation> always = new ArrayList<>(Checks.outcomes(history));
        List<Violation> inside = new ArrayList<>(exclusion);
        always.addAll(stale);
        always.addAll(differences);
        if (way().isShared()) {
            inside.addAll(Checks.phases(history)); // who has been forgotten goes on reading under an older token
        } else if (way() == Way.ONCE) {
            inside.addAll(Checks.once(history)); // a record is in the memory of a server
            inside.addAll(Checks.undone(history, term.plus(RECOVERY)));
        }
        int lostPlain = 0;
        int lostFenced = 0;
        int refused = 0;
        try (GuardedResource resource = new GuardedResource(address(ledger))) {
            for (String lock : history.byLock().keySet()) {
                lostPlain += Ledger.lostUpdates(resource.writes(lock, false));
                lostFenced += Ledger.lostUpdates(resource.writes(lock, true));
                refused += resource.refused(lock);
                always.addAll(Ledger.check(lock, resource.writes(lock, true)));
            }
        }
        always.addAll(Checks.pauses(history, LOCKS.get(0)));
        always.addAll(Checks.losses(history, TELLING));
        Duration idle = idle(history);
        inside.addAll(Checks.liveness(history, UNDISTURBED, term.plus(RECOVERY)));
        stuck.forEach(each -> always.add(new Violation("ends", each)));
        left.forEach(each -> always.add(new Violation("litter", each)));
        // Tokens rise across lost memory and set clocks; but a client goes on lending a hold that the server has
        // forgotten, under the tokens of that hold, until it is told: they are older than those of its successors, and
        // refused.
        boolean lent = Subjects.sharesHolds(subject);
        tokens.forEach(each -> (lent || each.check().equals(Checks.PHASES) ? inside : always).add(each));
        List<String> violations = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        if (ours) {
            words(always, violations);
            words(inside, isInside() ? violations : remarks);
            // A queue that the server has forgotten is built anew, in any order.
            words(order, mishap.isInside(topology) ? violations : remarks);
        } else {
            words(always, remarks);
            words(inside, remarks);
            words(order, remarks);
        }
        List<String> done = Checks.done(history);
        Map<String, Integer> outcomes = new TreeMap<>();
        for (Operation each : history.operations()) {
            String word = each.obtained() ? "Obtained" : each.outcome().isEmpty() ? "Cut" : each.outcome();
            outcomes.merge(word, 1, Integer::sum);
        }
        long told =
                history.operations().stream().filter(each -> each.lost() != 0).count();
        return new EpisodeResult(
                subject,
                Subjects.version(subject),
                version,
                topology.name().toLowerCase(java.util.Locale.ROOT),
                mishap.label(),
                isInside(),
                seed,
                began,
                commit(),
                term.toMillis(),
                seconds,
                mishap.times() * mishap.faults().size() * strikes,
                outcomes,
                commands,
                exclusion.size(),
                numbered ? tokens.size() : -1,
                ours ? order.size() : -1, // the others do not tell when a request is queued
                guards ? lostPlain : -1,
                fenced ? lostFenced : -1,
                guards ? stalePlain : -1,
                fenced ? stale.size() : -1,
                refused,
                (int) told,
                idle.toMillis(),
                left.size(),
                way() == Way.ONCE ? done.size() : -1,
                way() == Way.ONCE ? (int) done.stream().filter(Way::isSlot).count() : -1,
                followed,
                violations,
                remarks);
    }

    private Way way() {
        return Subjects.way(subject);
    }

    /** Whether leases must not overlap. */
    private boolean isInside() {
        return mishap.isInside(topology) || (subject.equals(Subjects.QUARANTINE) && mishap.forgets(topology));
    }

    private Duration idle(History history) {
        if (!mishap.any(fault -> fault == Fault.NONE)) {
            Map<String, Duration> worst = Checks.recoveries(history);
            return mishap.faults().stream()
                    .map(fault -> worst.getOrDefault(fault.label(), Duration.ZERO))
                    .max(Duration::compareTo)
                    .orElse(Duration.ZERO);
        }
        return Checks.idle(history, Duration.ofMillis(1)).stream()
                .map(each -> Duration.ofNanos(each.to() - each.from()))
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    private static void words(List<Violation> violations, List<String> to) {
        Map<String, Integer> seen = new TreeMap<>();
        for (Violation each : violations) {
            if (seen.merge(each.check(), 1, Integer::sum) <= WORDS) {
                to.add(each.toString());
            }
        }
        seen.forEach((check, count) -> {
            if (count > WORDS) {
                to.add(check + ": " + (count - WORDS) + " more");
            }
        });
    }

    /** For progress and for the name of its folder. */
    String label() {
        return subject + "-" + topology.name().toLowerCase(java.util.Locale.ROOT) + "-" + mishap.label() + "-" + seed;
    }
}
