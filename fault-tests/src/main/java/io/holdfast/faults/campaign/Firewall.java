package io.holdfast.faults.campaign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Drops packets between processes and a server, in a network of the campaign's own: {@code fault-tests/run --own-network}
 * makes one, so that nothing else on the machine is touched. Unlike with a proxy, nobody's socket notices anything, and
 * what was lost is sent again by the kernel, later and later.
 */
final class Firewall {
    /** Set by the script that makes the network. */
    private static final String PROPERTY = "holdfast.faults.network";

    private Firewall() {}

    /** Why packets cannot be dropped here; empty if they can. */
    static Optional<String> problem() {
        if (!System.getProperty(PROPERTY, "").equals("own")) {
            return Optional.of("there is no network of the campaign's own: --own-network makes one");
        }
        try {
            iptables("-L", "INPUT");
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Drops what goes to these ports, what comes from them, or both. */
    static void drop(List<Integer> ports, boolean to, boolean from) {
        for (int port : ports) {
            if (to) {
                iptables("-A", "INPUT", "-i", "lo", "-p", "tcp", "--dport", Integer.toString(port), "-j", "DROP");
            }
            if (from) {
                iptables("-A", "INPUT", "-i", "lo", "-p", "tcp", "--sport", Integer.toString(port), "-j", "DROP");
            }
        }
    }

    /** Lets everything pass again. */
    static void clear() {
        iptables("-F", "INPUT");
    }

    private static void iptables(String... arguments) {
        List<String> line = new ArrayList<>(List.of("iptables"));
        line.addAll(Arrays.asList(arguments));
        try {
            Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("iptables failed: " + output.strip());
            }
        } catch (IOException e) {
            throw new IllegalStateException("there is no iptables: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
