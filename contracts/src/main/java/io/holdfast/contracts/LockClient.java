package io.holdfast.contracts;

import io.holdfast.Backoff;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.PlainOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.contracts.AnyLock.Terms;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

/** A client that has locks of one kind. */
interface LockClient extends AutoCloseable {
    /** A lock of the kind. */
    AnyLock lock(String name, Terms terms);

    /**
     * The lock whose lease keeps everybody out who asks for {@link #lock}, and is kept out by each of its leases: the same,
     * unless leases of the kind tolerate each other.
     */
    default AnyLock against(String name, Terms terms) {
        return lock(name, terms);
    }

    /** How many leases it says that it holds. */
    int holding();

    /** How many requests it says that wait. */
    int waiting();

    /** Whether a request of it for this lock has found it taken, and waits. At least for its first wait. */
    boolean waits(String name);

    @Override
    void close();

    /** Where a client has locks of a kind, and where it looks at them. */
    enum Locks {
        EXCLUSIVE {
            @Override
            DistributedLock of(Holdfast holdfast, String name, LockOptions options) {
                return holdfast.lock(name, options);
            }

            @Override
            Inspector in(Holdfast holdfast) {
                return holdfast.inspect();
            }
        },

        READING {
            @Override
            DistributedLock of(Holdfast holdfast, String name, LockOptions options) {
                return holdfast.readWriteLock(name, options).read();
            }

            @Override
            DistributedLock against(Holdfast holdfast, String name, LockOptions options) {
                return WRITING.of(holdfast, name, options);
            }

            @Override
            Inspector in(Holdfast holdfast) {
                return holdfast.inspect().of(LockInfo.Kind.READ_WRITE);
            }
        },

        WRITING {
            @Override
            DistributedLock of(Holdfast holdfast, String name, LockOptions options) {
                return holdfast.readWriteLock(name, options).write();
            }

            @Override
            Inspector in(Holdfast holdfast) {
                return holdfast.inspect().of(LockInfo.Kind.READ_WRITE);
            }
        },

        PERMITS {
            @Override
            DistributedLock of(Holdfast holdfast, String name, LockOptions options) {
                return holdfast.semaphore(name, 1, options).permits(1);
            }

            @Override
            Inspector in(Holdfast holdfast) {
                return holdfast.inspect().of(LockInfo.Kind.SEMAPHORE);
            }
        },

        SLOTS {
            @Override
            DistributedLock of(Holdfast holdfast, String name, LockOptions options) {
                return holdfast.semaphore(name, 1, options).withSlots().permits(1);
            }

            @Override
            Inspector in(Holdfast holdfast) {
                return PERMITS.in(holdfast);
            }
        };

        abstract DistributedLock of(Holdfast holdfast, String name, LockOptions options);

        DistributedLock against(Holdfast holdfast, String name, LockOptions options) {
            return of(holdfast, name, options);
        }

        abstract Inspector in(Holdfast holdfast);
    }

    /** Has locks with a queue, on one server. */
    record OfServer(Holdfast holdfast, LockOptions options, Locks locks) implements LockClient {
        @Override
        public AnyLock lock(String name, Terms terms) {
            return new AnyLock.Distributed(locks.of(holdfast, name, with(options, terms)));
        }

        @Override
        public AnyLock against(String name, Terms terms) {
            return new AnyLock.Distributed(locks.against(holdfast, name, with(options, terms)));
        }

        @Override
        public int holding() {
            return holdfast.leaseCount();
        }

        @Override
        public int waiting() {
            return holdfast.waiterCount();
        }

        @Override
        public boolean waits(String name) {
            return holdfast.waiterCount() > 0
                    && locks.in(holdfast).lock(name).queue().stream()
                            .anyMatch(waiter -> waiter.client().equals(holdfast.id()));
        }

        @Override
        public void close() {
            holdfast.close();
        }

        static LockOptions with(LockOptions options, Terms terms) {
            return options.withLeaseDuration(terms.term())
                    .withRenewal(terms.renewed())
                    .withMaxHold(terms.maxHold())
                    .withInterruptBefore(terms.interruptBefore())
                    .withLockDelay(terms.lockDelay());
        }
    }

    /** Has locks on a majority of servers. */
    record OfQuorum(Quorum quorum, AskingAgain asking) implements LockClient {
        static OfQuorum over(List<RedisDriver> nodes, QuorumOptions options, AskingAgain asking) {
            return new OfQuorum(
                    Quorum.connect(
                            nodes.stream().map(QuorumNode::over).toList(),
                            options.withBackoff(Backoff.of(asking::again))),
                    asking);
        }

        @Override
        public AnyLock lock(String name, Terms terms) {
            return new AnyLock.Distributed(quorum.lock(name, OfServer.with(LockOptions.defaults(), terms)));
        }

        @Override
        public int holding() {
            return quorum.leaseCount();
        }

        @Override
        public int waiting() {
            return quorum.waiterCount();
        }

        @Override
        public boolean waits(String name) {
            return asking.hasWaited();
        }

        @Override
        public void close() {
            quorum.close();
        }
    }

    /** Has locks of the plain protocol, on one server. */
    record OfPlainLocks(Holdfast holdfast, AskingAgain asking) implements LockClient {
        @Override
        public AnyLock lock(String name, Terms terms) {
            return new AnyLock.Plain(holdfast.plainLock(
                    name,
                    PlainOptions.defaults()
                            .withLeaseDuration(terms.term())
                            .withRenewal(terms.renewed())
                            .withMaxHold(terms.maxHold())
                            .withBackoff(Backoff.of(asking::again))));
        }

        @Override
        public int holding() {
            return holdfast.leaseCount();
        }

        @Override
        public int waiting() {
            return holdfast.waiterCount();
        }

        @Override
        public boolean waits(String name) {
            return asking.hasWaited();
        }

        @Override
        public void close() {
            holdfast.close();
        }
    }

    /** When a client asks again whom nobody tells; and whether it has begun to wait for that. */
    final class AskingAgain {
        private final IntFunction<Duration> delays;
        private final AtomicBoolean waited = new AtomicBoolean();

        AskingAgain(IntFunction<Duration> delays) {
            this.delays = delays;
        }

        Duration again(int attempt) {
            waited.set(true);
            return delays.apply(attempt);
        }

        boolean hasWaited() {
            return waited.get();
        }
    }
}
