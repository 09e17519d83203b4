package io.holdfast.internal.lease;

import io.holdfast.LockEvent;
import io.holdfast.internal.lease.Question.Account;
import org.jspecify.annotations.Nullable;

/**
 * What goes into a flight recording of the JVM. This one records nothing: it stands for the recorder where the JVM has no
 * flight recorder, and is what the engine knows of it.
 */
public class Recorder {
    /** Something that lasts and is recorded when it is over, by any thread. */
    public interface Span {
        /** Records it, if that is still wanted; said once. */
        void over(Account account, String how);
    }

    private static final Recorder PRESENT = find();

    Recorder() {}

    private static Recorder find() {
        try {
            return FlightRecorder.make();
        } catch (LinkageError e) {
            return new Recorder(); // the module jdk.jfr is not there, or is not read by this one
        }
    }

    /** That of this JVM. */
    public static Recorder present() {
        return PRESENT;
    }

    /**
     * A wait begins.
     *
     * @param blocks whether it is the present thread that waits, which is also the one that says when it is over
     * @return null if nobody records that
     */
    public @Nullable Span waiting(boolean blocks) {
        return null;
    }

    /** Whether anything is recorded of what is told to {@link #tell}. */
    public boolean listens() {
        return false;
    }

    /**
     * Something has happened to a hold, at this moment.
     *
     * @param holding what is being recorded of the hold; null for nothing
     * @return the same from now on
     */
    @Nullable
    Span tell(Account account, LockEvent event, @Nullable Span holding) {
        return holding;
    }
}
