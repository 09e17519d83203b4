package io.holdfast.spring;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import org.jspecify.annotations.Nullable;

/** Who is told of waits, as whoever traces calls wants to be. */
interface WaitObserver {
    /** Where nobody is. */
    WaitObserver NONE = (method, lock, parent) -> Observed.NOTHING;

    /**
     * A call begins to wait, in the present thread.
     *
     * @param parent the observation to which it belongs; null for that of the present thread
     */
    Observed begin(LockedMethod method, DistributedLock lock, @Nullable Object parent);

    /** One wait. The first that is said of its end counts. By any thread. */
    interface Observed {
        /** Of which nobody wants to know. */
        Observed NOTHING = new Observed() {
            @Override
            public void obtained(Lease lease) {}

            @Override
            public void skipped(Attempt.NotObtained<?> outcome) {}

            @Override
            public void skipped(Throwable failure) {}

            @Override
            public void failed(Throwable failure) {}
        };

        /** The lock was obtained. */
        void obtained(Lease lease);

        /** It was not, and the call ends without having done anything. */
        void skipped(Attempt.NotObtained<?> outcome);

        /** The same, told in the other way. */
        void skipped(Throwable failure);

        /** It was not, and the call fails because of that. */
        void failed(Throwable failure);
    }
}
