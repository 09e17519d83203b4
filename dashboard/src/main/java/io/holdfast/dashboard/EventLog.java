package io.holdfast.dashboard;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last {@value #MOST} events, and the last {@value #MOST} of those that are rare, which one busy lock would push out otherwise. Guarded by
 * its owner.
 */
final class EventLog {
    static final int MOST = 1_000;

    /** What operators did, what was lost, and what went wrong. */
    private static final Set<String> RARE = Set.of(
            "act",
            "expired",
            "deadlock",
            "client-gone",
            "client-back",
            "server-lost",
            "server-back",
            "paused",
            "resumed");

    private final Deque<Documents.Event> frequent = new ArrayDeque<>();
    private final Deque<Documents.Event> rare = new ArrayDeque<>();
    private long number;

    void add(long at, String type, @Nullable LockId id, String words, String tone) {
        Deque<Documents.Event> among = RARE.contains(type) ? rare : frequent;
        among.add(new Documents.Event(
                ++number, at, type, id == null ? null : id.word(), id == null ? null : id.name(), words, tone));
        if (among.size() > MOST) {
            among.remove();
        }
    }

    /** In their order. */
    List<Documents.Event> after(long n) {
        return Stream.concat(rare.stream(), frequent.stream())
                .filter(event -> event.n() > n)
                .sorted(Comparator.comparingLong(Documents.Event::n))
                .toList();
    }
}
