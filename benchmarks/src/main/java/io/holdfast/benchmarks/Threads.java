package io.holdfast.benchmarks;

/** Threads of both sorts. Virtual ones by reflection: the language level has none, the JVM may. */
final class Threads {
    private Threads() {}

    /** Starts a daemon thread. */
    static Thread start(boolean virtual, Runnable work) {
        if (virtual) {
            try {
                return (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, work);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this JVM has no virtual threads", e);
            }
        }
        Thread thread = new Thread(work, "bench");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
