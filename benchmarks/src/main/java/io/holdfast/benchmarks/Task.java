package io.holdfast.benchmarks;

/**
 * What a worker is told to do.
 *
 * @param act what
 * @param lock which lock, or how the names of locks begin
 * @param count of threads, requests or locks
 * @param shared whether all of them want one lock
 * @param virtual whether threads are virtual ones
 * @param warmMillis how long to work before counting
 * @param millis how long to count
 * @param least how many cycles each thread counts however long they take
 */
record Task(Act act, String lock, int count, boolean shared, boolean virtual, long warmMillis, long millis, int least) {
    enum Act {
        /** Threads acquire and release, again and again. */
        CYCLES,
        /** The same with requests that block no thread. */
        ASYNC,
        /** The same as {@link #CYCLES} with work that is done once, for one key again and again. */
        ONCE,
        /** The same with a key of its own each time. */
        ONCE_FRESH,
        /** Threads call at the same time for work that is done once, and that lasts as long as the task says. */
        MEET,
        /** Acquires locks and keeps them. */
        HOLD,
        /** Connects, and acquires and releases in one thread, from then on. Nothing was done before. */
        FIRST,
        /** Begins to wait for a lock, and goes on waiting. */
        WAIT,
        /** Acquires a lock, for {@link #GIVE}. */
        TAKE,
        /** Releases it. */
        GIVE,
        /** Begins to ask for a lock that somebody holds, for {@link #AWAIT}. */
        ASK,
        /** Awaits that, and releases it. */
        AWAIT,
        /** Tells how much of the heap is in use. */
        HEAP,
        /** Tells how much processor time the process has used. */
        CPU,
        /** Tells how many threads the process has. */
        THREADS,
        /** Tells how many milliseconds of processor time have gone into compiling. */
        COMPILED,
        /** Ends. */
        END
    }

    static Task of(Act act) {
        return new Task(act, "", 0, false, false, 0, 0, 0);
    }

    static Task of(Act act, String lock) {
        return new Task(act, lock, 0, false, false, 0, 0, 0);
    }

    static Task of(Act act, String lock, int count) {
        return new Task(act, lock, count, false, false, 0, 0, 0);
    }

    Task lasting(long warm, long counted) {
        return new Task(act, lock, count, shared, virtual, warm, counted, least);
    }

    Task sharing() {
        return new Task(act, lock, count, true, virtual, warmMillis, millis, least);
    }

    Task withVirtualThreads() {
        return new Task(act, lock, count, shared, true, warmMillis, millis, least);
    }
}
