package io.holdfast.model.exclusive;

import io.holdfast.model.Worlds;
import io.holdfast.model.exclusive.AnyCalls.Act;
import io.holdfast.model.exclusive.Bounds.Wish;
import io.holdfast.model.world.ClientWorlds;
import io.holdfast.model.world.Clients;
import io.holdfast.model.world.Clients.Mishap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The looks that have a name. */
public final class Settings {
    /** The server alone, whose calls are all run by the scripts. */
    public record Calls(String about, Bounds bounds, Set<Act> acts) {
        public AnyCalls model(Set<Rule> rules) {
            return new AnyCalls(bounds, rules, acts);
        }
    }

    /** Where an assumption does not hold: it is not among those that are looked at without being named. */
    public static final String OUTSIDE = "step";

    private static final int NEVER = LockState.FOREVER;
    private static final Set<Act> CLIENTS =
            EnumSet.of(Act.ACQUIRE, Act.RELEASE, Act.CONFIRM, Act.REFRESH, Act.CHECK, Act.LISTEN, Act.TICK);

    private Settings() {}

    /** Whole clients. */
    public static Worlds worlds() {
        ClientWorlds<Rule> all = new ClientWorlds<>("the exclusive lock", Rule.class);
        add(all, "tiny", "two clients, nothing goes wrong", 2, 1, true);
        add(all, "small", "two clients that give up", 2, 1, true, Mishap.GIVES_UP);
        add(all, "copies", "two clients that repeat requests", 2, 2, false, Mishap.COPIES, Mishap.GIVES_UP);
        add(all, "deaf", "two clients whose messages break", 2, 1, true, Mishap.DEAF);
        add(all, "dying", "three clients that die", 3, 1, false, Mishap.DIES);
        add(all, "three", "three clients that give up", 3, 2, false, Mishap.GIVES_UP);
        add(all, "lossy", "two clients, what is under way is lost", 2, 2, false, Mishap.LOSS, Mishap.GIVES_UP);
        add(all, "again", "two clients that ask again", 2, 1, false, Mishap.ASKS_AGAIN, Mishap.GIVES_UP);
        add(
                all,
                OUTSIDE,
                "two clients, and the server's clock steps: outside of assumption A3, a violation is found",
                2,
                2,
                false,
                Mishap.CLOCK_STEP);
        return all.build();
    }

    /**
     * By name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Calls calls(String name) {
        return named(name, calls());
    }

    private static <T> T named(String name, Map<String, T> all) {
        T found = all.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no setting " + name + " here, but " + String.join(", ", all.keySet()));
        }
        return found;
    }

    private static void add(
            ClientWorlds<Rule> all,
            String name,
            String text,
            int clients,
            int term,
            boolean served,
            Mishap... mishaps) {
        Set<Mishap> set = EnumSet.noneOf(Mishap.class);
        set.addAll(List.of(mishaps));
        Bounds bounds = Bounds.plain(clients, term, 1, NEVER);
        all.add(
                name,
                text,
                served,
                (rules, ofClients) -> new Clients<>(new LockKind(bounds, rules), ofClients, set, served ? 1 : 4, 0));
    }

    public static Map<String, Calls> calls() {
        Map<String, Calls> all = new LinkedHashMap<>();
        all.put(
                "silent",
                new Calls(
                        "two clients that may be silent until they are forgotten", Bounds.plain(2, 1, 1, 4), CLIENTS));
        all.put(
                "all",
                new Calls(
                        "two clients and an operator, every call", Bounds.plain(2, 2, 1, 4), EnumSet.allOf(Act.class)));
        all.put(
                "kept",
                new Calls(
                        "two requests of one client and one of another, which keep the lock, every call",
                        new Bounds(
                                2,
                                1,
                                4,
                                List.of(
                                        new Wish(0, 0, false, true, 1, 0, true),
                                        new Wish(0, 0, false, false, 0, 0, true),
                                        new Wish(1, 0, false, true, 1, 0, true))),
                        EnumSet.allOf(Act.class)));
        all.put(
                "orders",
                new Calls(
                        "three clients, with priorities, last in first out, and requests with a life",
                        new Bounds(
                                2,
                                1,
                                4,
                                List.of(
                                        new Wish(0, 0, false, false, 0, 1, true),
                                        new Wish(1, 1, false, false, 0, 1, true),
                                        new Wish(2, 0, true, false, 0, 1, false))),
                        EnumSet.of(Act.ACQUIRE, Act.RELEASE, Act.REFRESH, Act.TICK, Act.QUEUE_LIMIT, Act.LISTEN)));
        all.put(
                "shares",
                new Calls(
                        "a group with two requests, one of which has a life, and one of twice its weight",
                        new Bounds(
                                2,
                                1,
                                4,
                                List.of(
                                        Wish.plain(0).withShare(0, 1),
                                        new Wish(0, 0, false, false, 0, 1, false).withShare(0, 1),
                                        Wish.plain(1).withShare(1, 2))),
                        EnumSet.of(Act.ACQUIRE, Act.RELEASE, Act.REFRESH, Act.TICK, Act.LISTEN)));
        all.put(
                "paused",
                new Calls(
                        "two clients, which keep the lock, and an operator that pauses it",
                        new Bounds(
                                2,
                                1,
                                4,
                                List.of(
                                        new Wish(0, 0, false, true, 1, 0, true),
                                        new Wish(1, 0, false, false, 0, 0, true))),
                        EnumSet.of(
                                Act.ACQUIRE,
                                Act.RELEASE,
                                Act.REST,
                                Act.DONE,
                                Act.CONFIRM,
                                Act.REFRESH,
                                Act.REVOKE,
                                Act.PAUSE,
                                Act.NOTE,
                                Act.TICK)));
        all.put("three", new Calls("three clients", Bounds.plain(3, 1, 1, 4), CLIENTS));
        return all;
    }
}
