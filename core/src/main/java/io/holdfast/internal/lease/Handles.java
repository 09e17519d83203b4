package io.holdfast.internal.lease;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The handles of one hold, known weakly: a hold none of whose handles anybody can reach was forgotten. Any thread. */
final class Handles {
    private final List<WeakReference<Handle>> known = new CopyOnWriteArrayList<>();
    private volatile @Nullable WeakReference<Handle> first;
    private volatile @Nullable Tenant tenant;

    /** One more; whoever cannot be reached any more is forgotten. */
    Handle add(Handle handle) {
        WeakReference<Handle> seen = new WeakReference<>(handle);
        if (first == null) {
            first = seen; // made before anybody else can enter
        } else {
            known.removeIf(other -> other.get() == null);
        }
        known.add(seen);
        return handle;
    }

    /** The first of all; null if nobody can reach it any more. */
    @Nullable
    Handle first() {
        WeakReference<Handle> seen = first;
        return seen == null ? null : seen.get();
    }

    /** Its leases are somebody else's from now on, who has the handles. */
    void lend(Tenant to) {
        tenant = to;
    }

    @Nullable
    Tenant tenant() {
        return tenant;
    }

    /** Whether there were some, of which nobody can reach any; or the lease of whoever has its leases now was forgotten. */
    boolean areForgotten() {
        Tenant present = tenant;
        if (present != null) {
            return present.forgotten();
        }
        if (known.isEmpty()) {
            return false;
        }
        for (WeakReference<Handle> seen : known) {
            if (seen.get() != null) {
                return false;
            }
        }
        return true;
    }
}
