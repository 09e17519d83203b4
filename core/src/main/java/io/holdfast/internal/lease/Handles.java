package io.holdfast.internal.lease;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the leases of one hold are: with callers, whose handles are known weakly, or with a tenant, which has several of them one after
 * the other. A hold was forgotten if no code can reach any of its handles. Any thread.
 *
 * @param <H> a handle, which refers to its hold
 */
final class Handles<H> {
    private final List<WeakReference<H>> known = new CopyOnWriteArrayList<>();
    private volatile @Nullable WeakReference<H> first;
    private volatile @Nullable Tenant tenant;

    private volatile boolean renewalOver; // of a tenant's present lease

    /** One more; whoever cannot be reached any more is forgotten. */
    H add(H handle) {
        WeakReference<H> seen = new WeakReference<>(handle);
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
    H first() {
        WeakReference<H> seen = first;
        return seen == null ? null : seen.get();
    }

    /** Its leases are a tenant's from now on, which has their handles. */
    void lend(Tenant to) {
        tenant = to;
    }

    @Nullable
    Tenant tenant() {
        return tenant;
    }

    /** Tells the tenant something, if there is one. */
    void tell(Consumer<Tenant> what) {
        Tenant present = tenant;
        if (present != null) {
            what.accept(present);
        }
    }

    /** Whether a tenant's present lease has lasted as long as it may be renewed. */
    boolean overLongest() {
        Tenant present = tenant;
        return present != null && present.overLongest();
    }

    /** Whether a tenant's present lease may be renewed. If not, the renewal is over. */
    boolean mayRenew() {
        if (overLongest()) {
            renewalOver = true;
            // Asked once more: either the lease is the same, and its end finds that the renewal is over, or it is not.
            renewalOver = overLongest();
        }
        return !renewalOver;
    }

    boolean isRenewalOver() {
        return renewalOver;
    }

    /** Whether there were handles, none of which any code can reach; or the tenant's present lease was forgotten. */
    boolean areForgotten() {
        Tenant present = tenant;
        if (present != null) {
            return present.forgotten();
        }
        if (known.isEmpty()) {
            return false;
        }
        for (WeakReference<H> seen : known) {
            if (seen.get() != null) {
                return false;
            }
        }
        return true;
    }
}
