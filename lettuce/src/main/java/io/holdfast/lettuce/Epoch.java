package io.holdfast.lettuce;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The calls under way on a connection between its coming up and its breaking. */
final class Epoch {
    private final Set<Call<?>> calls = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String over;

    /** Counts a call in; or fails it and answers false if this epoch is over. */
    boolean admit(Call<?> call) {
        call.countedIn(this);
        calls.add(call);
        // After the adding: either end() sees the call, or this sees the end.
        String reason = over;
        if (reason != null) {
            call.fail(reason, null);
        }
        return reason == null;
    }

    void forget(Call<?> call) {
        calls.remove(call);
    }

    /** Fails all calls, and those that come later. */
    void end(String reason) {
        over = reason;
        for (Call<?> call : calls) {
            call.fail(reason, null);
        }
    }
}
