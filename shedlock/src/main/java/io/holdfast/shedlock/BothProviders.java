package io.holdfast.shedlock;

import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * The provider of {@link HoldfastLockProvider#beside}. The new lock is requested first, because it can be given back without a
 * minimum hold time. The old one would stay taken for {@code lockAtLeastFor} although nothing ran, and the next run would be
 * skipped. No request waits, so the order cannot cause a deadlock.
 */
final class BothProviders implements ExtensibleLockProvider {
    private final HoldfastLockProvider next;
    private final LockProvider old;

    BothProviders(HoldfastLockProvider next, LockProvider old) {
        this.next = next;
        this.old = old;
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        Optional<TakenLock> mine = next.take(configuration, false);
        if (mine.isEmpty()) {
            return Optional.empty();
        }
        Optional<SimpleLock> other = Optional.empty();
        try {
            other = old.lock(configuration);
        } finally {
            if (other.isEmpty()) {
                mine.get().giveBack();
            }
        }
        return other.map(taken -> new Both(configuration, mine.get(), taken));
    }

    private static final class Both extends AbstractSimpleLock {
        private final TakenLock mine;
        private SimpleLock other;

        Both(LockConfiguration configuration, TakenLock mine, SimpleLock other) {
            super(configuration);
            this.mine = mine;
            this.other = other;
        }

        @Override
        protected void doUnlock() {
            try {
                other.unlock();
            } finally {
                mine.unlock();
            }
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration anew) {
            Optional<SimpleLock> otherAnew = other.extend(anew.getLockAtMostFor(), anew.getLockAtLeastFor());
            if (otherAnew.isEmpty()) {
                mine.giveBack();
                return Optional.empty();
            }
            other = otherAnew.get(); // what unlocks it from now on, also if the next line throws
            Optional<TakenLock> mineAnew = mine.extended(anew);
            if (mineAnew.isEmpty()) {
                other.unlock();
                return Optional.empty();
            }
            return Optional.of(new Both(anew, mineAnew.get(), other));
        }
    }

    @Override
    public String toString() {
        return next + " beside " + old;
    }
}
