package io.holdfast.faults.subjects;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.faults.history.Want;
import java.util.Random;

/** Which kind of lock a subject is asked for: what differs between them. */
public enum Way {
    /** A lock. */
    EXCLUSIVE("") {
        @Override
        public Want draw(Random random) {
            return Want.ALONE;
        }

        @Override
        DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options) {
            return holdfast.lock(name, options);
        }
    },
    /** A read/write lock, mostly for reading. */
    READ_WRITE("%rw:") {
        @Override
        public Want draw(Random random) {
            return random.nextInt(3) == 0 ? Want.ALONE : Want.SHARED;
        }

        @Override
        DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options) {
            DistributedReadWriteLock both = holdfast.readWriteLock(name, options);
            return want.mode() == Want.Mode.SHARED ? both.read() : both.write();
        }
    },
    /** So many permits of a semaphore. */
    PERMITS("%sem:") {
        @Override
        public Want draw(Random random) {
            return Want.permits(random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 1, LIMIT);
        }

        @Override
        DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options) {
            return holdfast.semaphore(name, want.limit(), options).permits(want.weight());
        }
    };

    private static final int LIMIT = 4;

    private final String mark;

    Way(String mark) {
        this.mark = mark;
    }

    /** What a request asks for next. */
    public abstract Want draw(Random random);

    /** Of one server; a quorum has exclusive locks only. */
    abstract DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options);

    /** The hash tag of a lock's keys, without its braces. */
    public String tag(String lock) {
        return mark + lock;
    }

    /** Whether a holder may change what the lock guards, so that it can be looked at. */
    public boolean guards() {
        return this != PERMITS;
    }
}
