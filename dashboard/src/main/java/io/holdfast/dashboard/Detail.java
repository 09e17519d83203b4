package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.LockFigures;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Share;
import io.holdfast.LockInfo.Way;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** All that the page shows of one lock. */
final class Detail {
    private Detail() {}

    static Documents.Lock of(Picture picture, History history, LockId id) {
        Sight sight = picture.sight(id);
        LockInfo lock = sight.lock();
        List<Documents.Share> shares = new ArrayList<>();
        for (int i = 0; i < lock.shares().size(); i++) {
            if (!lock.shares().get(i).holder().isPause()) {
                shares.add(
                        share(picture, lock, lock.shares().get(i), sight.ends().get(i)));
            }
        }
        List<Documents.Waiting> queue = new ArrayList<>();
        for (Waiter waiter : lock.queue()) {
            queue.add(waiting(lock, queue.size() + 1, waiter));
        }
        List<Way> ways = ways(picture, lock);
        return new Documents.Lock(
                picture.at(),
                Watch.row(sight, picture.listeners(), picture.deadlocks()),
                shares,
                lock.limit()
                        .filter(limit -> lock.pause().isEmpty()) // which is one of 0, and is told of itself
                        .map(limit -> new Documents.Limit(
                                limit.permits(),
                                Words.process(limit.application(), limit.host(), limit.pid()),
                                sight.at() + limit.remaining().toMillis()))
                        .orElse(null),
                queue,
                new Documents.Why(
                        picture.isCertainOf(id)
                                ? Words.held(lock)
                                : "No client reports it. The dashboard looks it up now.",
                        Words.waysTitle(lock),
                        ways.stream().map(way -> way(sight, way)).toList()),
                picture.deadlocks().stream()
                        .filter(cycle -> cycle.isAbout(id))
                        .map(Cycle::inWords)
                        .toList(),
                figures(history.figures(id)),
                history.course(id, picture.at()));
    }

    /** What would free it. A record is what everybody wants to have: it need not go. */
    private static List<Way> ways(Picture picture, LockInfo lock) {
        return lock.holder().filter(Holder::isRecord).isPresent() ? List.of() : lock.ways(picture::listens);
    }

    private static Documents.Figures figures(LockFigures figures) {
        return new Documents.Figures(
                times(figures.waits()),
                times(figures.holds()),
                figures.handoffs(),
                figures.timedOut(),
                figures.refused(),
                figures.lost(),
                figures.answered(),
                figures.givenUp());
    }

    private static Documents.Times times(LockFigures.Times times) {
        return new Documents.Times(
                times.count(), millis(times.mean()), millis(times.longest()), millis(times.atMost(0.95)));
    }

    private static double millis(Duration time) {
        return time.toNanos() / 1e6;
    }

    private static Documents.Way way(Sight sight, Way way) {
        return new Documents.Way(
                way.by().word(),
                way.after().map(in -> sight.at() + in.toMillis()).orElse(null),
                Words.way(way));
    }

    private static Documents.Share share(Picture picture, LockInfo lock, Share share, long end) {
        Holder holder = share.holder();
        return new Documents.Share(
                holder.owner(),
                Long.toString(holder.token()),
                Words.who(holder),
                holder.client(),
                holder.application(),
                holder.host(),
                holder.pid(),
                holder.actor(),
                Words.mode(lock.kind(), share.mode()),
                share.permits(),
                share.slots(),
                holder.since().toEpochMilli(),
                end,
                share.leaseDuration().toMillis(),
                share.confirmed(),
                holder.resting(),
                Words.isDone(holder),
                holder.resting() ? null : picture.listens(holder.client()).orElse(null),
                holder.metadata());
    }

    private static Documents.Waiting waiting(LockInfo lock, int place, Waiter waiter) {
        return new Documents.Waiting(
                place,
                waiter.owner(),
                Words.who(waiter),
                waiter.client(),
                waiter.application(),
                waiter.host(),
                waiter.pid(),
                waiter.actor(),
                Words.mode(lock.kind(), waiter.mode()),
                waiter.permits(),
                waiter.limit(),
                waiter.priority(),
                Words.lower(waiter.order()),
                waiter.since().toEpochMilli(),
                Words.lower(waiter.state()),
                waiter.metadata());
    }
}
