package io.holdfast.testkit;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import java.util.Optional;

/** What can be held of something that is named "a". */
enum Kind {
    LOCK {
        @Override
        DistributedLock of(Holdfast holdfast) {
            return holdfast.lock("a");
        }

        @Override
        DistributedLock rival(Holdfast holdfast) {
            return of(holdfast);
        }
    },

    WRITE {
        @Override
        DistributedLock of(Holdfast holdfast) {
            return holdfast.readWriteLock("a").write();
        }

        @Override
        DistributedLock rival(Holdfast holdfast) {
            return holdfast.readWriteLock("a").read();
        }
    },

    READ {
        @Override
        DistributedLock of(Holdfast holdfast) {
            return holdfast.readWriteLock("a").read();
        }

        @Override
        DistributedLock rival(Holdfast holdfast) {
            return holdfast.readWriteLock("a").write();
        }

        @Override
        Optional<DistributedLock> beside(Holdfast holdfast) {
            return Optional.of(of(holdfast));
        }
    },

    PERMITS {
        @Override
        DistributedLock of(Holdfast holdfast) {
            return holdfast.semaphore("a", 3).permits(2);
        }

        @Override
        DistributedLock rival(Holdfast holdfast) {
            return of(holdfast);
        }

        @Override
        Optional<DistributedLock> beside(Holdfast holdfast) {
            return Optional.of(holdfast.semaphore("a", 3).permits(1));
        }
    };

    abstract DistributedLock of(Holdfast holdfast);

    /** What nobody has while somebody has that. */
    abstract DistributedLock rival(Holdfast holdfast);

    LockInfo look(Holdfast holdfast) {
        return switch (this) {
            case LOCK -> holdfast.inspect().lock("a");
            case READ, WRITE -> holdfast.readWriteLock("a").info();
            case PERMITS -> holdfast.semaphore("a", 3).info();
        };
    }

    /** What another may have at the same time. */
    Optional<DistributedLock> beside(Holdfast holdfast) {
        return Optional.empty();
    }
}
