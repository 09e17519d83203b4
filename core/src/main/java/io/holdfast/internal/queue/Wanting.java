package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.Keys;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/** Leases of this client that want to know when others wait for their locks. The refreshes look for that, where there are such leases. */
final class Wanting {
    private record One(Keys keys, BooleanSupplier lasts, BooleanSupplier here, CompletableFuture<Void> told) {}

    private final Kit kit;
    private final Set<One> leases = ConcurrentHashMap.newKeySet();

    Wanting(Kit kit) {
        this.kit = kit;
    }

    /** As {@link io.holdfast.internal.lease.Grant#wanted}. */
    CompletableFuture<Void> add(Keys keys, BooleanSupplier lasts, BooleanSupplier here) {
        One lease = new One(keys, lasts, here, new CompletableFuture<>());
        leases.add(lease);
        return lease.told;
    }

    boolean isEmpty() {
        return leases.isEmpty();
    }

    /** The locks of which the server is to be asked. Leases that have ended, and those for which others wait here, are done with. */
    List<Keys> locks() {
        leases.removeIf(lease -> lease.told.isDone() || !lease.lasts.getAsBoolean());
        Set<Keys> locks = new LinkedHashSet<>();
        for (One lease : leases) {
            if (lease.here.getAsBoolean()) {
                tell(lease);
            }
            locks.add(lease.keys);
        }
        return List.copyOf(locks);
    }

    /** The server has said that others wait for a lock: perhaps for one whose lease has ended since that was asked. */
    void othersWait(Keys keys) {
        for (One lease : leases) {
            if (lease.keys.equals(keys)) {
                tell(lease);
            }
        }
    }

    private void tell(One lease) {
        kit.execute(() -> {
            if (lease.lasts.getAsBoolean()) {
                lease.told.complete(null);
            }
        });
    }
}
