package io.holdfast.dashboard;

import io.holdfast.ClientFigures;
import io.holdfast.Holder;
import io.holdfast.Inspector.Listeners;
import io.holdfast.LockFigures;
import io.holdfast.LockInfo.Share;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntBinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What has happened. How often something happened, and how long it took, is what clients have counted from one round to the next. What
 * is told of each hold is what was seen of it: the server keeps no history, and what begins and ends between two rounds is not seen. So
 * are holds counted of clients that report no figures. Kept for an hour, of the last {@value #MOST_LOCKS} locks, and in an {@link EventLog}.
 */
final class History {
    private static final int MOST_LOCKS = 10_000;
    private static final int MOST_CLIENTS = 10_000;
    /** Of one round: a lock that many want must not push out all the others. */
    private static final int MOST_AT_ONCE = 100;

    private static final long MINUTE_MILLIS = 60_000;
    private static final int MINUTES = 60;
    /** Two looks while a page is open. */
    private static final long SHORTLY_MILLIS = 2 * Watch.SEEN.toMillis();

    final long since;
    private final Map<LockId, Course> courses = new LinkedHashMap<>(16, 0.75f, true) { // guarded by this, as all below
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<LockId, Course> eldest) {
                    return size() > MOST_LOCKS;
                }
            };
    private final EventLog events = new EventLog();
    private final Hour watched = new Hour();
    private final Hour lost = new Hour();
    private final Hour refused = new Hour();
    private final Hour acquired = new Hour();
    private final Hour held = new Hour();
    private final Hour waiting = new Hour();
    private final Set<List<String>> deadlocks = new HashSet<>();
    private final Map<String, ClientFigures> counted = new LinkedHashMap<>(16, 0.75f, true) { // by client
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, ClientFigures> eldest) {
                    return size() > MOST_CLIENTS;
                }
            };
    private boolean countedBefore;
    private int told; // in this round
    private int untold;

    History(long since) {
        this.since = since;
    }

    /**
     * Compares a round with the one before.
     *
     * @param before what there was; null if there was no round before, or the server could not be asked
     * @param whole whether both rounds saw everything: else what only one of them saw may be there all the time
     * @param figures what clients have counted
     * @param cycles circles that were there in both
     */
    synchronized void note(
            long at,
            @Nullable Map<LockId, Sight> before,
            Map<LockId, Sight> after,
            boolean whole,
            @Nullable Listeners listened,
            Listeners listen,
            List<ClientFigures> figures,
            List<Cycle> cycles) {
        told = 0;
        untold = 0;
        watched.add(at, 0);
        noteFigures(at, listen, figures);
        if (before != null) {
            Set<LockId> all = new LinkedHashSet<>(before.keySet());
            if (whole) {
                all.addAll(after.keySet());
            } else {
                all.retainAll(after.keySet());
            }
            for (LockId id : all) {
                Sight was = before.get(id);
                Sight is = after.get(id);
                noteShares(at, id, was, is, listen);
                noteWaiters(at, id, was, is);
            }
        }
        for (Sight sight : after.values()) {
            Course course = course(sight.id());
            course.waiters.most(at, sight.lock().waiters());
            for (Share share : sight.lock().shares()) {
                if (!share.holder().resting() && !share.holder().isPause()) {
                    course.seen(at, share.holder());
                }
            }
        }
        if (before != null && whole) {
            for (LockId id : before.keySet()) {
                if (!after.containsKey(id)) {
                    course(id).waiters.most(at, 0);
                }
            }
        }
        if (listened != null) {
            noteClients(at, listened, listen, after);
        }
        noteDeadlocks(at, cycles);
        if (untold > 0) {
            told = 0;
            tell(at, "more", null, untold + " more changes in one round", "plain");
        }
    }

    /**
     * What has been counted since the round before. What a client has counted before it was looked at for the first time is of another
     * time, but of that lock.
     */
    private void noteFigures(long at, Listeners listen, List<ClientFigures> clients) {
        for (ClientFigures client : clients) {
            ClientFigures earlier = counted.put(client.client(), client);
            boolean isNew = earlier != null || (countedBefore && listen.complete());
            Map<LockId, LockFigures> before = new HashMap<>();
            if (earlier != null) {
                earlier.locks().forEach(each -> before.put(LockId.of(each), each.figures()));
            }
            if (isNew) {
                LockFigures all = client.total().since(earlier == null ? LockFigures.NONE : earlier.total());
                acquired.add(at, (int) all.waits().count());
                lost.add(at, (int) all.lost());
                refused.add(at, (int) (all.refused() + all.timedOut()));
            }
            for (ClientFigures.OfLock each : client.locks()) {
                LockId id = LockId.of(each);
                LockFigures some = each.figures().since(before.getOrDefault(id, LockFigures.NONE));
                if (!each.figures().equals(before.get(id))) {
                    noteFigures(at, course(id), some, isNew);
                }
            }
        }
        countedBefore = true;
    }

    private static void noteFigures(long at, Course course, LockFigures some, boolean isNew) {
        course.figures = course.figures.plus(some);
        if (isNew) {
            course.handoffs.add(at, (int) some.handoffs());
            LockFigures.Times holds = some.holds();
            if (holds.count() > 0) {
                double millis = holds.mean().toNanos() / 1e6;
                course.held(new Documents.Held(at, millis, holds.count(), some.lost() > 0 ? "expired" : "released"));
            }
        }
    }

    private boolean countsForItself(String client) {
        return counted.containsKey(client);
    }

    private void noteShares(long at, LockId id, @Nullable Sight was, @Nullable Sight is, Listeners listen) {
        List<Share> before = was == null ? List.of() : was.lock().shares();
        List<Share> after = is == null ? List.of() : is.lock().shares();
        for (Share share : before) {
            Holder holder = share.holder();
            if (was != null && !holder.resting() && (is == null || !is.has(holder))) {
                boolean expired = isExpired(at, was, share, listen);
                Long end = was.endOf(holder);
                long ended = expired && end != null ? Math.min(end, at) : at;
                long held = Math.max(0, ended - holder.since().toEpochMilli());
                boolean seenOnly = !countsForItself(holder.client());
                if (seenOnly) {
                    course(id).held(new Documents.Held(ended, held, 1, expired ? "expired" : "released"));
                }
                String how = Words.about(Duration.ofMillis(held));
                String ends = id.isWork() ? " no longer does " : " no longer holds ";
                if (expired) {
                    lost.add(at, seenOnly ? 1 : 0);
                    tell(
                            at,
                            "expired",
                            id,
                            "the hold of " + Words.who(holder) + " on " + id.inWords() + " expired after " + how,
                            "bad");
                } else {
                    tell(at, "released", id, Words.who(holder) + ends + id.inWords() + ", after " + how, "plain");
                }
            }
        }
        for (Share share : after) {
            Holder holder = share.holder();
            if (was == null || !was.has(holder)) {
                if (holder.isPause()) {
                    continue; // see notePauses
                }
                if (holder.isGivenUp()) {
                    tell(at, "rests", id, id.inWords() + " is " + holder.givenUp(), "bad");
                } else if (holder.isRecord()) {
                    tell(at, "done", id, id.inWords() + " is done, by " + Words.who(holder), "good");
                } else if (holder.resting()) {
                    tell(at, "rests", id, id.inWords() + " rests, after " + Words.who(holder), "plain");
                } else {
                    boolean handed = was != null && was.lock().isQueued();
                    if (!countsForItself(holder.client())) {
                        acquired.add(at, 1);
                        course(id).handoffs.add(at, handed ? 1 : 0);
                    }
                    tell(
                            at,
                            handed ? "handed" : "acquired",
                            id,
                            Words.who(holder)
                                    + (handed ? " was handed " : id.isWork() ? " began " : " acquired ")
                                    + id.inWords(),
                            "good");
                }
            }
        }
    }

    /** Which locks pause that did not, and the other way round: of what pages show, and of what they do not. */
    synchronized void notePauses(long at, Map<LockId, Sight> before, Map<LockId, Sight> after) {
        after.forEach((id, is) -> is.lock().pause().ifPresent(pause -> {
            if (!pauses(before.get(id))) {
                String words = id.inWords() + " pauses, by " + Words.who(pause) + Words.reason(pause.reason());
                tell(at, "paused", id, words, "act");
            }
        }));
        before.forEach((id, was) -> {
            if (pauses(was) && !pauses(after.get(id))) {
                tell(at, "resumed", id, "the pause of " + id.inWords() + " is over", "plain");
            }
        });
    }

    /** The figures that pages show, whose course they show, too. */
    synchronized void noteTotals(long at, Documents.Totals totals) {
        held.most(at, totals.held());
        waiting.most(at, totals.waiting());
    }

    private static boolean pauses(@Nullable Sight sight) {
        return sight != null && sight.lock().pause().isPresent();
    }

    /**
     * Whether a hold that is not there any more has ended with its lease duration. That its end has passed does not say so: it may have
     * been renewed since it was seen, and released. But a hold is renewed long before half of its lease duration is over, and by a client
     * that listens; one that is never renewed may be released until its end, and so has to have been seen shortly before; and a hold that was just
     * handed over has a lease duration of its own only when its new holder has confirmed it.
     */
    private static boolean isExpired(long at, Sight was, Share share, Listeners listen) {
        Long end = was.endOf(share.holder());
        if (end == null || end > at + Sight.JITTER_MILLIS || !share.confirmed()) {
            return false;
        }
        boolean gone = !listen.has(share.holder().client()).orElse(true);
        long unseen = Math.min(share.leaseDuration().toMillis() / 2, SHORTLY_MILLIS);
        return gone || end - was.at() < unseen;
    }

    /** Only where all that waited are known, and all that wait. */
    private void noteWaiters(long at, LockId id, @Nullable Sight was, @Nullable Sight is) {
        List<Waiter> before = was == null ? List.of() : was.lock().queue();
        List<Waiter> after = is == null ? List.of() : is.lock().queue();
        boolean whole = (was == null || was.lock().waiters() == before.size())
                && (is == null || is.lock().waiters() == after.size());
        if (!whole) {
            return;
        }
        Set<String> waited = owners(before);
        Set<String> wait = owners(after);
        for (Waiter waiter : after) {
            if (!waited.contains(waiter.owner())) {
                tell(at, "queued", id, Words.who(waiter) + " waits for " + id.inWords(), "plain");
            }
        }
        if (was == null || is == null || !holders(was).equals(holders(is))) {
            return; // who waits no more may have had its turn
        }
        for (Waiter waiter : before) {
            if (!wait.contains(waiter.owner())) {
                refused.add(at, countsForItself(waiter.client()) ? 0 : 1);
                tell(
                        at,
                        "left",
                        id,
                        Words.who(waiter) + " waits no longer for " + id.inWords() + ", and did not get it",
                        "bad");
            }
        }
    }

    private static Set<String> owners(List<Waiter> waiters) {
        return waiters.stream().map(Waiter::owner).collect(Collectors.toSet());
    }

    private static Set<String> holders(Sight sight) {
        return sight.lock().shares().stream()
                .map(share -> share.holder().owner() + " " + share.holder().token())
                .collect(Collectors.toSet());
    }

    /** Clients that no longer listen although they hold something, and those that do again. */
    private void noteClients(long at, Listeners listened, Listeners listen, Map<LockId, Sight> sights) {
        if (!listened.complete() || !listen.complete()) {
            return;
        }
        Map<String, String> holding = new HashMap<>();
        for (Sight sight : sights.values()) {
            for (Share share : sight.lock().shares()) {
                if (!share.holder().resting()) {
                    holding.putIfAbsent(share.holder().client(), Words.process(share.holder()));
                }
            }
        }
        holding.forEach((client, process) -> {
            boolean was = listened.clients().contains(client);
            boolean is = listen.clients().contains(client);
            if (was && !is) {
                tell(at, "client-gone", null, process + " no longer listens, and holds something", "bad");
            } else if (!was && is) {
                tell(at, "client-back", null, process + " listens", "good");
            }
        });
    }

    private void noteDeadlocks(long at, List<Cycle> cycles) {
        deadlocks.retainAll(cycles.stream().map(Cycle::marks).toList());
        for (Cycle cycle : cycles) {
            if (deadlocks.add(cycle.marks())) {
                tell(at, "deadlock", cycle.links().get(0).lock(), "deadlock: " + cycle.inWords(), "bad");
            }
        }
    }

    synchronized void noteServer(long at, boolean reachable, String message) {
        told = 0;
        tell(
                at,
                reachable ? "server-back" : "server-lost",
                null,
                reachable ? "the server answers again" : message,
                reachable ? "good" : "bad");
    }

    /** What somebody did by this dashboard. */
    synchronized void noteAct(long at, LockId id, String words) {
        told = 0;
        tell(at, "act", id, words, "act");
    }

    private void tell(long at, String type, @Nullable LockId id, String words, String tone) {
        if (++told > MOST_AT_ONCE) {
            untold++;
            return;
        }
        events.add(at, type, id, words, tone);
    }

    private Course course(LockId id) {
        return courses.computeIfAbsent(id, any -> new Course());
    }

    // ---- what is told

    synchronized Documents.Events events(long after) {
        return new Documents.Events(since, events.after(after));
    }

    synchronized long lost(long now) {
        return lost.sum(now);
    }

    synchronized long refused(long now) {
        return refused.sum(now);
    }

    synchronized long acquired(long now) {
        return acquired.sum(now);
    }

    /** What clients have counted of a lock since they began, as far as they were looked at. */
    synchronized LockFigures figures(LockId id) {
        Course course = courses.get(id);
        return course == null ? LockFigures.NONE : course.figures;
    }

    /** The last hour of a lock. */
    synchronized Documents.Course course(LockId id, long now) {
        Course course = courses.get(id);
        return (course == null ? new Course() : course).document(watched, now);
    }

    synchronized Documents.Trends trends(long now) {
        return new Documents.Trends(
                now,
                minutes(now, held, Math::max),
                minutes(now, waiting, Math::max),
                minutes(now, acquired, Integer::sum),
                minutes(now, lost, Integer::sum),
                minutes(now, refused, Integer::sum));
    }

    private List<@Nullable Integer> minutes(long now, Hour hour, IntBinaryOperator both) {
        List<@Nullable Integer> minutes = new ArrayList<>(MINUTES);
        for (int i = MINUTES - 1; i >= 0; i--) {
            long begin = (now / MINUTE_MILLIS - i) * MINUTE_MILLIS;
            boolean seen = false;
            int number = 0;
            for (long bin = begin; bin < begin + MINUTE_MILLIS; bin += Hour.STEP_MILLIS) {
                seen |= watched.at(bin) >= 0;
                number = both.applyAsInt(number, Math.max(0, hour.at(bin)));
            }
            minutes.add(seen ? (Integer) number : null);
        }
        return minutes;
    }
}
