package io.holdfast.spring;

import io.holdfast.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Access to the lease under which the current thread runs a {@link Locked} method; if such methods call each other, that of the
 * innermost. Use it in methods that cannot have a parameter for the lease, such as scheduled ones. Threads that the method
 * starts do not inherit it.
 */
public final class CurrentLease {
    private static final ThreadLocal<@Nullable CurrentLease> INNERMOST = new ThreadLocal<>();

    private final Lease lease;
    private final @Nullable CurrentLease outer;

    private CurrentLease(Lease lease, @Nullable CurrentLease outer) {
        this.lease = lease;
        this.outer = outer;
    }

    /** Returns the lease; the first, if the method has several; empty if the thread runs no such method. */
    public static Optional<Lease> find() {
        CurrentLease innermost = INNERMOST.get();
        return innermost == null ? Optional.empty() : Optional.of(innermost.lease);
    }

    /**
     * Returns all leases under which the current thread runs: those of the innermost method first, and those of one method in the
     * order of its annotation.
     */
    public static List<Lease> all() {
        List<Lease> all = new ArrayList<>();
        for (CurrentLease each = INNERMOST.get(); each != null; each = each.outer) {
            all.add(each.lease);
        }
        return all;
    }

    /**
     * Returns the lease; the first, if the method has several.
     *
     * @throws IllegalStateException if the thread runs no such method
     */
    public static Lease get() {
        return find().orElseThrow(() -> new IllegalStateException(
                "no lease: this thread runs no method with @Locked, or such a method started this thread, or the"
                        + " method was called from within its own bean"));
    }

    /** Runs work under leases, of which the first counts as the innermost. */
    static @Nullable Object during(List<Lease> leases, Work work) throws Throwable {
        CurrentLease outer = INNERMOST.get();
        CurrentLease innermost = outer;
        for (int i = leases.size() - 1; i >= 0; i--) {
            innermost = new CurrentLease(leases.get(i), innermost);
        }
        INNERMOST.set(innermost);
        try {
            return work.run();
        } finally {
            if (outer == null) {
                INNERMOST.remove();
            } else {
                INNERMOST.set(outer);
            }
        }
    }

    /** Throws {@link io.holdfast.LeaseLostException} if one of the leases under which this thread runs is not valid. */
    static void requireAllValid() {
        for (CurrentLease each = INNERMOST.get(); each != null; each = each.outer) {
            each.lease.requireValid();
        }
    }

    /** The call of a method. */
    interface Work {
        @Nullable
        Object run() throws Throwable;
    }
}
