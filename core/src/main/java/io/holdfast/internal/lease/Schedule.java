package io.holdfast.internal.lease;

import io.holdfast.internal.wire.Trouble;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * When the holds of one client are to be looked at: each at one moment at most, the next at which anything may have to be done
 * about it. Those of about the same time share one timer, which is all that many held locks cost while nothing happens to
 * them.
 */
final class Schedule {
    private final Kit kit;
    private final Buckets<Hold> buckets = new Buckets<>();

    Schedule(Kit kit) {
        this.kit = kit;
    }

    /**
     * Looks at a hold at this moment, in place of any other; a little earlier, too, if it is far off.
     *
     * @param now about the present time
     */
    void put(Hold hold, long moment, long now) {
        long due = Buckets.dueBefore(now, moment);
        if (buckets.put(hold, due)) {
            try {
                kit.schedule(due - kit.nanoTime(), () -> look(buckets.take(due), due));
            } catch (RuntimeException | Error e) {
                buckets.needsTimer(due);
                throw e;
            }
        }
    }

    /** Forgets a hold that has ended. */
    void remove(Hold hold) {
        buckets.remove(hold);
    }

    private void look(Collection<Hold> holds, long due) {
        long now = kit.nanoTime();
        long moment = now - due < 0 ? due : now; // what is due then is due, also if a timer is early by the clock
        List<Hold> toRenew = new ArrayList<>();
        for (Hold hold : holds) {
            try {
                if (hold.look(moment) && hold.mayRenew()) {
                    toRenew.add(hold);
                }
            } catch (RuntimeException | Error e) {
                // One hold's trouble must not be that of those beside it.
                Trouble.report("looking after a lease failed", e);
                hold.arm();
            }
        }
        kit.renewals().ask(toRenew);
    }
}
