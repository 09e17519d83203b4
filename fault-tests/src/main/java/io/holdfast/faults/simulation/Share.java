package io.holdfast.faults.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests of one process for one lock, with equal options, whose leases may share holds. */
final class Share {
    private final Checks checks;
    private final Machine machine;
    private final Plan.Ask like;
    private final List<Asked> waiting = new ArrayList<>();
    private final Map<String, Asked> alone = new HashMap<>(); // those that do not wait, by actor
    private @Nullable Shared latest;

    /** @param like one of its requests */
    Share(Checks checks, Machine machine, Plan.Ask like) {
        this.checks = checks;
        this.machine = machine;
        this.like = like;
    }

    /** What a request of this share is to call its actor. */
    static String actorOf(Plan.Ask item) {
        return item.waitMillis() == 0 ? "#" + item.number() : item.actor();
    }

    void asks(Asked asked) {
        if (asked.item.waitMillis() == 0) {
            alone.put(actorOf(asked.item), asked);
        } else {
            waiting.add(asked);
        }
    }

    void ended(Asked asked) {
        waiting.remove(asked);
        Shared asking = latest;
        if (waiting.isEmpty() && asking != null) {
            asking.request.done = true;
        }
    }

    /** When the last of those that wait here has waited for long enough. */
    long waitsUntil() {
        return waiting.stream().mapToLong(Asked::waitsUntil).max().orElse(Asked.NEVER);
    }

    /** The request that asks the server for itself; null if it asks for all of the others. */
    @Nullable
    Asked alone(String actor) {
        return alone.get(actor);
    }

    /** The server is asked for all that wait here. */
    Shared request(long now) {
        Plan.Ask item = new Plan.Ask(
                like.number(),
                like.atMillis(),
                like.client(),
                like.lock(),
                like.actor(),
                -1,
                like.options(),
                0,
                Plan.Ending.RELEASE);
        Shared made = new Shared(checks, new Asked(item, machine, now));
        made.request.done = waiting.isEmpty();
        made.request.shared = made;
        made.request.share = this;
        Shared before = latest;
        if (before != null) {
            before.request.done = true;
        }
        latest = made;
        return made;
    }
}
