package io.holdfast.model.line;

import io.holdfast.model.line.AnyLineCalls.Act;
import io.holdfast.model.line.LineBounds.Wish;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The looks at shared lines that have a name. */
public final class LineSettings {
    /** The server alone, whose calls are all run by the scripts. */
    public record Calls(String about, LineBounds bounds, Set<Act> acts) {
        public AnyLineCalls model(Set<LineRule> rules) {
            return new AnyLineCalls(bounds, rules, acts);
        }
    }

    private LineSettings() {}

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
        return all;
    }

    private static LineBounds bounds(int limitLives, Wish... wishes) {
        return new LineBounds(2, 1, 4, List.of(0, 1), limitLives, List.of(wishes));
    }
}
