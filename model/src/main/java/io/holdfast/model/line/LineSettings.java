package io.holdfast.model.line;

import io.holdfast.model.Worlds;
import io.holdfast.model.line.AnyLineCalls.Act;
import io.holdfast.model.line.LineBounds.Wish;
import io.holdfast.model.world.ClientWorlds;
import io.holdfast.model.world.Clients;
import io.holdfast.model.world.Clients.Mishap;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The looks at shared lines that have a name. */
public final class LineSettings {
    /** The server alone, whose calls are all run by the scripts. */
    public record Calls(String about, LineBounds bounds, Set<Act> acts, List<LineCall> before) {
        Calls(String about, LineBounds bounds, Set<Act> acts) {
            this(about, bounds, acts, List.of());
        }

        public AnyLineCalls model(Set<LineRule> rules) {
            return new AnyLineCalls(bounds, rules, acts, before);
        }
    }

    private LineSettings() {}

    /** Whole clients; the first of them hold and wait where some looks begin. */
    public static Worlds worlds() {
        ClientWorlds<LineRule> all = new ClientWorlds<>("shared lines", LineRule.class);
        Wish write = Wish.write(0);
        Wish read = Wish.read(0);
        add(all, "rw-tiny", "a writer and a reader", true, 0, List.of(write, read));
        add(all, "rw-small", "a writer and a reader, which give up", true, 0, List.of(write, read), Mishap.GIVES_UP);
        add(
                all,
                "rw-down",
                "a writer holds, and reads on; two readers wait",
                false,
                3,
                List.of(write, read, read),
                Mishap.DOWNGRADES,
                Mishap.GIVES_UP);
        add(
                all,
                "rw-copies",
                "a writer holds; it and a reader repeat requests",
                false,
                1,
                List.of(write, read),
                Mishap.COPIES,
                Mishap.DOWNGRADES,
                Mishap.GIVES_UP);
        add(
                all,
                "rw-writer",
                "a reader holds, a writer waits, a reader comes, and messages break",
                false,
                2,
                List.of(read, write, read),
                Mishap.DEAF,
                Mishap.GIVES_UP);
        add(
                all,
                "rw-frozen",
                "a reader holds, a writer and a reader wait, and processes stand still",
                false,
                3,
                List.of(read, write, read),
                Mishap.FREEZES);
        add(
                all,
                "permits-small",
                "two clients hold one of three permits each, one waits for two",
                false,
                3,
                List.of(Wish.permits(0, 1, 3), Wish.permits(0, 1, 3), Wish.permits(0, 2, 3)),
                Mishap.GIVES_UP);
        add(
                all,
                "permits-dying",
                "a client holds one of two permits, others wait for both and for one; processes die",
                false,
                3,
                List.of(Wish.permits(0, 1, 2), Wish.permits(0, 2, 2), Wish.permits(0, 1, 2)),
                Mishap.DIES,
                Mishap.DEAF);
        return all.build();
    }

    private static void add(
            ClientWorlds<LineRule> all,
            String name,
            String text,
            boolean served,
            int before,
            List<Wish> wishes,
            Mishap... mishaps) {
        Set<Mishap> set = EnumSet.noneOf(Mishap.class);
        set.addAll(List.of(mishaps));
        List<Wish> ofEach = new ArrayList<>();
        wishes.forEach(wish -> ofEach.add(wish.of(ofEach.size())));
        LineBounds bounds = new LineBounds(served ? 1 : 2, 1, LineState.FOREVER, List.of(), 0, ofEach);
        all.add(
                name,
                text,
                served,
                (rules, ofClients) ->
                        new Clients<>(new LineKind(bounds, rules), ofClients, set, served ? 1 : 2, before));
    }

    public static Map<String, Calls> calls() {
        Map<String, Calls> all = new LinkedHashMap<>();
        Set<Act> readers = EnumSet.complementOf(EnumSet.of(Act.LIMIT));
        Set<Act> few = EnumSet.of(Act.DOWNGRADE, Act.LISTEN, Act.CHECK);
        all.put(
                "rw",
                new Calls(
                        "a writer and two readers, of three clients, every call",
                        bounds(1, Wish.write(0), Wish.read(1), Wish.read(2)),
                        readers));
        all.put(
                "rw-client",
                new Calls(
                        "two readers of one client, and a writer",
                        bounds(1, Wish.read(0), Wish.read(0), Wish.write(1)),
                        readers));
        all.put(
                "rw-orders",
                new Calls(
                        "a writer before readers that leave, or go to the tail",
                        bounds(
                                1,
                                Wish.write(0).withPriority(1),
                                Wish.read(0).withLife(1, true),
                                Wish.read(1).withLife(1, false)),
                        few));
        all.put(
                "rw-paused",
                new Calls(
                        "a writer and two readers, of three clients, and an operator that pauses the lock",
                        bounds(2, Wish.write(0), Wish.read(1), Wish.read(2)),
                        EnumSet.of(Act.LIMIT, Act.LISTEN)));
        all.put(
                "permits",
                new Calls(
                        "three clients that want one or two of two or three, and an operator's limit",
                        bounds(1, Wish.permits(0, 1, 2), Wish.permits(1, 2, 2), Wish.permits(2, 1, 3)),
                        EnumSet.complementOf(EnumSet.of(Act.DOWNGRADE))));
        all.put(
                "permits-few",
                new Calls(
                        "the same, two of one client, and few calls",
                        bounds(2, Wish.permits(0, 1, 2), Wish.permits(0, 2, 3), Wish.permits(1, 1, 2)),
                        EnumSet.of(Act.LIMIT, Act.LISTEN)));
        all.put(
                "slots",
                new Calls(
                        "two clients that want one and two of three permits with their slots, and one that wants any",
                        bounds(
                                2,
                                Wish.permits(0, 1, 3).withSlots(),
                                Wish.permits(1, 2, 3).withSlots(),
                                Wish.permits(2, 1, 3)),
                        EnumSet.of(Act.LISTEN, Act.CLEAN)));
        all.put(
                "shares",
                new Calls(
                        "a group with two requests, one of them for two permits, and one of twice its weight",
                        bounds(
                                2,
                                Wish.permits(0, 1, 2).withShare(0, 1),
                                Wish.permits(0, 2, 2).withShare(0, 1).withLife(1, false),
                                Wish.permits(1, 1, 2).withShare(1, 2)),
                        EnumSet.of(Act.LISTEN, Act.CLEAN)));
        all.put(
                "claims",
                new Calls(
                        "a writer holds, and two readers wait",
                        bounds(1, Wish.write(0), Wish.read(1), Wish.read(2)),
                        EnumSet.of(Act.CLEAN),
                        List.of(asks(0, 0), asks(1, 1), asks(2, 2))));
        all.put(
                "limited",
                new Calls(
                        "one permit is out, none may be more for a while, and two clients wait for two and one",
                        bounds(1, Wish.permits(0, 1, 2), Wish.permits(1, 2, 2), Wish.permits(2, 1, 2)),
                        EnumSet.of(Act.CLEAN, Act.LISTEN, Act.LIMIT),
                        List.of(asks(0, 0), new LineCall.Limit(3, 0, 1), asks(1, 1), asks(2, 2))));
        return all;
    }

    private static LineCall asks(int client, int owner) {
        return new LineCall.Acquire(client, owner, true, 0);
    }

    private static LineBounds bounds(int limitLives, Wish... wishes) {
        return new LineBounds(2, 1, 4, List.of(0, 1), limitLives, List.of(wishes));
    }
}
