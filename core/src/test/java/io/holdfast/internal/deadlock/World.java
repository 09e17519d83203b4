package io.holdfast.internal.deadlock;

import io.holdfast.LockMode;
import io.holdfast.internal.deadlock.Deadlocks.Actor;
import io.holdfast.internal.deadlock.Deadlocks.Has;
import io.holdfast.internal.deadlock.Deadlocks.Keeps;
import io.holdfast.internal.deadlock.Deadlocks.Lock;
import io.holdfast.internal.deadlock.Deadlocks.Picture;
import io.holdfast.internal.deadlock.Deadlocks.Standing;
import io.holdfast.internal.deadlock.Deadlocks.Wants;
import io.holdfast.internal.wire.Asked;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Locks, and who has them and waits for them, made by hand; and, told in another way than by reduction, who waits in vain. */
final class World {
    private record Held(String actor, String owner, Asked what, long number) {}

    private record Queued(String actor, String owner, Asked what, long since, boolean first) {}

    private final Map<String, List<Held>> holds = new TreeMap<>();
    private final Map<String, List<Queued>> queues = new TreeMap<>();
    private final Set<String> unwilling = new HashSet<>();
    private final Set<String> forgotten = new HashSet<>();
    private final Map<String, Long> youngest = new TreeMap<>();
    private int count;

    private List<Held> holdsOf(String lock) {
        return holds.computeIfAbsent(lock, key -> new ArrayList<>());
    }

    private List<Queued> queueOf(String lock) {
        return queues.computeIfAbsent(lock, key -> new ArrayList<>());
    }

    String holds(String actor, String lock) {
        return holds(actor, lock, Asked.ALONE);
    }

    String holds(String actor, String lock, Asked what) {
        String owner = "o" + ++count;
        holdsOf(lock).add(new Held(actor, owner, what, count));
        return owner;
    }

    void holdsUnknown(String lock, Asked what) {
        holds("", lock, what);
    }

    void releases(String actor, String lock, String owner) {
        holdsOf(lock)
                .removeIf(held -> held.actor().equals(actor) && held.owner().equals(owner));
    }

    /** Another lease of the same actor has the same hold now. */
    void lends(String actor, String lock, String owner) {
        releases(actor, lock, owner);
        holdsOf(lock).add(new Held(actor, owner, Asked.ALONE, ++count));
    }

    String waits(String actor, String lock) {
        return waits(actor, lock, Asked.ALONE);
    }

    String waits(String actor, String lock, Asked what) {
        String owner = "o" + ++count;
        queueOf(lock).add(new Queued(actor, owner, what, count, true));
        return owner;
    }

    /** Behind another lease or request of its client. */
    void waitsInLine(String actor, String lock, String owner) {
        queueOf(lock).add(new Queued(actor, owner, Asked.ALONE, ++count, false));
    }

    void leaves(String actor, String lock) {
        // Its client has not written that down yet.
        List<Queued> queue = queueOf(lock);
        queue.replaceAll(each ->
                each.actor().equals(actor) ? new Queued(actor, each.owner(), each.what(), -1, each.first()) : each);
    }

    void goesToTheTail(String actor, String lock) {
        List<Queued> queue = queueOf(lock);
        Queued moved = queue.stream()
                .filter(each -> each.actor().equals(actor))
                .findFirst()
                .orElseThrow();
        queue.remove(moved);
        queue.add(moved);
    }

    void forget(String lock) {
        forgotten.add(lock);
    }

    void unwilling(String actor) {
        unwilling.add(actor);
    }

    /** Nobody else is. */
    void willing(String actor) {
        queues.values().forEach(queue -> queue.forEach(each -> unwilling.add(each.actor())));
        unwilling.remove(actor);
    }

    void youngest(String actor) {
        youngest.put(actor, 1_000_000L);
    }

    /** An actor gives up all that it waits for and has. */
    void gone(String actor) {
        holds.values().forEach(list -> list.removeIf(held -> held.actor().equals(actor)));
        queues.values().forEach(list -> list.removeIf(queued -> queued.actor().equals(actor)));
    }

    Picture picture() {
        Map<String, Lock> locks = new LinkedHashMap<>();
        Map<Actor, Standing> actors = new LinkedHashMap<>();
        Set<String> names = new TreeSet<>(holds.keySet());
        names.addAll(queues.keySet());
        Set<String> waiting = new HashSet<>();
        queues.values().forEach(queue -> queue.forEach(each -> waiting.add(each.actor())));
        for (String lock : names) {
            Set<Has> has = new LinkedHashSet<>();
            for (Held held : holdsOf(lock)) {
                has.add(new Has(held.owner(), 1, held.what().mode(), held.what().weight()));
                if (waiting.contains(held.actor())) {
                    standing(actors, held.actor()).keeps().add(new Keeps(held.owner(), 1, lock, held.number()));
                }
            }
            Map<String, Set<String>> ahead = new LinkedHashMap<>();
            Map<String, Long> since = new LinkedHashMap<>();
            for (Queued queued : queueOf(lock)) {
                standing(actors, queued.actor())
                        .wants()
                        .add(new Wants(
                                queued.owner(),
                                lock,
                                queued.what(),
                                queued.first(),
                                !unwilling.contains(queued.actor()),
                                count));
                if (queued.first() && queued.since() >= 0) {
                    ahead.put(queued.owner(), new LinkedHashSet<>(ahead.keySet()));
                    since.put(queued.owner(), youngest.getOrDefault(queued.actor(), queued.since()));
                }
            }
            if (!forgotten.contains(lock)) {
                locks.put(lock, new Lock(has, ahead, since));
            }
        }
        return new Picture(locks, actors);
    }

    private static Standing standing(Map<Actor, Standing> actors, String actor) {
        return actors.computeIfAbsent(
                new Actor("client", actor), key -> new Standing(new LinkedHashSet<>(), new LinkedHashSet<>()));
    }

    // ---- at random

    static World random(Random random) {
        World world = new World();
        int actors = 2 + random.nextInt(4);
        int locks = 2 + random.nextInt(3);
        int[] limits = new int[locks];
        for (int i = 0; i < locks; i++) {
            limits[i] = random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 0;
        }
        for (int lock = 0; lock < locks; lock++) {
            for (int tries = random.nextInt(4); tries > 0; tries--) {
                Asked what = what(random, limits[lock]);
                String actor = random.nextInt(6) == 0 ? "" : "A" + random.nextInt(actors);
                String name = "l" + lock;
                if (fits(what, world.holdsOf(name).stream().map(Held::what).toList())) {
                    world.holds(actor, name, what);
                }
            }
        }
        for (int actor = 0; actor < actors; actor++) {
            for (int waits = random.nextInt(5) == 0 ? 2 : random.nextInt(4) == 0 ? 0 : 1; waits > 0; waits--) {
                int lock = random.nextInt(locks);
                String name = "A" + actor;
                if (world.queueOf("l" + lock).stream()
                        .noneMatch(each -> each.actor().equals(name))) {
                    world.waits(name, "l" + lock, what(random, limits[lock]));
                }
            }
        }
        // As a server leaves it: nobody waits who could be served.
        State settled = new State(world.holds, world.queues);
        for (boolean more = true; more; ) {
            more = false;
            for (String lock : world.queues.keySet()) {
                State next = settled.grant(lock);
                more |= next != null;
                settled = next == null ? settled : next;
            }
        }
        World made = new World();
        made.count = world.count;
        made.holds.putAll(settled.holds());
        made.queues.putAll(settled.queues());
        return made;
    }

    private static Asked what(Random random, int limit) {
        if (limit > 0) {
            return Asked.permits(1 + random.nextInt(limit), limit);
        }
        return random.nextBoolean() ? Asked.SHARED : Asked.ALONE;
    }

    private static boolean fits(Asked what, List<Asked> beside) {
        return switch (what.mode()) {
            case EXCLUSIVE -> beside.isEmpty();
            case SHARED -> beside.stream().allMatch(each -> each.mode() == LockMode.SHARED);
            case PERMITS ->
                what.weight() + beside.stream().mapToInt(Asked::weight).sum() <= what.limit();
        };
    }

    /** What can have happened so far, when everybody who does not wait gives back what it has, one after the other. */
    private record State(Map<String, List<Held>> holds, Map<String, List<Queued>> queues) {
        Set<String> waiting() {
            Set<String> waiting = new TreeSet<>();
            queues.values().forEach(queue -> queue.forEach(each -> waiting.add(each.actor())));
            return waiting;
        }

        State copy() {
            Map<String, List<Held>> held = new TreeMap<>();
            holds.forEach((lock, list) -> held.put(lock, new ArrayList<>(list)));
            Map<String, List<Queued>> queued = new TreeMap<>();
            queues.forEach((lock, list) -> queued.put(lock, new ArrayList<>(list)));
            return new State(held, queued);
        }

        /** The server grants to the first of a queue; null if it does not fit. */
        @Nullable
        State grant(String lock) {
            List<Held> present = holds.getOrDefault(lock, List.of());
            List<Queued> queue = queues.getOrDefault(lock, List.of());
            if (queue.isEmpty()
                    || !fits(
                            queue.get(0).what(),
                            present.stream().map(Held::what).toList())) {
                return null;
            }
            State next = copy();
            Queued first = Objects.requireNonNull(next.queues.get(lock)).remove(0);
            next.holds
                    .computeIfAbsent(lock, key -> new ArrayList<>())
                    .add(new Held(first.actor(), first.owner(), first.what(), first.since()));
            return next;
        }
    }

    /** Who waits in all states that can be reached: every order of grants and releases is tried. */
    Set<String> stuckInEveryOrder() {
        State begin = new State(holds, queues).copy();
        Set<State> seen = new HashSet<>(Set.of(begin));
        List<State> toDo = new ArrayList<>(List.of(begin));
        Set<String> stuck = begin.waiting();
        while (!toDo.isEmpty()) {
            State state = toDo.remove(toDo.size() - 1);
            stuck.retainAll(state.waiting());
            for (State next : following(state)) {
                if (seen.add(next)) {
                    toDo.add(next);
                }
            }
        }
        return stuck;
    }

    private static List<State> following(State state) {
        List<State> following = new ArrayList<>();
        for (String lock : state.queues().keySet()) {
            State granted = state.grant(lock);
            if (granted != null) {
                following.add(granted);
            }
        }
        Set<String> waiting = state.waiting();
        state.holds().forEach((lock, list) -> {
            for (Held held : list) {
                if (!waiting.contains(held.actor())) {
                    State next = state.copy();
                    Objects.requireNonNull(next.holds().get(lock)).remove(held);
                    following.add(next);
                }
            }
        });
        return following;
    }

    @Override
    public String toString() {
        return holds + " " + queues;
    }
}
