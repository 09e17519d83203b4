package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.spi.Reply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What clients report of themselves, beside what they have: no lease is missing that has lasted for a while, its client can be asked,
 * and a client that has had nothing for a while has taken its report back. Looked at now and then, of clients with which, and with whose server, nothing has been
 * wrong for so long that a report that failed was repeated.
 */
final class ReportChecks {
    /** A report that failed is repeated after ten seconds. */
    private static final long CALM = 15_000 * Checks.MILLI;
    /** What has lasted for a second is reported within two. */
    private static final long REPORTED_WITHIN = 3_500 * Checks.MILLI;
    /** When all is over the report is taken back within two seconds. */
    private static final long TAKEN_BACK_WITHIN = 4_000 * Checks.MILLI;

    /** For so long a report may tell of something that would have lasted on. */
    private static final long COPY_LASTS = 40_000 * Checks.MILLI;

    /** In the keys of reports, and in the channels by which clients of a cluster are asked. */
    static final String REPORTS = "{%reports}";

    private final World world;
    private final Node node;

    /** A process, and what is known of its client. */
    private static final class Seen {
        final String client;
        /** When it had or wanted something last. */
        long busyAt;

        Seen(String client, long busyAt) {
            this.client = client;
            this.busyAt = busyAt;
        }
    }

    private final Map<Machine, Seen> seen = new HashMap<>();

    private ReportChecks(World world, Node node) {
        this.world = world;
        this.node = node;
    }

    /** What looks at the reports of a plan, if leases of such plans are where they were obtained. */
    static List<ReportChecks> of(World world) {
        List<Node> servers = world.servers;
        List<Node> reports = switch (world.plan.kind()) {
            case INSIDE, NESTED, STEERED, QUORUM -> servers;
            case CLUSTER -> List.of(servers.get(ClusterDriver.masterOf(REPORTS, servers.size())));
            case OUTSIDE, HANDED, KEPT -> List.of();
        };
        return reports.stream().map(node -> new ReportChecks(world, node)).toList();
    }

    private static String key(int lock) {
        return "hf:{" + Plan.lock(lock) + "}";
    }

    void look() {
        long now = world.now();
        Map<Machine, Set<String>> lasting = new HashMap<>();
        for (Held held : world.checks.leases()) {
            Seen its = seen.computeIfAbsent(held.machine, any -> new Seen(LineView.clientOf(held.owner), now));
            if (held.overSince == Asked.NEVER) {
                its.busyAt = now;
                if (now - held.obtainedAt > REPORTED_WITHIN) {
                    lasting.computeIfAbsent(held.machine, any -> new HashSet<>())
                            .add(key(held.lock));
                }
            }
        }
        world.checks.open().forEach(asked -> {
            Seen its = seen.get(asked.machine);
            if (its != null) {
                its.busyAt = now;
            }
        });
        seen.forEach((machine, its) -> {
            Set<String> reported = reported(its.client);
            if (reported.stream().anyMatch(key -> isBusy(key, its.client))) {
                its.busyAt = now;
            }
            boolean undisturbed = world.undisturbed(machine, 0, now - CALM) && node.troubled.calmSince(now - CALM);
            if (machine.isRunning() && undisturbed) {
                compare(machine, its, reported, lasting.getOrDefault(machine, Set.of()));
            }
        });
    }

    private void compare(Machine machine, Seen its, Set<String> reported, Set<String> lasting) {
        for (String key : lasting) {
            if (!reported.contains(key)) {
                world.checks.found(Check.REPORTED, machine + " has " + key + ", and does not report it: " + reported);
            }
        }
        if (!lasting.isEmpty() && !listens(its.client)) {
            world.checks.found(Check.REPORTED, machine + " has " + lasting + ", and cannot be asked");
        }
        long idle = world.now() - its.busyAt;
        // An operator may end what a client has left to its term: it goes on to report that. A late copy of a report
        // may come when
        // there is none any more. And a server may be restored to a time when there was one.
        long since = world.now() - COPY_LASTS;
        boolean mayStand = world.plan.kind() == Plan.Kind.STEERED
                || world.copiesSince(machine, since)
                || !node.troubled.calmSince(since);
        if (!mayStand && !reported.isEmpty() && idle > TAKEN_BACK_WITHIN) {
            world.checks.found(
                    Check.REPORTED,
                    machine + " reports " + reported + ", and has had nothing for " + idle / Checks.MILLI + " ms");
        }
    }

    /** Whether the server has a hold of this client, lent to a caller or kept, or the lock rests. */
    private boolean isBusy(String key, String client) {
        List<Node> nodes = isCluster() ? world.servers : List.of(node);
        return nodes.stream()
                .map(each -> each.memory.command("GET", key))
                .anyMatch(hold -> !hold.isNull()
                        && (hold.asString().startsWith(client)
                                || hold.asString().startsWith("- ")));
    }

    private boolean isCluster() {
        return world.plan.kind() == Plan.Kind.CLUSTER;
    }

    /** Whether somebody who looks can ask this client. */
    private boolean listens(String client) {
        String channel = (isCluster() ? "hf:" + REPORTS + ":to:" : "hf:to:") + client;
        return node.memory.command("PUBSUB", "NUMSUB", channel).asList().get(1).asLong() > 0;
    }

    /** The keys of the holds that it reports. */
    private Set<String> reported(String client) {
        Reply text = node.memory.command("GET", "hf:report:" + REPORTS + ":" + client);
        Set<String> reported = new HashSet<>();
        for (String line : text.isNull() ? new String[0] : text.asString().split("\n", -1)) {
            if (line.startsWith("l ")) {
                reported.add(line.substring(line.lastIndexOf(' ') + 1));
            }
        }
        return reported;
    }
}
