package io.holdfast.internal.lease;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What is to be done, once each, some time before the deadline of a hold. */
final class PreExpiryActions {
    /** Each is itself and no other. */
    private static final class Ending {
        final long beforeNanos;
        final Runnable action;

        Ending(long beforeNanos, Runnable action) {
            this.beforeNanos = beforeNanos;
            this.action = action;
        }
    }

    private final List<Ending> open = new CopyOnWriteArrayList<>();

    /** One more; returns what takes it back. */
    Runnable add(long beforeNanos, Runnable action) {
        Ending ending = new Ending(beforeNanos, action);
        open.add(ending);
        return () -> open.remove(ending);
    }

    /** When the first is due, if that is before this moment; else this moment. */
    long firstBefore(long moment, long deadline) {
        long next = moment;
        for (Ending ending : open) {
            if (deadline - ending.beforeNanos - next < 0) {
                next = deadline - ending.beforeNanos;
            }
        }
        return next;
    }

    /** Runs all, since there is no more time before the end. */
    void runAll() {
        run(List.copyOf(open));
    }

    /** Runs what is due. */
    void run(long now, long deadline) {
        run(open.stream()
                .filter(ending -> deadline - ending.beforeNanos - now <= 0)
                .toList());
    }

    private void run(List<Ending> due) {
        for (Ending ending : due) {
            if (open.remove(ending)) { // else another thread has run it, or taken it back
                ending.action.run();
            }
        }
    }
}
