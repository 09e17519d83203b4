package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.LockFigures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What has happened to one lock. Guarded by its {@link History}. */
final class Course {
    private static final int MOST_HOLDS = 500;
    private static final int MOST_SPANS = 50;
    private static final long HOUR_MILLIS = 3_600_000;

    final Hour waiters = new Hour();
    final Hour handoffs = new Hour();
    final Deque<Documents.Held> holds = new ArrayDeque<>();
    final Map<String, Documents.Span> holders = new LinkedHashMap<>(); // by owner and token; the newest is last
    LockFigures figures = LockFigures.NONE;

    void seen(long at, Holder holder) {
        String key = holder.owner() + " " + holder.token();
        Documents.Span before = holders.get(key);
        holders.put(key, before == null ? begun(at, holder) : before.until(at));
        if (holders.size() > MOST_SPANS) {
            holders.remove(holders.keySet().iterator().next());
        }
    }

    private static Documents.Span begun(long at, Holder holder) {
        long from = Math.min(at, holder.since().toEpochMilli());
        return new Documents.Span(Words.who(holder), Long.toString(holder.token()), from, at);
    }

    void held(Documents.Held some) {
        holds.add(some);
        if (holds.size() > MOST_HOLDS) {
            holds.remove();
        }
    }

    /**
     * The last hour. The lock has no waiters at a time when the dashboard watched and did not see it.
     *
     * @param watched when the dashboard did
     */
    Documents.Course document(Hour watched, long now) {
        long step = Hour.STEP_MILLIS;
        long from = (now / step - Hour.BINS + 1) * step;
        List<@Nullable Integer> waited = new ArrayList<>(Hour.BINS);
        List<@Nullable Integer> handed = new ArrayList<>(Hour.BINS);
        for (int i = 0; i < Hour.BINS; i++) {
            long begin = from + i * step;
            boolean seen = watched.at(begin) >= 0;
            waited.add(seen ? (Integer) Math.max(0, waiters.at(begin)) : null);
            handed.add(seen ? (Integer) Math.max(0, handoffs.at(begin)) : null);
        }
        return new Documents.Course(
                from,
                step,
                waited,
                handed,
                holds.stream().filter(held -> held.at() > now - HOUR_MILLIS).toList(),
                holders.values().stream()
                        .filter(span -> span.to() > now - HOUR_MILLIS)
                        .toList());
    }
}
