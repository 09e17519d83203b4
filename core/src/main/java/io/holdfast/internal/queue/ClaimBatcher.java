package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.Batches;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts.ConfirmEntry;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.DriverException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Confirms grants of locks that several may hold. Readers that were granted a lock together are due together, and are confirmed
 * in one call.
 */
final class ClaimBatcher {
    /** Whether a grant is held; if so, from when the call left. */
    interface Told {
        void told(@Nullable Boolean held, long sentNanos, @Nullable DriverException failure);
    }

    private record Due(ConfirmEntry entry, Told told) {}

    private static final int BATCH = 100;
    private static final long GATHER_NANOS = 1_000_000L;

    private final Kit kit;
    private final Server server;
    private final Map<String, List<Due>> due = new ConcurrentHashMap<>(); // by key of the hold

    ClaimBatcher(Kit kit, Server server) {
        this.kit = kit;
        this.server = server;
    }

    /** Asks within a millisecond. */
    void add(Keys keys, ConfirmEntry entry, Told told) {
        AtomicBoolean first = new AtomicBoolean();
        due.compute(keys.hold(), (hold, present) -> {
            first.set(present == null);
            List<Due> all = present == null ? new ArrayList<>() : present;
            all.add(new Due(entry, told));
            return all;
        });
        if (first.get()) {
            kit.schedule(GATHER_NANOS, () -> {
                List<Due> all = due.remove(keys.hold()); // nobody adds to it any more
                if (all != null) {
                    Batches.inParts(all, BATCH, part -> send(keys, part));
                }
            });
        }
    }

    private void send(Keys keys, List<Due> part) {
        long sent = kit.nanoTime();
        server.sharedScripts.confirm(keys, part.stream().map(Due::entry).toList(), sent, (held, failure) -> {
            for (int i = 0; i < part.size(); i++) {
                part.get(i).told().told(held == null ? null : held.get(i), sent, failure);
            }
        });
    }
}
