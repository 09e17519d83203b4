package io.holdfast.faults.simulation;

import io.holdfast.HoldfastOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.Wait;
import io.holdfast.faults.simulation.Troubled.How;
import io.holdfast.model.following.Follower;
import io.holdfast.testkit.FollowedServer;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a run, and when what is wrong with them disturbs clients: with each of them, or, of a quorum, with so many that
 * they matter. Times are nanoseconds of the world.
 */
final class Nodes {
    private static final long MILLI = Checks.MILLI;
    /** Of a quorum's node, and as long again as it may take until somebody asks it. */
    private static final long QUARANTINE = 50_000 * MILLI;

    private static final Duration LONG_AGO = Duration.ofMinutes(2);

    private final VirtualTime time;
    private final boolean quorum;
    final List<Node> servers = new ArrayList<>();
    private final List<FollowedServer> followed = new ArrayList<>();
    /** All servers, or so many nodes of a quorum that it matters. */
    final Troubled all = new Troubled();

    /**
     * @param quorum whether they vote
     * @param draw how much their clocks differ, if they are several
     */
    Nodes(VirtualTime time, int count, boolean quorum, Draw draw) {
        this.time = time;
        this.quorum = quorum;
        for (int i = 0; i < count; i++) {
            Node server = new Node(i, MemoryServer.start(time));
            if (count > 1) {
                server.memory.stepClock(Plan.millis(draw.between(-3_000, 3_000)));
            }
            servers.add(server);
        }
    }

    /** Nodes of a quorum have their memory since long ago: somebody has asked each, at another time of its clock. */
    void remember(HoldfastOptions options) {
        servers.forEach(server -> server.memory.stepClock(LONG_AGO.negated()));
        for (int first = 0; first < servers.size(); first++) {
            // A majority that refuses is enough for an answer: each node is asked first once.
            List<QuorumNode> nodes = new ArrayList<>();
            for (int i = 0; i < servers.size(); i++) {
                nodes.add(QuorumNode.over(
                        servers.get((first + i) % servers.size()).memory.driver()));
            }
            Quorum quorum = Quorum.connect(nodes, Clients.options(options), time.environment(-1 - first));
            var unused = quorum.lock("first").attemptAsync(Wait.none());
            time.advance(Duration.ofMillis(500));
            quorum.close();
        }
        servers.forEach(server -> server.memory.stepClock(LONG_AGO));
    }

    List<MemoryServer> memories() {
        return servers.stream().map(server -> server.memory).toList();
    }

    /** From now on what the servers do is compared with the models. */
    void follow(@Nullable Follower follower) {
        if (follower != null) {
            servers.forEach(server -> followed.add(FollowedServer.follow(server.memory, follower)));
        }
    }

    /** How a server differs from its model, the first time that one does; null if none did. */
    @Nullable
    String difference() {
        for (FollowedServer each : followed) {
            String difference = each.difference();
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    /** Whether a client can begin to talk to all of them. */
    boolean allAnswer() {
        return servers.stream().allMatch(server -> server.isUp(now()) && !server.frozen);
    }

    /** Whether a node has lost its memory, and is kept out. */
    boolean isForgetful(int node) {
        return now() < servers.get(node).forgetfulUntil;
    }

    /** A majority keeps its memory, where those do not count that have lost it and are kept out. */
    boolean mayForget(Node server) {
        long others = servers.stream()
                .filter(other -> other != server && now() < other.forgetfulUntil)
                .count();
        if (servers.size() > 1 && others + 1 > (servers.size() - 1) / 2) {
            return false;
        }
        server.forgetfulUntil = now() + QUARANTINE;
        return true;
    }

    /** A minority that is in trouble disturbs nobody. */
    void disturb(How how, Node of) {
        of.troubled.disturb(how, of.troubledUntil);
        if (!quorum) {
            all.disturb(how, of.troubledUntil);
            return;
        }
        List<Long> troubled = servers.stream()
                .map(server -> Math.max(server.troubledUntil, server.forgetfulUntil))
                .sorted(Comparator.reverseOrder())
                .toList();
        long until = troubled.get((servers.size() - 1) / 2);
        if (until >= now()) {
            all.disturb(how, until);
        }
    }

    private long now() {
        return time.elapsed().toNanos();
    }
}
