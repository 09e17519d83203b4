package io.holdfast.internal.turns;

import io.holdfast.Contention;
import io.holdfast.internal.deadlock.BlockedFlows;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The requests that stand in a {@link LocalLine}, in their order. Guarded by the lock of the line. */
final class InLine extends ArrayDeque<LocalRequest> {
    private static final long serialVersionUID = 1; // nobody writes it

    InLine() {
        super(2); // mostly one, which asks the server
    }

    /** From 1; 0 if it does not stand in line. */
    int placeOf(LocalRequest request) {
        int place = 0;
        for (LocalRequest each : this) {
            place++;
            if (each == request) {
                return place;
            }
        }
        return 0;
    }

    /** Whether it stood in line; it takes its place in the turn along. */
    boolean remove(LocalRequest request, @Nullable Tenure present) {
        int place = placeOf(request);
        if (place == 0) {
            return false;
        }
        remove(request);
        if (present != null) {
            present.turn.look(size() + 1, present.hold.kit.nanoTime());
            present.turn.left(place - 1);
        }
        return true;
    }

    List<LocalRequest> all() {
        return List.copyOf(this);
    }

    /** That one, if it stands in line yet; if null, the first. */
    List<LocalRequest> only(@Nullable LocalRequest one) {
        LocalRequest request = one == null ? peek() : one;
        return request != null && placeOf(request) > 0 ? List.of(request) : List.of();
    }

    /** Shows them as waiting with this owner, and the present lease; what is left to do is nothing. */
    Runnable show(BlockedFlows to, String owner, @Nullable LocalHold lent) {
        if (lent != null) {
            lent.show(to);
        }
        LocalRequest first = peek();
        forEach(each -> to.waits(each.outcome, owner, each == first, each::left));
        return () -> {};
    }

    /** What can be said to one of them of the lock, which perhaps is lent to another. */
    Contention contention(LocalRequest request, @Nullable Tenure present, @Nullable LocalHold lent) {
        int place = placeOf(request);
        if (lent == null || present == null) {
            return new Contention(Optional.empty(), Duration.ZERO, place, size());
        }
        return new Contention(Optional.of(lent.holder()), present.hold.peek(), place, size());
    }
}
