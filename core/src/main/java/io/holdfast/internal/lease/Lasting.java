package io.holdfast.internal.lease;

import io.holdfast.internal.wire.Keys;

/** Hears of what a client has, so that it can be reported to those who look. */
public interface Lasting {
    /** For a client that reports nothing. */
    Lasting UNREPORTED = new Lasting() {
        @Override
        public void begins() {}

        @Override
        public void goesOn(Keys keys, long untilNanos) {}
    };

    /** Something is held, or waits, from now on. Called by any thread, often. */
    void begins();

    /** A hold lasts until then although no lease is of it: it was left to live its term, or rests. */
    void goesOn(Keys keys, long untilNanos);
}
