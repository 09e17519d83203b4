package io.holdfast.faults.schedules;

import static io.holdfast.faults.schedules.Stage.check;
import static io.holdfast.faults.schedules.Stage.now;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.Wait;
import io.holdfast.faults.schedules.Stage.Section;
import io.holdfast.faults.schedules.Stage.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What three and more threads do to whole clients. Each play ends by itself in every schedule, and throws if a promise is broken. Run
 * by {@link Schedules}.
 */
enum Play {
    /** Three threads of one client, each for itself. */
    STRICT {
        @Override
        void on(Stage stage) throws Exception {
            Holdfast client = stage.client();
            Section section = new Section();
            Step cycle = cycle(client.lock("a", WAITING.withStrictOrder()), section);
            stage.race(cycle, cycle, cycle);
            section.passedBy(3);
        }
    },

    /** Threads of one client hand on among themselves, and another client wants the lock, too. */
    TURNS {
        @Override
        void on(Stage stage) throws Exception {
            Section section = new Section();
            LockOptions turns = WAITING.withLocalHandoffs(2, Duration.ofMillis(100));
            Step cycle = cycle(stage.client().lock("a", turns), section);
            stage.race(cycle, cycle, cycle, cycle(stage.client().lock("a", turns), section));
            section.passedBy(4);
        }
    },

    /** A lock that a client keeps goes back because another client wants it, while the keeper's own threads do. */
    KEPT {
        @Override
        void on(Stage stage) throws Exception {
            Section section = new Section();
            DistributedLock kept = stage.client().lock("a", WAITING.withKeepFor(Duration.ofSeconds(10)));
            now(kept.acquireAsync()).release();
            Step cycle = cycle(kept, section);
            stage.race(cycle, cycle, cycle(stage.client().lock("a", WAITING), section));
            section.passedBy(3);
        }
    },

    /** A request is cancelled at the moment of its grant, and another one is behind it. */
    CANCELLED {
        @Override
        void on(Stage stage) throws Exception {
            Section section = new Section();
            LockOptions options = WAITING.withStrictOrder();
            Lease held = now(stage.client().lock("a", options).acquireAsync());
            CompletableFuture<Lease> asked = stage.client().lock("a", options).acquireAsync();
            stage.race(
                    held::release,
                    () -> {
                        if (!asked.cancel(true)) {
                            Lease lease = asked.join();
                            section.pass(lease);
                            lease.release();
                        }
                    },
                    cycle(stage.client().lock("a", options), section));
        }
    },

    /** A client is closed while two of its threads wait, and the lock is released to it. */
    CLOSED {
        @Override
        void on(Stage stage) throws Exception {
            Holdfast other = stage.client();
            Holdfast leaving = stage.client();
            Lease held = now(other.lock("a", WAITING).acquireAsync());
            Step wait = () -> {
                try {
                    leaving.lock("a", WAITING.withStrictOrder()).acquire().release();
                } catch (HoldfastClosedException e) {
                    // It was told so.
                }
            };
            stage.race(wait, wait, held::release, leaving::close);
            Optional<Lease> again = now(other.lock("a", WAITING).tryAcquireAsync(Wait.none()));
            check(again.isPresent(), "what the closed client had been given is not back");
            again.orElseThrow().release();
        }
    },

    /** A lease is renewed, extended, looked at and released by different threads. */
    RENEWED(true) {
        @Override
        void on(Stage stage) throws Exception {
            DistributedLock lock = stage.client().lock("a", WAITING.withLeaseDuration(Duration.ofSeconds(2)));
            Lease lease = now(lock.acquireAsync());
            stage.race(
                    Duration.ofMillis(700),
                    lease::release,
                    () -> {
                        try {
                            lease.extend(Duration.ofSeconds(5));
                        } catch (LeaseLostException e) {
                            check(!lease.isValid(), "a lease that is over is valid");
                        }
                    },
                    () -> {
                        boolean over = false;
                        for (int i = 0; i < 3; i++) {
                            boolean valid = lease.isValid();
                            check(!(over && valid), "a lease is valid again");
                            over = !valid;
                        }
                    });
            check(!lease.isValid() && !lease.whenLost().toCompletableFuture().isDone(), "released, and lost");
            Optional<Lease> again = now(lock.tryAcquireAsync(Wait.none()));
            check(again.isPresent(), "released, and not free");
            again.orElseThrow().release();
        }
    },

    /** A lease ends at its deadline or by a release, and the next one begins. */
    EXPIRED(true) {
        @Override
        void on(Stage stage) throws Exception {
            LockOptions brief = WAITING.withLeaseDuration(Duration.ofSeconds(1)).withRenewal(false);
            Lease first = now(stage.client().lock("a", brief).acquireAsync());
            DistributedLock next = stage.client().lock("a", WAITING);
            stage.race(
                    Duration.ofMillis(300),
                    () -> {
                        Lease second = next.acquire();
                        check(!first.isValid(), "two leases are valid");
                        check(second.token() > first.token(), "the token does not rise");
                        second.release();
                    },
                    first::release,
                    () -> {
                        try {
                            first.requireValid();
                        } catch (LeaseLostException e) {
                            check(!first.isValid(), "a lease is valid again");
                        }
                    });
        }
    },

    /** Two read, and two write. */
    READ_WRITE {
        @Override
        void on(Stage stage) throws Exception {
            DistributedReadWriteLock one = stage.client().readWriteLock("a", WAITING);
            DistributedReadWriteLock other = stage.client().readWriteLock("a", WAITING);
            Section section = new Section();
            AtomicInteger readers = new AtomicInteger();
            AtomicInteger writers = new AtomicInteger();
            Step write = () -> {
                Lease lease = one.write().acquire();
                writers.incrementAndGet();
                section.pass(lease);
                check(readers.get() == 0, "somebody reads while this one writes");
                writers.decrementAndGet();
                lease.release();
            };
            Step read = () -> {
                Lease lease = other.read().acquire();
                readers.incrementAndGet();
                check(writers.get() == 0, "somebody writes while this one reads");
                readers.decrementAndGet();
                lease.release();
            };
            stage.race(write, write, read, read);
            section.passedBy(2);
        }
    },

    /** Three want one of two permits. */
    PERMITS {
        @Override
        void on(Stage stage) throws Exception {
            Section section = new Section(2);
            DistributedSemaphore semaphore =
                    stage.client().semaphore("a", 2, WAITING.withReentrancy(LockOptions.Reentrancy.WAIT));
            Step cycle = () -> {
                Lease lease = semaphore.acquire();
                section.pass(lease);
                lease.release();
            };
            stage.race(cycle, cycle, cycle);
        }
    },

    /** Three clients of a quorum, which sleep between rounds and wake each other. */
    QUORUM(true) {
        @Override
        void on(Stage stage) throws Exception {
            Section section = new Section();
            List<Quorum> quorums = stage.quorums(3);
            stage.race(
                    Duration.ofMillis(2),
                    quorums.stream()
                            .map(quorum -> cycle(quorum.lock("a", WAITING.withLeaseDuration(Stage.A_DAY)), section))
                            .toArray(Step[]::new));
            section.passedBy(3);
        }
    };

    private static final LockOptions WAITING = LockOptions.defaults().withWaitLimit(Wait.forever());

    /** Whether it moves the time, and so has no thread for the server. */
    final boolean timed;

    Play() {
        this(false);
    }

    Play(boolean timed) {
        this.timed = timed;
    }

    abstract void on(Stage stage) throws Exception;

    /** Acquires, passes, and releases. */
    private static Step cycle(DistributedLock lock, Section section) {
        return () -> {
            Lease lease = lock.acquire();
            section.pass(lease);
            lease.release();
        };
    }
}
