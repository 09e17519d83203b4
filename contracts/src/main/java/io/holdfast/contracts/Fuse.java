package io.holdfast.contracts;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** A fault that happens once, at the n-th of the points where a test has placed it. For any threads. */
public final class Fuse {
    /** What goes wrong; throws it, or does it. */
    public interface Fault {
        /** Happens in the thread that has come to the point. */
        void happen() throws Throwable;
    }

    private final AtomicLong left = new AtomicLong();
    private volatile Fault fault = () -> {};
    private volatile String place = "nowhere";

    /** It has not been laid yet: every point is passed. */
    public Fuse() {}

    /** Lets a fault happen at the n-th point from now on, counted from 1. */
    public void lay(long n, Fault happening) {
        fault = happening;
        left.set(n);
    }

    /** Lets all points be passed from now on; answers whether the fault has happened. */
    public boolean take() {
        return left.getAndSet(0) <= 0;
    }

    /** A point. */
    public void pass() {
        if (left.get() > 0 && left.decrementAndGet() == 0) {
            place = placeOf(Thread.currentThread());
            try {
                fault.happen();
            } catch (Throwable e) {
                throw Fuse.<RuntimeException>unchecked(e);
            }
        }
    }

    /** In which thread and where in it the fault has happened. */
    public String place() {
        return place;
    }

    private static String placeOf(Thread thread) {
        return thread.getName() + ": "
                + Arrays.stream(thread.getStackTrace())
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining(" < "));
    }

    /** Lets an exception through that the compiler would have declared: a stream of a test throws what it likes. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T unchecked(Throwable e) throws T {
        throw (T) e;
    }
}
