package io.holdfast.faults.simulation;

import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.model.following.Follower;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All that is done in one run, drawn from a seed before it begins. */
interface Drawn {
    /** Something to do. */
    interface Item {
        /** Unique in its run. */
        int number();

        long atMillis();
    }

    /** A request of an actor for a lock. */
    interface Asking extends Item {
        int lock();

        String actor();

        LockOptions options();

        /** Whether it would enter what its actor has obtained by another request of the same process. */
        default boolean wouldEnter(Asking obtained) {
            return lock() == obtained.lock()
                    && actor().equals(obtained.actor())
                    && options().reentrancy() != Reentrancy.WAIT;
        }
    }

    /** The word for {@code --plan}. */
    String name();

    /** What everything follows from, also what the network does. */
    long seed();

    /** In the order of their times. */
    List<? extends Item> items();

    /** The same without some of its items. */
    Drawn keep(Collection<Integer> numbers);

    /**
     * Runs it to the end, or to the first finding.
     *
     * @param follower compares what the servers do with the models; null if nobody does
     */
    Outcome run(@Nullable Follower follower);

    /** The same, followed by the models as they are. */
    default Outcome run() {
        return run(new Follower());
    }

    static <I extends Item> List<I> sorted(List<I> items) {
        return items.stream()
                .sorted(Comparator.comparingLong(Item::atMillis).thenComparingInt(Item::number))
                .toList();
    }

    static <I extends Item> List<I> only(List<I> items, Collection<Integer> numbers) {
        return items.stream().filter(item -> numbers.contains(item.number())).toList();
    }
}
