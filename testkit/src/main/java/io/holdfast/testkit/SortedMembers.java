package io.holdfast.testkit;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A sorted set: members with scores, by score and then by their bytes. */
final class SortedMembers {
    record Scored(double score, String member) {
        String scoreText() {
            return LuaNumbers.argument(score);
        }
    }

    private final Map<String, Double> scores = new HashMap<>();
    private final NavigableSet<Scored> order =
            new TreeSet<>(Comparator.comparingDouble(Scored::score).thenComparing(Scored::member));

    SortedMembers copy() {
        SortedMembers same = new SortedMembers();
        same.scores.putAll(scores);
        same.order.addAll(order);
        return same;
    }

    int size() {
        return scores.size();
    }

    @Nullable
    Double score(String member) {
        return scores.get(member);
    }

    void put(String member, double score) {
        double plain = score + 0.0; // -0 and 0 are one score
        Double before = scores.put(member, plain);
        if (before != null) {
            order.remove(new Scored(before, member));
        }
        order.add(new Scored(plain, member));
    }

    boolean remove(String member) {
        Double before = scores.remove(member);
        return before != null && order.remove(new Scored(before, member));
    }

    NavigableSet<Scored> ascending() {
        return order;
    }

    /** How many stand before it; -1 if it is not there. */
    int rank(String member) {
        Double score = scores.get(member);
        return score == null ? -1 : order.headSet(new Scored(score, member)).size();
    }
}
