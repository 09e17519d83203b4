package io.holdfast.benchmarks;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Work before what is measured. Services run for days: of interest is code that is compiled, and not how soon it is. Those
 * whose code is large, or who get through little of it in a second, need longer for that.
 */
final class Warming {
    private static final long LIMIT_MILLIS = 60_000;

    /** The share of one processor that compiling takes, below which nothing much changes any more. */
    private static final double QUIET = 0.05;

    private Warming() {}

    /**
     * Has the members work for a while, and again until they hardly compile any more, or have done so often enough.
     *
     * @param most how often
     * @param millis for how long each time
     * @param work for about so many milliseconds
     */
    static void of(List<Crew.Member> members, int most, long millis, LongConsumer work) {
        long compiled = compiledMillis(members);
        for (int i = 0; i < most; i++) {
            long begin = System.nanoTime();
            work.accept(millis);
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            long before = compiled;
            compiled = compiledMillis(members);
            if (compiled - before <= QUIET * took) {
                return;
            }
        }
    }

    private static long compiledMillis(List<Crew.Member> members) {
        return Crew.sumOf(members, Task.Act.COMPILED, LIMIT_MILLIS);
    }
}
