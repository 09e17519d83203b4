package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.ElectionChecks.Check;
import io.holdfast.testkit.MemoryServer;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What one server has of elections, and had before it lost its memory. */
final class ElectionServer implements ElectionHolds {
    private static final long MILLI = Checks.MILLI;

    private final MemoryServer server;
    private final BiConsumer<Check, String> found;
    private final @Nullable String[] seen = new String[ElectionPlan.ELECTIONS];
    private final long[] granted = new long[ElectionPlan.ELECTIONS]; // the greatest token
    private final long[] forgotten = new long[ElectionPlan.ELECTIONS]; // the same, when the memory was lost

    ElectionServer(MemoryServer server, BiConsumer<Check, String> found) {
        this.server = server;
        this.found = found;
    }

    /** Tokens rise in the order of grants, whatever the server has forgotten. */
    @Override
    public void ran() {
        for (int election = 0; election < seen.length; election++) {
            String hold = holdOf(election);
            if (hold != null && !hold.equals(seen[election])) {
                long token = tokenOf(hold);
                if (token <= granted[election]) {
                    found.accept(Check.TOKENS, "the server grants " + hold + " after " + granted[election]);
                }
                granted[election] = Math.max(granted[election], token);
            }
            seen[election] = hold;
        }
    }

    @Override
    public void memoryIsLost() {
        for (int election = 0; election < seen.length; election++) {
            forgotten[election] = granted[election];
            seen[election] = holdOf(election); // what older data has brought back is no grant
        }
    }

    @Override
    public boolean isForgotten(int election, long token) {
        return token <= forgotten[election];
    }

    @Override
    public @Nullable String lackOf(Led led, double left) {
        String hold = holdOf(led.election());
        if (!led.hold().equals(hold)) {
            return "is valid, but the server has " + hold;
        }
        long onServer =
                server.command("PTTL", ElectionHolds.keyOf(led.election())).asLong() * MILLI;
        return left <= onServer + ROUNDING
                ? null
                : "has " + (long) left / MILLI + " ms left, on the server " + onServer / MILLI;
    }

    @Override
    public boolean couldBeKept(Led led) {
        return !isForgotten(led.election(), led.token);
    }

    @Override
    public @Nullable String holdOf(int election) {
        return holdOf(server, election);
    }

    @Override
    public List<String> keys() {
        return keys(server);
    }

    static @Nullable String holdOf(MemoryServer server, int election) {
        var hold = server.command("GET", ElectionHolds.keyOf(election));
        if (hold.isNull()) {
            return null;
        }
        String[] words = hold.asString().split(" ", 3);
        return LineView.publicPart(words[0]) + " " + words[1];
    }

    static long tokenOf(String hold) {
        return Long.parseLong(hold.substring(hold.indexOf(' ') + 1));
    }

    static List<String> keys(MemoryServer server) {
        return server.command("KEYS", "*").asList().stream()
                .map(reply -> Objects.requireNonNull(reply.asString()))
                .toList();
    }
}
