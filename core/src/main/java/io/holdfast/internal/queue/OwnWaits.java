package io.holdfast.internal.queue;

import io.holdfast.Contention;
import io.holdfast.LockMode;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.LogText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a flow of control that has itself what keeps them waiting: a thread that blocks, or an actor that its caller has named.
 * Without re-entry such a flow waits for itself. It is told at once, because nothing else would tell before the wait is over.
 *
 * <p>Looked for only when a request has to wait, and where one is refused. What another thread may release meanwhile is its caller's to
 * know: nothing is refused for this.
 */
public final class OwnWaits {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    /** For so long a lock is not told of again. */
    private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

    private static final int MOST_REMEMBERED = 1_000;

    private final Kit kit;
    private final Actors actors;
    private final Supplier<Kept> kept;
    private final Map<String, Long> told = new ConcurrentHashMap<>(); // when, by the key of the hold

    OwnWaits(Kit kit, Actors actors, Supplier<Kept> kept) {
        this.kit = kit;
        this.actors = actors;
        this.kept = kept;
    }

    /** A request has to wait, unless it has ended meanwhile. */
    public void begins(Outcome waiting, Demand demand) {
        Instant since = since(demand);
        // Looked at second: what it has itself may be what it has just been granted, on another thread.
        if (since != null && waiting.pending() && isNews(demand.keys().hold())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> LogText.lock(demand.keys().name()) + " is awaited by " + LogText.text(demand.actorName())
                            + ", which has itself been a holder since " + since
                            + ": unless other code releases that lease meanwhile, this actor"
                            + " waits for itself until its wait is over. Locks are not re-entrant unless LockOptions.withReentrancy"
                            + " makes them so; otherwise acquire the lock once, around both parts of the work");
        }
    }

    private boolean isNews(String hold) {
        long now = kit.nanoTime();
        if (told.size() >= MOST_REMEMBERED) {
            told.values().removeIf(before -> now - before >= QUIET_NANOS);
        }
        boolean[] news = new boolean[1];
        told.compute(hold, (key, before) -> {
            news[0] = before == null ? told.size() < 2 * MOST_REMEMBERED : now - before >= QUIET_NANOS;
            return news[0] ? Long.valueOf(now) : before;
        });
        return news[0];
    }

    /** What a request is told that was not granted: also that it waited for itself, if that is so. */
    Contention told(Outcome refused) {
        Contention known = with(refused.contention, refused.demand);
        refused.contention = known;
        return known;
    }

    /** The same of a request that others ask for. */
    public Contention with(Contention known, Demand demand) {
        Instant since = since(demand);
        return since == null
                ? known
                : new Contention(
                        known.holder(),
                        known.remaining(),
                        known.position(),
                        known.waiters(),
                        known.sharing(),
                        Optional.of(since));
    }

    /** Since when it has itself what keeps it waiting; null unless that is certain. */
    private @Nullable Instant since(Demand demand) {
        String flow = demand.flowId();
        if (flow == null) {
            return null;
        }
        String hold = demand.keys().hold();
        Holding lent = kept.get().lentTo(hold, flow);
        if (lent != null) {
            return lent.since();
        }
        List<Hold> own = actors.holdsOf(demand);
        own.removeIf(each -> !flow.equals(each.origin.demand.flowId()) || !each.isValid());
        return own.isEmpty() || !keepsOut(own, demand.what())
                ? null
                : Objects.requireNonNull(own.get(0)).since();
    }

    /** Whether it could not be granted beside these, if there were no others. */
    private static boolean keepsOut(List<Hold> own, Asked what) {
        return switch (what.mode()) {
            case EXCLUSIVE -> true;
            case SHARED -> own.stream().anyMatch(each -> each.what().mode() == LockMode.EXCLUSIVE);
            case PERMITS ->
                what.limit()
                                - own.stream()
                                        .mapToLong(each -> each.what().weight())
                                        .sum()
                        < what.weight();
        };
    }
}
