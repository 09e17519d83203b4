package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.Inspector.Listeners;
import io.holdfast.LockInfo.Kind;
import io.holdfast.LockInfo.Share;
import io.holdfast.LockMode;
import io.holdfast.Waiter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Who waits for whom, as one round saw it. An actor is a client and the name of what asked: a thread, or the id that the caller gave. Threads
 * of one name in one client count as one actor; what asked without a name is an actor of its own. In turns, a hold has the name of the
 * thread that asked for it, also while another one of its client has its section.
 *
 * <p>Only waits that nothing but the release of a certain hold can end make a circle: one for a lock that one holds, for a read/write lock
 * of which a writer waits or which a writer has, for a semaphore whose permits one holder has. A wait for any of several holders is
 * never reported as part of one.
 */
final class WaitGraph {
    private static final int MOST_LOCKS = 100;
    private static final int MOST_ACTORS = 300;
    private static final int MOST_CYCLES = 20;
    /** A longer chain is not walked to its end: nobody could read it, and each step is one of the stack. */
    private static final int LONGEST = 500;

    private record Wait(Sight sight, Waiter waiter) {}

    private final Listeners listeners;
    private final List<Sight> awaited = new ArrayList<>(); // those that most wait for first
    private final Map<String, List<Wait>> waits = new LinkedHashMap<>(); // by actor

    WaitGraph(Collection<Sight> sights, Listeners listeners) {
        this.listeners = listeners;
        sights.stream()
                .filter(sight -> sight.lock().isQueued())
                .sorted(Comparator.<Sight>comparingInt(sight -> sight.lock().waiters())
                        .reversed()
                        .thenComparing(sight -> sight.id().text()))
                .forEach(awaited::add);
        for (Sight sight : awaited) {
            for (Waiter waiter : sight.lock().queue()) {
                waits.computeIfAbsent(
                                actorOf(waiter.client(), waiter.actor(), waiter.owner()), actor -> new ArrayList<>())
                        .add(new Wait(sight, waiter));
            }
        }
    }

    private static String actorOf(String client, String actor, String owner) {
        return actor.isEmpty() ? owner : client + " " + actor;
    }

    private static String actorOf(Holder holder) {
        return actorOf(holder.client(), holder.actor(), holder.owner());
    }

    // ---- circles

    /** All circles of this round; see the class comment. */
    List<Cycle> cycles() {
        Map<List<String>, Cycle> found = new LinkedHashMap<>();
        Set<String> done = new LinkedHashSet<>();
        for (String actor : waits.keySet()) {
            walk(actor, new LinkedHashMap<>(), done, found);
        }
        return List.copyOf(found.values());
    }

    /** Depth first: what an actor waits for, whoever has that, and so on until somebody is met again. */
    private void walk(String actor, Map<String, Cycle.Link> path, Set<String> done, Map<List<String>, Cycle> found) {
        for (Wait wait : waits.getOrDefault(actor, List.of())) {
            for (Holder holder : blockers(wait)) {
                String next = actorOf(holder);
                if (done.contains(next) || found.size() >= MOST_CYCLES || path.size() >= LONGEST) {
                    continue;
                }
                path.put(actor, new Cycle.Link(wait.sight().id(), actor, wait.waiter(), next, holder));
                if (path.containsKey(next)) {
                    List<Cycle.Link> links = new ArrayList<>(path.values());
                    int first = new ArrayList<>(path.keySet()).indexOf(next);
                    Cycle cycle = new Cycle(links.subList(first, links.size()));
                    found.putIfAbsent(cycle.marks(), cycle);
                } else {
                    walk(next, path, done, found);
                }
                path.remove(actor);
            }
        }
        done.add(actor);
    }

    /** Those who alone can end this wait. */
    private static List<Holder> blockers(Wait wait) {
        List<Share> shares = wait.sight().lock().shares();
        boolean oneOfSeveral = wait.sight().lock().kind() == Kind.SEMAPHORE && shares.size() > 1;
        boolean together = wait.waiter().mode() == LockMode.SHARED
                && shares.stream().allMatch(share -> share.mode() == LockMode.SHARED);
        if (oneOfSeveral || together) {
            return List.of();
        }
        return shares.stream()
                .map(Share::holder)
                .filter(holder -> !holder.resting())
                .toList();
    }

    // ---- the picture of it

    /** As much of it as a person can look at. */
    Documents.Waits document(long at, List<Cycle> deadlocks) {
        Map<String, Documents.Node> nodes = new LinkedHashMap<>();
        List<Documents.Edge> edges = new ArrayList<>();
        int locks = 0;
        List<Sight> shown = new ArrayList<>(awaited);
        // Circles first: they must not be what does not fit.
        shown.sort(Comparator.comparing(sight -> deadlocks.stream().noneMatch(cycle -> cycle.isAbout(sight.id()))));
        for (Sight sight : shown) {
            if (locks >= MOST_LOCKS || nodes.size() >= MOST_LOCKS + MOST_ACTORS) {
                break;
            }
            locks++;
            draw(sight, deadlocks, nodes, edges);
        }
        List<Documents.Deadlock> words = deadlocks.stream()
                .map(cycle -> new Documents.Deadlock(cycle.inWords(), cycle.breaks()))
                .toList();
        return new Documents.Waits(at, List.copyOf(nodes.values()), edges, words, shown.size() - locks);
    }

    private void draw(
            Sight sight, List<Cycle> deadlocks, Map<String, Documents.Node> nodes, List<Documents.Edge> edges) {
        LockId id = sight.id();
        String lock = id.text();
        nodes.put(
                lock,
                new Documents.Node(
                        lock,
                        "lock",
                        id.name(),
                        id.word(),
                        id.word(),
                        id.name(),
                        null,
                        deadlocks.stream().anyMatch(cycle -> cycle.isAbout(id))));
        for (Share share : sight.lock().shares()) {
            Holder holder = share.holder();
            if (holder.resting()) {
                continue;
            }
            String actor = actorOf(holder);
            boolean dead = isLink(deadlocks, link -> link.lock().equals(id) && Sight.isSame(link.holder(), holder));
            node(nodes, actor, Words.process(holder), holder.actor(), stateOf(holder), inCircle(deadlocks, actor));
            edges.add(new Documents.Edge(lock, actor, "held", holder.since().toEpochMilli(), dead));
        }
        for (Waiter waiter : sight.lock().queue()) {
            if (nodes.size() >= MOST_LOCKS + MOST_ACTORS) {
                return;
            }
            String actor = actorOf(waiter.client(), waiter.actor(), waiter.owner());
            boolean dead = isLink(
                    deadlocks,
                    link -> link.lock().equals(id) && link.waiter().owner().equals(waiter.owner()));
            node(nodes, actor, Words.process(waiter), waiter.actor(), stateOf(waiter), inCircle(deadlocks, actor));
            edges.add(new Documents.Edge(actor, lock, "waits", waiter.since().toEpochMilli(), dead));
        }
    }

    private static void node(
            Map<String, Documents.Node> nodes, String actor, String label, String sub, String state, boolean deadlock) {
        nodes.putIfAbsent(actor, new Documents.Node(actor, "actor", label, sub, null, null, state, deadlock));
    }

    private static boolean isLink(List<Cycle> deadlocks, Predicate<Cycle.Link> which) {
        return deadlocks.stream().flatMap(cycle -> cycle.links().stream()).anyMatch(which);
    }

    private static boolean inCircle(List<Cycle> deadlocks, String actor) {
        return isLink(deadlocks, link -> link.actor().equals(actor));
    }

    private String stateOf(Holder holder) {
        return listeners
                .has(holder.client())
                .map(listens -> listens ? "alive" : "suspect")
                .orElse("unknown");
    }

    private static String stateOf(Waiter waiter) {
        return switch (waiter.state()) {
            case HERE -> "alive";
            case AWAY, SUSPECT -> "suspect";
            case GONE -> "gone";
        };
    }
}
