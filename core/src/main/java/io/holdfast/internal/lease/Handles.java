package io.holdfast.internal.lease;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handles of one hold, which callers have and this knows weakly. A hold was forgotten if no code can reach any of its handles.
 * Any thread.
 *
 * @param <H> a handle, which refers to its hold
 */
final class Handles<H> implements Tenant {
    private volatile List<WeakReference<H>> known = List.of(); // written under this lock
    private volatile @Nullable WeakReference<H> first;

    /** One more; whoever cannot be reached any more is forgotten. */
    synchronized H add(H handle) {
        WeakReference<H> seen = new WeakReference<>(handle);
        if (first == null) {
            first = seen;
            known = List.of(seen);
        } else {
            List<WeakReference<H>> all = new ArrayList<>(known);
            all.removeIf(other -> other.get() == null);
            all.add(seen);
            known = List.copyOf(all);
        }
        return handle;
    }

    /** The first of all; null if nobody can reach it any more. */
    @Nullable
    H first() {
        WeakReference<H> seen = first;
        return seen == null ? null : seen.get();
    }

    /** Whether there were handles, none of which any code can reach. */
    @Override
    public boolean forgotten() {
        return !known.isEmpty() && known.stream().allMatch(seen -> seen.get() == null);
    }
}
