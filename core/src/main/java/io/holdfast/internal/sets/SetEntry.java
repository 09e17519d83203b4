package io.holdfast.internal.sets;

import io.holdfast.LeaseLostException;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.lease.Handle;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The handles of all locks of a set. The caller's lease has it, and nothing else does.
 *
 * @param handles in the order in which the locks were asked for
 * @param loss of the first of them
 */
public record SetEntry(List<Handle> handles, FirstLoss loss, Executor executor)
        implements Entry<Map<String, ReleaseResult>> {
    public SetEntry {
        handles = List.copyOf(handles);
    }

    @Override
    public boolean isValid() {
        return handles.stream().allMatch(Handle::isValid);
    }

    /** Of the lock that was lost first; if none is known to be lost, of one that is over. */
    @Override
    public LeaseLostException lostException(@Nullable Object result) {
        FirstLoss.Of first = loss.stage().getNow(null);
        Handle told = handles.get(0);
        int best = 0;
        for (Handle handle : handles) {
            boolean isFirst =
                    first != null && first.lock().equals(handle.hold.keys().name());
            int weight = isFirst ? 3 : handle.own.lossReason() != null ? 2 : handle.isValid() ? 0 : 1;
            if (weight > best) {
                best = weight;
                told = handle;
            }
        }
        return told.lostException(result);
    }

    /** All are of one client, which lets either all of them rest or none. */
    @Override
    public void acceptRest() {
        handles.forEach(Handle::acceptRest);
    }

    @Override
    public void leaveUnused() {
        handles.forEach(Handle::leaveUnused);
    }

    /** Leaves all of them at once, the others also if an error keeps one: that one is left by the next call. */
    @Override
    public CompletableFuture<Map<String, ReleaseResult>> leave(Duration rest) {
        Map<String, CompletableFuture<ReleaseResult>> answers = new LinkedHashMap<>();
        Error failed = null;
        for (Handle handle : handles) {
            try {
                answers.put(handle.hold.keys().name(), handle.leave(rest));
            } catch (Error e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
        return CompletableFuture.allOf(answers.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> {
                    Map<String, ReleaseResult> results = new LinkedHashMap<>();
                    answers.forEach((lock, answer) -> results.put(lock, answer.join()));
                    return Collections.unmodifiableMap(results);
                });
    }
}
