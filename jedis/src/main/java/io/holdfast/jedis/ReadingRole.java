package io.holdfast.jedis;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BooleanSupplier;

/**
 * Who reads, and how that is passed on; {@link Reading} has the picture. Whenever something is owed, and nobody is in the midst of
 * a step, the keeper or a caller has the role.
 */
final class ReadingRole {
    static final int KEEPER = 0;
    static final int NOBODY = 1;
    static final int CALLER = 2;
    static final int DOUBTFUL = 3;

    private static final AtomicIntegerFieldUpdater<ReadingRole> HOLDER =
            AtomicIntegerFieldUpdater.newUpdater(ReadingRole.class, "holder");

    private final BooleanSupplier owed;
    private final Runnable wake;

    /** A field and no object, since to write one needs neither stack nor heap. Written outside by a caller that gives it up. */
    volatile int holder = KEEPER;

    /**
     * The role of one connection, which the keeper has.
     *
     * @param owed whether somebody has to read
     * @param wake wakes the keeper
     */
    ReadingRole(BooleanSupplier owed, Runnable wake) {
        this.owed = owed;
        this.wake = wake;
    }

    boolean isKeepers() {
        return holder == KEEPER;
    }

    /** Lets the keeper read if nobody does. Whoever is owed something has added it before. */
    void summon() {
        if (holder == NOBODY && HOLDER.compareAndSet(this, NOBODY, KEEPER)) {
            wake.run();
        }
    }

    void summonIfOwed() {
        if (owed.getAsBoolean()) {
            summon();
        }
    }

    /** A caller is to read; whether it has the role now. */
    boolean take() {
        return HOLDER.compareAndSet(this, NOBODY, CALLER);
    }

    /** A caller has given the role to the next one, and written so. */
    void left(int next) {
        if (next == NOBODY) {
            summonIfOwed(); // who came meanwhile relied on the caller
        } else {
            wake.run();
        }
    }

    /** The keeper reads no more, unless something is owed by now. */
    void stepBack() {
        holder = NOBODY;
        summonIfOwed(); // who came meanwhile relied on the keeper
    }

    /** The keeper takes over what a caller has left in doubt; whether that was so. */
    boolean takeDoubtful() {
        return HOLDER.compareAndSet(this, DOUBTFUL, KEEPER);
    }
}
