package io.holdfast.internal.deadlock;

import io.holdfast.LockMode;
import io.holdfast.internal.wire.Asked;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who waits in vain: what follows from pictures of who has what and who waits for what. No I/O, no time.
 *
 * <p><b>Reduction</b> (Holt, 1972). An actor of which no wait is known lives: sooner or later it gives back what it has. A wait
 * can end if all that stand before it are granted the lock sooner or later, and it would fit beside what those have of it, or
 * will have, who do not live. An actor all of whose waits
 * can end lives. Who is left over in the end is deadlocked. It is exact for locks and for permits alike: whoever waits
 * for permits is left over only if those that come back from the living are not enough.
 *
 * <p><b>Two pictures.</b> A picture is put together piece by piece while the world moves on, and may show a cycle that never
 * was. What is in two pictures, of which the second was begun when the first was complete, was there all the time between
 * them, and so all at once: {@link #common} keeps that and nothing else. Too little knowledge hides a deadlock; it
 * makes none up.
 */
public final class Deadlocks {
    /**
     * Who waits and has: a flow of control.
     *
     * @param client the client's id
     * @param id unique in that client
     */
    public record Actor(String client, String id) {}

    /**
     * A hold, as the server has it.
     *
     * @param owner its public owner id
     * @param weight how many permits; 1 in the other modes
     */
    public record Has(String owner, long token, LockMode mode, int weight) {}

    /**
     * A lock.
     *
     * @param holds all holds
     * @param ahead the owners that wait and can be told of a grant, each with those before it
     * @param since when each of these was queued, in microseconds
     */
    public record Lock(Set<Has> holds, Map<String, Set<String>> ahead, Map<String, Long> since) {}

    /**
     * A wait of an actor.
     *
     * @param owner the public id of the owner that asks the server for it
     * @param lock the key of the hold
     * @param first whether a grant to that owner is its; otherwise others of its client are served before
     * @param willing whether it may be ended to break a deadlock
     * @param number tells the requests of a client apart
     */
    public record Wants(String owner, String lock, Asked what, boolean first, boolean willing, long number) {}

    /**
     * A lease of an actor.
     *
     * @param owner the public id of the owner of the hold
     * @param token of the hold
     * @param lock the key of the hold
     * @param number of the request that it came of: leases that share a hold have different ones
     */
    public record Keeps(String owner, long token, String lock, long number) {}

    /** All that is known of an actor that stands still. */
    public record Standing(Set<Wants> wants, Set<Keeps> keeps) {}

    /**
     * What was seen.
     *
     * @param locks by the key of the hold
     * @param actors that stand still; all others live
     */
    public record Picture(Map<String, Lock> locks, Map<Actor, Standing> actors) {}

    /** A wait, and whose it is. */
    public record Waiting(Actor actor, Wants wants) {}

    /** Of a large knot, so many are tried. */
    private static final int MOST_TRIED = 32;

    private record HoldId(String lock, String owner, long token) {}

    private record OwnerId(String lock, String owner) {}

    private final Picture picture;
    private final Map<HoldId, Actor> holders = new HashMap<>();
    private final Map<OwnerId, Waiting> firsts = new HashMap<>();
    private final Left left;
    private final Map<Actor, Set<Actor>> edges = new HashMap<>(); // as far as they were asked for

    /** What follows from what is certain. */
    public Deadlocks(Picture picture) {
        this.picture = picture;
        picture.actors().forEach((actor, standing) -> {
            standing.keeps().forEach(has -> holders.put(new HoldId(has.lock(), has.owner(), has.token()), actor));
            for (Wants wants : standing.wants()) {
                if (wants.first()) {
                    firsts.put(new OwnerId(wants.lock(), wants.owner()), new Waiting(actor, wants));
                }
            }
        });
        this.left = reduce(null);
    }

    /** What is in both pictures. */
    public static Picture common(Picture one, Picture other) {
        Map<String, Lock> locks = new LinkedHashMap<>();
        one.locks().forEach((key, lock) -> {
            Lock again = other.locks().get(key);
            if (again != null) {
                Map<String, Set<String>> ahead = new LinkedHashMap<>();
                lock.ahead().forEach((owner, before) -> {
                    Set<String> then = again.ahead().get(owner);
                    if (then != null) {
                        ahead.put(owner, both(before, then));
                    }
                });
                locks.put(key, new Lock(both(lock.holds(), again.holds()), ahead, again.since()));
            }
        });
        Map<Actor, Standing> actors = new LinkedHashMap<>();
        one.actors().forEach((actor, standing) -> {
            Standing again = other.actors().get(actor);
            Set<Wants> wants = again == null ? Set.of() : both(standing.wants(), again.wants());
            if (again != null && !wants.isEmpty()) {
                actors.put(actor, new Standing(wants, both(standing.keeps(), again.keeps())));
            }
        });
        return new Picture(locks, actors);
    }

    private static <T> Set<T> both(Set<T> one, Set<T> other) {
        Set<T> both = new LinkedHashSet<>(one);
        both.retainAll(other);
        return both;
    }

    // ---- reduction

    /** Those who wait in vain, of themselves or behind others who do. */
    public Set<Actor> dead() {
        return left.actors();
    }

    /**
     * Who is left over so far.
     *
     * @param granted the owners that will be granted their lock sooner or later, whether their actors live or not
     */
    private record Left(Set<Actor> actors, Set<OwnerId> granted) {}

    private Set<Wants> wantsOf(Actor actor) {
        Standing standing = picture.actors().get(actor);
        return standing == null ? Set.of() : standing.wants();
    }

    /** @param freed who is taken to live, although it waits; null for nobody */
    private Left reduce(@Nullable Actor freed) {
        Left present = new Left(new LinkedHashSet<>(picture.actors().keySet()), new HashSet<>());
        present.actors().remove(freed);
        boolean again = true;
        while (again) {
            again = false;
            for (Actor actor : List.copyOf(present.actors())) {
                boolean lives = true;
                for (Wants wants : wantsOf(actor)) {
                    boolean canEnd = obstacles(actor, wants, present).isEmpty();
                    lives &= canEnd;
                    again |= canEnd && present.granted().add(new OwnerId(wants.lock(), wants.owner()));
                }
                again |= lives && present.actors().remove(actor);
            }
        }
        return present;
    }

    /** Which of those who are left over are in the way of a wait: if none, it can end. */
    private Set<Actor> obstacles(Actor actor, Wants wants, Left present) {
        Lock lock = picture.locks().get(wants.lock());
        if (lock == null) {
            return Set.of();
        }
        for (Has has : lock.holds()) {
            if (has.owner().equals(wants.owner())) { // by a hold of its own client it is served next, or later
                Actor holder = leftOver(holders.get(new HoldId(wants.lock(), has.owner(), has.token())), present);
                return holder == null ? Set.of() : Set.of(holder);
            }
        }
        Set<String> ahead = lock.ahead().get(wants.owner());
        if (ahead == null) {
            return Set.of(); // it does not wait any more
        }
        Set<Actor> found = new LinkedHashSet<>();
        Beside beside = new Beside(wants.what());
        for (Has has : lock.holds()) {
            beside.add(
                    leftOver(holders.get(new HoldId(wants.lock(), has.owner(), has.token())), present),
                    has.mode(),
                    has.weight());
        }
        for (String owner : ahead) {
            OwnerId id = new OwnerId(wants.lock(), owner);
            Waiting first = firsts.get(id);
            Actor other = first == null ? null : leftOver(first.actor(), present);
            if (first == null || other == null || other.equals(actor)) {
                continue; // it lives; what the same actor has asked for before comes before
            }
            if (present.granted().contains(id)) {
                beside.add(
                        other, first.wants().what().mode(), first.wants().what().weight());
            } else {
                found.add(other);
            }
        }
        found.addAll(beside.inTheWay());
        return found;
    }

    /** What is held, or will be, by those who are left over. */
    private static final class Beside {
        private final Asked what;
        private final Set<Actor> holders = new LinkedHashSet<>();
        private long used;

        Beside(Asked what) {
            this.what = what;
        }

        void add(@Nullable Actor holder, LockMode mode, int weight) {
            if (holder != null && (what.mode() != LockMode.SHARED || mode == LockMode.EXCLUSIVE)) {
                holders.add(holder);
                used += weight;
            }
        }

        Set<Actor> inTheWay() {
            return what.mode() == LockMode.PERMITS && used + what.weight() <= what.limit() ? Set.of() : holders;
        }
    }

    private static @Nullable Actor leftOver(@Nullable Actor actor, Left present) {
        return actor != null && present.actors().contains(actor) ? actor : null;
    }

    // ---- cycles

    private Set<Actor> after(Actor actor) {
        Set<Actor> known = edges.get(actor);
        if (known != null) {
            return known;
        }
        Set<Actor> after = new LinkedHashSet<>();
        wantsOf(actor).forEach(wants -> after.addAll(obstacles(actor, wants, left)));
        edges.put(actor, after);
        return after;
    }

    /** The groups of those who wait for each other: strongly connected, and each with a cycle. */
    public List<Set<Actor>> knots() {
        List<Set<Actor>> knots = new ArrayList<>();
        Map<Actor, Set<Actor>> reached = new HashMap<>();
        left.actors().forEach(actor -> reached.put(actor, reachedFrom(actor)));
        Set<Actor> done = new HashSet<>();
        for (Actor actor : left.actors()) {
            Set<Actor> knot = new LinkedHashSet<>(reached.getOrDefault(actor, Set.of()));
            knot.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(actor));
            if (!knot.isEmpty() && done.add(actor)) {
                done.addAll(knot);
                knots.add(knot);
            }
        }
        return knots;
    }

    private Set<Actor> reachedFrom(Actor actor) {
        Set<Actor> reached = new LinkedHashSet<>();
        Deque<Actor> toDo = new ArrayDeque<>(after(actor));
        while (!toDo.isEmpty()) {
            Actor next = toDo.remove();
            if (reached.add(next)) {
                toDo.addAll(after(next));
            }
        }
        return reached;
    }

    /**
     * The wait to end: of those in a knot that may be ended, and without which another of the knot can go on, the one that was
     * queued last. Where no single one is enough, any of them. All who look at the same knot see the same one.
     *
     * @return null if none may be ended
     */
    public @Nullable Waiting victim(Set<Actor> knot) {
        List<Waiting> willing = new ArrayList<>();
        for (Actor actor : knot) {
            for (Wants wants : wantsOf(actor)) {
                if (wants.willing() && !obstacles(actor, wants, left).isEmpty()) {
                    willing.add(new Waiting(actor, wants));
                }
            }
        }
        willing.sort(Comparator.<Waiting>comparingLong(waiting -> sinceOf(waiting.wants()))
                .thenComparing(waiting -> waiting.wants().owner())
                .thenComparingLong(waiting -> waiting.wants().number())
                .reversed());
        for (Waiting waiting : willing.subList(0, Math.min(MOST_TRIED, willing.size()))) {
            if (knot.size() == 1 || freesAnother(knot, waiting.actor())) {
                return waiting;
            }
        }
        return willing.isEmpty() ? null : willing.get(0);
    }

    private boolean freesAnother(Set<Actor> knot, Actor actor) {
        Set<Actor> others = reduce(actor).actors();
        return knot.stream().anyMatch(other -> !other.equals(actor) && !others.contains(other));
    }

    /** One that stands in its own client's line behind a lease was queued after whatever it waits for. */
    private long sinceOf(Wants wants) {
        Lock lock = picture.locks().get(wants.lock());
        return lock == null ? Long.MAX_VALUE : lock.since().getOrDefault(wants.owner(), Long.MAX_VALUE);
    }

    /** A shortest cycle through an actor of a knot: each waits for what the next one has or stands before, the last one for the first. */
    public List<Waiting> cycle(Actor from) {
        Map<Actor, Actor> before = new HashMap<>();
        Deque<Actor> toDo = new ArrayDeque<>(List.of(from));
        while (!toDo.isEmpty()) {
            Actor next = toDo.remove();
            for (Actor other : after(next)) {
                if (other.equals(from)) {
                    return path(before, from, next);
                }
                if (before.putIfAbsent(other, next) == null) {
                    toDo.add(other);
                }
            }
        }
        throw new IllegalArgumentException(from + " is in no cycle");
    }

    private List<Waiting> path(Map<Actor, Actor> before, Actor from, Actor last) {
        List<Actor> actors = new ArrayList<>(List.of(last));
        while (!actors.get(actors.size() - 1).equals(from)) {
            actors.add(before.get(actors.get(actors.size() - 1)));
        }
        Collections.reverse(actors);
        List<Waiting> path = new ArrayList<>();
        for (int i = 0; i < actors.size(); i++) {
            Actor actor = actors.get(i);
            Actor next = actors.get((i + 1) % actors.size());
            Wants blocked = wantsOf(actor).stream()
                    .filter(wants -> obstacles(actor, wants, left).contains(next))
                    .findFirst()
                    .orElseThrow();
            path.add(new Waiting(actor, blocked));
        }
        return path;
    }

    /** Whether an actor has some of a lock; otherwise it only stands before others in its queue. */
    public boolean has(Actor actor, String lock) {
        Standing standing = picture.actors().get(actor);
        return standing != null
                && standing.keeps().stream().anyMatch(has -> has.lock().equals(lock));
    }
}
