package io.holdfast.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Lists that are never changed: each step has its own. */
public final class Values {
    private Values() {}

    public static <T> List<T> with(List<T> list, int at, T value) {
        List<T> next = new ArrayList<>(list);
        next.set(at, value);
        return Collections.unmodifiableList(next);
    }

    public static <T> List<T> plus(List<T> list, T value) {
        List<T> next = new ArrayList<>(list.size() + 1);
        next.addAll(list);
        next.add(value);
        return Collections.unmodifiableList(next);
    }

    /** As a set: a second one that is equal is not told from the first. */
    public static <T> List<T> plusOnce(List<T> list, T value) {
        return list.contains(value) ? list : plus(list, value);
    }

    public static <T> List<T> minus(List<T> list, int at) {
        List<T> next = new ArrayList<>(list);
        next.remove(at);
        return Collections.unmodifiableList(next);
    }

    public static <T> List<T> minus(List<T> list, T value) {
        int at = list.indexOf(value);
        return at < 0 ? list : minus(list, at);
    }

    public static <T> List<T> concat(List<T> first, List<T> second) {
        List<T> all = new ArrayList<>(first);
        all.addAll(second);
        return Collections.unmodifiableList(all);
    }
}
