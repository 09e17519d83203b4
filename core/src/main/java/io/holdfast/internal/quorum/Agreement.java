package io.holdfast.internal.quorum;

import io.holdfast.QuorumOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32;

/**
 * On what all clients of a quorum have to agree, as each node keeps it in its marker: two majorities share a node only if they are of
 * the same nodes, and a node that lost its memory is kept out for long enough only if no client has longer leases than it knows.
 *
 * @param count how many nodes
 * @param maxLeaseMillis the longest lease duration, in ms
 * @param durable whether a restart of a node loses nothing
 * @param nodes which nodes, or the name that stands for them, as eight hexadecimal digits
 */
record Agreement(String count, String maxLeaseMillis, String durable, String nodes) {
    private static final String SEPARATOR = "/";

    /**
     * That of a client.
     *
     * @param names of the nodes as the client was given them; their order is of no importance
     */
    static Agreement of(List<String> names, QuorumOptions options) {
        CRC32 sum = new CRC32(); // against mistakes, and not against forgers
        String name = options.name();
        String all =
                name != null ? name : String.join(" ", names.stream().sorted().toList());
        sum.update(all.getBytes(StandardCharsets.UTF_8));
        return new Agreement(
                Integer.toString(names.size()),
                Long.toString(options.maxLeaseDuration().toMillis()),
                options.durableNodes() ? "durable" : "volatile",
                String.format("%08x", sum.getValue()));
    }

    /** As nodes keep it: without blanks. */
    String word() {
        return String.join(SEPARATOR, count, maxLeaseMillis, durable, nodes);
    }

    /** Behind the name of a node: in what this client and those of the node differ, and what to do. */
    String differenceTo(String word) {
        String[] other = word.split(SEPARATOR, -1);
        String difference = other.length != 4
                ? "those clients have written: " + word
                : "those clients: " + inWords(other) + "; this client: "
                        + inWords(new String[] {count, maxLeaseMillis, durable, nodes});
        return " is a node of other clients, which do not agree with this one; " + difference
                + ". Give all clients the same nodes, maxLeaseDuration and durableNodes; if they reach the nodes by different"
                + " addresses, also give the nodes names (QuorumOptions.withName). To change these settings, stop all"
                + " clients, and delete each node's marker";
    }

    private static String inWords(String[] of) {
        return of[0] + " nodes (" + of[3] + "), leases of at most " + of[1] + " ms, " + of[2];
    }
}
