package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import java.util.List;
import java.util.Map;

/** What a server has at the end of a run, which nobody may have left there. */
final class Leftovers {
    private final Checks checks;
    private final MemoryServer server;
    private final List<View> views;
    private final Map<String, Asked> byOwner;

    Leftovers(Checks checks, MemoryServer server, List<View> views, Map<String, Asked> byOwner) {
        this.checks = checks;
        this.server = server;
        this.views = views;
        this.byOwner = byOwner;
    }

    /** When all has been quiet for long enough: what is left is somebody's. */
    void nothingLeft() {
        List<Reply> channels = server.command("PUBSUB", "CHANNELS", "*").asList().stream()
                // For two minutes more they listen for those who look.
                .filter(channel -> !channel.asString().startsWith("hf:" + ReportChecks.REPORTS))
                .toList();
        if (checks.plan.kind() == Plan.Kind.CLUSTER && !channels.isEmpty()) {
            checks.found(Check.LITTER, "nobody waits, and clients listen to " + channels);
        }
        for (View view : views) {
            for (String part : List.of(":q", ":p")) {
                for (Reply waiter :
                        server.command("ZRANGE", view.key + part, "0", "-1").asList()) {
                    Asked asked = byOwner.get(LineView.publicPart(waiter.asString()));
                    if (asked == null || (asked.done && asked.machine.isRunning())) {
                        checks.found(Check.ORPHAN, view.key + part + " has " + (asked == null ? waiter : asked));
                    }
                }
            }
            String text = view.text;
            Asked asked = text == null ? null : byOwner.get(view.owner);
            if (asked != null && asked.done && asked.machine.isRunning() && !asked.keepsHold) {
                checks.found(Check.ORPHAN, view.key + " is held for " + asked + ", which has ended");
            }
        }
    }

    /** When all clients were closed, while nothing was wrong. */
    void allReleased() {
        for (View view : views) {
            Reply hold = server.command("GET", view.key);
            if (!hold.isNull()) {
                checks.found(Check.ORPHAN, view.key + " is held though all clients are closed: " + hold.asString());
            }
        }
    }

    /** When everybody has gone and all lives are over. */
    void empty() {
        List<Reply> keys = server.command("KEYS", "*").asList();
        if (!keys.isEmpty()) {
            checks.found(Check.LITTER, "left on the server: " + keys);
        }
    }
}
