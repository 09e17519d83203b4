package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** What is looked at on the nodes of a quorum, past all clients. */
final class QuorumChecks {
    private static final long MILLI = Checks.MILLI;
    private static final long ROUNDING = 2 * MILLI;
    /** A calm client takes back what it does not want within a round trip. */
    private static final long CALM_ORPHAN_AFTER = 100 * MILLI;

    private final Plan plan;
    private final Checks checks;
    private final Checks.Surroundings world;
    private final List<MemoryServer> nodes;
    private final IntPredicate forgetful;
    private final Map<String, Asked> byOwner = new HashMap<>();
    private final Map<String, Long> unownedSince = new HashMap<>(); // by node, lock and owner

    /** @param forgetful the nodes that have lost their memory, and are kept out */
    QuorumChecks(
            Plan plan, Checks checks, Checks.Surroundings world, List<MemoryServer> nodes, IntPredicate forgetful) {
        this.plan = plan;
        this.checks = checks;
        this.world = world;
        this.nodes = nodes;
        this.forgetful = forgetful;
    }

    void owns(String owner, Asked asked) {
        byOwner.put(owner, asked);
    }

    /** A node takes a write-back only of whoever holds the lock there, by that very grant. */
    void answered(MemoryServer node, Command command, Reply reply) {
        List<String> words = command.words();
        if (words.size() < 7 || !LeaseLook.isWriteBack(words.get(1))) {
            return;
        }
        boolean taken = reply.asString().startsWith("HELD ");
        Reply hold = node.command("GET", words.get(3));
        String grant = words.get(5) + " " + words.get(6) + " ";
        if (taken && (hold.isNull() || !hold.asString().startsWith(grant))) {
            checks.found(
                    Check.WRITE_BACK,
                    "a node takes token " + words.get(7) + " of " + LineView.publicPart(words.get(5))
                            + ", which does not hold " + words.get(3) + " there");
        }
    }

    void afterStep() {
        for (int lock = 0; lock < plan.locks(); lock++) {
            String key = "hf:{" + Plan.lock(lock) + "}";
            String[] owners = new String[nodes.size()];
            for (int node = 0; node < owners.length; node++) {
                Reply hold = nodes.get(node).command("GET", key);
                owners[node] = hold.isNull() ? "" : LineView.publicPart(hold.asString());
                owned(node, lock, owners[node]);
            }
            for (Held held : checks.leases()) {
                if (held.lock == lock) {
                    noteRivals(held, owners);
                }
                if (held.lock == lock && held.machine.state() != Machine.State.DEAD) {
                    outlasted(held, key, owners);
                }
            }
        }
    }

    private static void noteRivals(Held held, String[] owners) {
        for (int node = 0; node < owners.length; node++) {
            if (!owners[node].isEmpty() && !owners[node].equals(held.owner)) {
                held.rivals.set(node);
            }
        }
    }

    /** A majority keeps the hold as long as the lease is good; a node that has lost its memory is kept out for that long. */
    private void outlasted(Held held, String key, String[] owners) {
        double lease = held.leftInWorld();
        if (lease <= 0) {
            return;
        }
        int keeping = 0;
        for (int node = 0; node < owners.length; node++) {
            boolean keeps = owners[node].equals(held.owner)
                    && lease <= nodes.get(node).command("PTTL", key).asLong() * MILLI + ROUNDING;
            keeping += keeps || forgetful.test(node) ? 1 : 0;
        }
        if (keeping < nodes.size() / 2 + 1) {
            checks.found(
                    Check.HOLDER,
                    held + " is good for " + (long) lease / MILLI + " ms, and " + keeping + " nodes keep it as long");
        }
    }

    /**
     * Whether a majority could have kept the hold: every node that has not lost its memory and had no hold of somebody
     * else's meanwhile. A lease that a bare majority has granted, because the others had voted for a rival, ends with any
     * of these.
     */
    boolean couldBeKept(Held held) {
        int able = 0;
        for (int node = 0; node < nodes.size(); node++) {
            able += held.rivals.get(node) || forgetful.test(node) ? 0 : 1;
        }
        return able > nodes.size() / 2;
    }

    /** The request that a hold belongs to: each of its rounds has an owner of its own. */
    private @Nullable Asked requestOf(String owner) {
        Asked asked = byOwner.get(owner);
        int round = owner.lastIndexOf('_');
        return asked == null && round > owner.lastIndexOf('-') ? byOwner.get(owner.substring(0, round)) : asked;
    }

    private void owned(int node, int lock, String owner) {
        if (owner.isEmpty()) {
            return;
        }
        Asked asked = requestOf(owner);
        if (asked == null || !isOrphan(asked, lock)) {
            return;
        }
        long now = world.now();
        long since = unownedSince.computeIfAbsent(node + " " + lock + " " + owner, none -> now);
        if (now - since > CALM_ORPHAN_AFTER
                && world.undisturbed(asked.machine, asked.item.lock(), asked.askedAt - Checks.GRACE)
                && world.nodeIsCalm(node)) {
            checks.found(
                    Check.ORPHAN,
                    "node " + node + " holds lock" + lock + " for " + asked + ", which has ended, since "
                            + (now - since) / MILLI + " ms");
        }
    }

    private boolean isOrphan(Asked asked, int lock) {
        return asked.done
                && !asked.keepsHold
                && asked.machine.isRunning()
                && checks.leases().stream()
                        .noneMatch(held -> held.asked == asked && held.lock == lock && held.overSince == Asked.NEVER);
    }

    /** When all has been quiet for long enough. */
    void nothingLeft() {
        for (int lock = 0; lock < plan.locks(); lock++) {
            for (int node = 0; node < nodes.size(); node++) {
                Reply hold = nodes.get(node).command("GET", "hf:{" + Plan.lock(lock) + "}");
                Asked asked = hold.isNull() ? null : requestOf(LineView.publicPart(hold.asString()));
                if (asked != null && isOrphan(asked, lock)) {
                    checks.found(Check.ORPHAN, "node " + node + " holds lock" + lock + " for " + asked);
                }
            }
        }
    }
}
