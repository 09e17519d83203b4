package io.holdfast.faults.subjects;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.Once;
import io.holdfast.Wait;
import io.holdfast.faults.history.Operation;
import io.holdfast.faults.history.Want;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Which kind of lock a subject is asked for: what differs between them. */
public enum Way {
    /** A lock. */
    EXCLUSIVE(LockInfo.Kind.LOCK, "") {
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
    READ_WRITE(LockInfo.Kind.READ_WRITE, "%rw:") {
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
    /** So many permits of a semaphore; half of the requests ask for slots. */
    PERMITS(LockInfo.Kind.SEMAPHORE, "%sem:") {
        @Override
        public Want draw(Random random) {
            return drawPermits(random);
        }

        @Override
        DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options) {
            return permits(holdfast, name, want, options);
        }
    },
    /** The same for groups that share them by weight. */
    SHARES(LockInfo.Kind.SEMAPHORE, "%sem:") {
        @Override
        public Want draw(Random random) {
            return drawPermits(random).withGroup(GROUPS.get(random.nextInt(GROUPS.size())));
        }

        @Override
        DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options) {
            int weight = 1 + GROUPS.indexOf(want.group());
            return permits(holdfast, name, want, options.withGroup(want.group(), weight));
        }
    },
    /** Work that is done once: for a slot of a second by the server's clock, or for a key that all processes call for at about one time. */
    ONCE(LockInfo.Kind.ONCE, "%once:") {
        @Override
        public Want draw(Random random) {
            return Want.ALONE;
        }

        @Override
        String present(Holdfast holdfast, String name, Random random) {
            return random.nextInt(4) == 0
                    ? holdfast.once(name).per(SLOT).inPresentSlot().name()
                    : name + "-" + System.nanoTime() / KEY_NANOS; // which all processes of a machine share
        }

        @Override
        DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options) {
            throw new UnsupportedOperationException("work is no lock");
        }

        private Once work(Holdfast holdfast, String name, LockOptions options) {
            return holdfast.once(name, options).withKeep(KEEP);
        }

        @Override
        Attempt<Lease> ask(Holdfast holdfast, String name, Want want, LockOptions options, Wait wait)
                throws InterruptedException {
            return work(holdfast, name, options).attempt(wait);
        }

        /** Of work that has a key, one time of four it fails: then it is the next one's. */
        @Override
        String end(Holdfast holdfast, String name, LockOptions options, Lease lease) {
            boolean fails = !isSlot(name) && ThreadLocalRandom.current().nextInt(4) == 0;
            String result = fails
                    ? lease.release().name()
                    : work(holdfast, name, options)
                            .finish(lease, Long.toString(lease.token()))
                            .name();
            return fails ? Operation.FAILED : result;
        }
    };

    private static final Duration SLOT = Duration.ofSeconds(1);
    private static final Duration KEEP = Duration.ofMinutes(5); // for longer than an episode
    private static final long KEY_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private static final int LIMIT = 4;
    private static final List<String> GROUPS = List.of("one", "two", "three"); // by weight

    private final LockInfo.Kind kind;
    private final String mark;

    Way(LockInfo.Kind kind, String mark) {
        this.kind = kind;
        this.mark = mark;
    }

    private static Want drawPermits(Random random) {
        Want want = Want.permits(random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 1, LIMIT);
        return random.nextBoolean() ? want.withSlots() : want;
    }

    private static DistributedLock permits(Holdfast holdfast, String name, Want want, LockOptions options) {
        DistributedSemaphore permits = holdfast.semaphore(name, want.limit(), options);
        return (want.slots() ? permits.withSlots() : permits).permits(want.weight());
    }

    /** What a request asks for next. */
    public abstract Want draw(Random random);

    /** Of one server; a quorum has exclusive locks only. */
    abstract DistributedLock lock(Holdfast holdfast, String name, Want want, LockOptions options);

    /** What a name stands for at this moment. */
    String present(Holdfast holdfast, String name, Random random) {
        return name;
    }

    Attempt<Lease> ask(Holdfast holdfast, String name, Want want, LockOptions options, Wait wait)
            throws InterruptedException {
        return lock(holdfast, name, want, options).attempt(wait);
    }

    /** Ends a hold; the result in one word. */
    String end(Holdfast holdfast, String name, LockOptions options, Lease lease) {
        return lease.release().name();
    }

    /** Whether work of this name is that of a slot of time. */
    public static boolean isSlot(String name) {
        return name.contains("@");
    }

    /** Whether several may hold it at a time. */
    public boolean isShared() {
        return this == READ_WRITE || !guards();
    }

    /** Where operators find it. */
    public LockInfo.Kind kind() {
        return kind;
    }

    /** The hash tag of a lock's keys, without its braces. */
    public String tag(String lock) {
        return mark + lock;
    }

    /** Whether a holder may change what the lock guards, so that it can be looked at. */
    public boolean guards() {
        return this != PERMITS && this != SHARES;
    }
}
