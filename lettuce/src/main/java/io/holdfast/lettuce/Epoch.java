package io.holdfast.lettuce;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls under way on a connection between its coming up and its breaking.
 *
 * <h2>Whose answer it is</h2>
 *
 * Lettuce gives each reply to the oldest command of a queue of its own. Whatever is thrown in between (there is always a
 * heap that is too small for the next step) may leave a command in that queue whose bytes were never sent, or take one out
 * of it whose reply is still to come; then every later command would get the reply of another. Lettuce does not notice. So
 * commands are counted here as they are written and as they are answered: the n-th that was written is to be answered as
 * the n-th. With the first that is not, nothing of this connection is believed any more.
 */
final class Epoch {
    private final Set<Call<?>> calls = ConcurrentHashMap.newKeySet();
    private final BiConsumer<Epoch, @Nullable Throwable> onDoubt;
    private volatile @Nullable String over;

    /** How many were written and answered so far. Used on the event loop of the connection only. */
    private long written;

    private long answered;

    /** Whether an answer may have gone to another call than its own. */
    private volatile boolean doubtful;

    /** @param onDoubt ends the epoch and breaks the connection; told once, of what was thrown if that is known */
    Epoch(BiConsumer<Epoch, @Nullable Throwable> onDoubt) {
        this.onDoubt = onDoubt;
    }

    /** The place of a call that is about to be written. */
    long written() {
        return written++;
    }

    /** Whether a call that was written at this place is the one that is to be answered now, and can be believed. */
    boolean isNext(long place) {
        if (doubtful || place != answered) {
            doubt(null);
            return false;
        }
        answered++;
        return true;
    }

    /** Nothing that comes from now on is believed. */
    void doubt(@Nullable Throwable cause) {
        if (!doubtful) {
            doubtful = true;
            onDoubt.accept(this, cause);
        }
    }

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
    void end(String reason, @Nullable Throwable cause) {
        over = reason;
        for (Call<?> call : calls) {
            call.fail(reason, cause);
        }
    }
}
