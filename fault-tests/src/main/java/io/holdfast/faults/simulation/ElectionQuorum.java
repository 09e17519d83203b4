package io.holdfast.faults.simulation;

import io.holdfast.testkit.MemoryServer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the nodes of a quorum have of elections: of which a majority keeps its memory. */
final class ElectionQuorum implements ElectionHolds {
    private static final long MILLI = Checks.MILLI;

    /** By which a node knows that it has its memory: for longer than any run. */
    private static final String MARKER = "hf:node";

    private final Nodes nodes;

    ElectionQuorum(Nodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public void ran() {}

    @Override
    public void memoryIsLost() {}

    @Override
    public boolean isForgotten(int election, long token) {
        return false;
    }

    /** A majority keeps the hold as long as the lease is good; a node that has lost its memory is kept out for that long. */
    @Override
    public @Nullable String lackOf(Led led, double left) {
        int keeping = 0;
        for (Node node : nodes.servers) {
            String owner = ownerOf(node.memory, led.election());
            if (owner != null && !owner.equals(led.leadership.owner())) {
                led.rivals.set(node.number);
            }
            boolean keeps = led.leadership.owner().equals(owner)
                    && left
                            <= node.memory
                                                    .command("PTTL", ElectionHolds.keyOf(led.election()))
                                                    .asLong()
                                            * MILLI
                                    + ROUNDING;
            keeping += keeps || nodes.isForgetful(node.number) ? 1 : 0;
        }
        return keeping > nodes.servers.size() / 2
                ? null
                : "is good for " + (long) left / MILLI + " ms, and " + keeping + " nodes keep it as long";
    }

    /** Tokens of nodes differ until the greatest has been written back. */
    private static @Nullable String ownerOf(MemoryServer node, int election) {
        String hold = ElectionServer.holdOf(node, election);
        return hold == null ? null : hold.substring(0, hold.indexOf(' '));
    }

    /**
     * Whether a majority could have kept the hold: every node that has not lost its memory and had no hold of somebody else's
     * meanwhile. A leadership that a bare majority has granted ends with any of these.
     */
    @Override
    public boolean couldBeKept(Led led) {
        int able = 0;
        for (Node node : nodes.servers) {
            able += led.rivals.get(node.number) || nodes.isForgetful(node.number) ? 0 : 1;
        }
        return able > nodes.servers.size() / 2;
    }

    @Override
    public @Nullable String holdOf(int election) {
        return ElectionServer.holdOf(nodes.servers.get(0).memory, election);
    }

    @Override
    public List<String> keys() {
        List<String> keys = new ArrayList<>();
        nodes.memories().forEach(memory -> keys.addAll(ElectionServer.keys(memory)));
        keys.removeIf(MARKER::equals);
        return keys;
    }
}
