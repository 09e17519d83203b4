package io.holdfast.internal.lease;

/**
 * Does things of which an error may leave a part undone, such as a shortage of memory at any line: then it looks a moment later,
 * on the thread of the timers, at what was left, and as often as that takes. The error is passed on.
 */
public final class Mending {
    private final Kit kit;
    private final Runnable mend;

    /** @param mend goes on with whatever is half done; changes nothing that is as it should be */
    public Mending(Kit kit, Runnable mend) {
        this.kit = kit;
        this.mend = mend;
    }

    public void doing(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException | Error e) {
            later();
            throw e;
        }
    }

    public void later() {
        kit.schedule(Kit.LATER_NANOS, mend);
    }
}
