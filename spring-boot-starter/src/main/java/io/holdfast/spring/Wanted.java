package io.holdfast.spring;

import io.holdfast.Acquirable;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a call asks for: a lock, or several that it gets together.
 *
 * @param first of the annotation's locks
 * @param words for people
 * @param leases of what was obtained, in the order of the annotation
 */
record Wanted<L>(Acquirable<L> lock, DistributedLock first, String words, Function<L, List<Lease>> leases) {
    /** @param locks of different names */
    static Wanted<?> of(Holdfast holdfast, List<DistributedLock> locks) {
        DistributedLock first = locks.get(0);
        if (locks.size() == 1) {
            return new Wanted<>(first, first, "the lock '" + first.name() + "'", List::of);
        }
        List<String> names = locks.stream().map(DistributedLock::name).toList();
        return new Wanted<>(
                holdfast.allOf(locks.toArray(DistributedLock[]::new))
                        .withWait(first.options().waitLimit()),
                first,
                names.stream().collect(Collectors.joining("', '", "the locks '", "'")),
                set -> names.stream().map(set::lease).toList());
    }
}
