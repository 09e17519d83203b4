package io.holdfast.spring;

import io.holdfast.Acquirable;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What a call asks for: a lock, or several that it gets together.
 *
 * @param locks those of the annotation, in its order
 * @param words for people
 * @param leases of what was obtained, in the order of the annotation
 */
record Wanted<L>(Acquirable<L> lock, List<DistributedLock> locks, String words, Function<L, List<Lease>> leases) {
    /** @param locks of different names */
    static Wanted<?> of(Holdfast holdfast, List<DistributedLock> locks) {
        DistributedLock first = locks.get(0);
        if (locks.size() == 1) {
            return new Wanted<>(first, locks, "the lock '" + first.name() + "'", List::of);
        }
        List<String> names = locks.stream().map(DistributedLock::name).toList();
        return new Wanted<>(
                holdfast.allOf(locks.toArray(DistributedLock[]::new))
                        .withWait(first.options().waitLimit()),
                locks,
                names.stream().collect(Collectors.joining("', '", "the locks '", "'")),
                set -> names.stream().map(set::lease).toList());
    }

    /** The same, each lock of which is asked for in another way. */
    Wanted<?> each(Holdfast holdfast, UnaryOperator<DistributedLock> as) {
        return of(holdfast, locks.stream().map(as).toList());
    }

    /** By which listeners and traces know it. */
    DistributedLock first() {
        return locks.get(0);
    }
}
