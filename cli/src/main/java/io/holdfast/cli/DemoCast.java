package io.holdfast.cli;

import io.holdfast.DeadlockException;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockNotObtainedException;
import io.holdfast.LockOptions;
import io.holdfast.OnceResult;
import io.holdfast.Wait;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The programs of {@code holdfast demo}, each with a client and with threads of its own; one is a process. */
final class DemoCast implements AutoCloseable {
    private static final Duration LIVES = Duration.ofSeconds(12);
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration SLOT = Duration.ofSeconds(20);
    private static final Duration BETWEEN_DEADLOCKS = Duration.ofSeconds(20);
    private static final Duration TOKEN_LIFE = Duration.ofMinutes(1);
    private static final int TENANTS = 3;

    /** Something that a program does again and again. */
    private interface Part {
        void play() throws InterruptedException;
    }

    private final Server server;
    private final Consumer<String> audience;
    private final List<Holdfast> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;

    /** @param audience is told what happens */
    DemoCast(Server server, Consumer<String> audience) {
        this.server = server;
        this.audience = audience;
    }

    void begin() {
        billing(client("billing", options -> options));
        catalogue(client("catalogue", options -> options));
        exports(client("exports", options -> options));
        reports(client("reports", options -> options));
        transfers(client("transfers", options -> options.withDeadlockDetection(Duration.ofSeconds(1))));
        dying(client("orders", options -> options));
    }

    private Holdfast client(String application, UnaryOperator<HoldfastOptions> options) {
        Holdfast client = server.connect(application, defaults -> options.apply(defaults.withTokenLife(TOKEN_LIFE)));
        clients.add(client);
        return client;
    }

    private void again(String name, Part part) {
        Thread thread = new Thread(() -> play(part), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void play(Part part) {
        while (!over) {
            try {
                part.play();
            } catch (InterruptedException | HoldfastClosedException e) {
                return;
            } catch (RuntimeException e) {
                if (!over) {
                    audience.accept("the server does not answer, or refuses: " + e.getMessage());
                    pause(1_000);
                }
            }
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Three threads take turns at one lock, and note how far they are. */
    private void billing(Holdfast client) {
        DistributedLock invoice =
                client.lock("invoice/42", LockOptions.defaults().withStrictOrder());
        for (int i = 1; i <= 3; i++) {
            again(
                    "billing-" + i,
                    () -> invoice.run(Wait.forever(), lease -> {
                        try {
                            for (int percent = 0; percent < 100; percent += 25) {
                                lease.note(percent + " %");
                                Thread.sleep(1_000);
                            }
                        } finally {
                            lease.note(""); // nothing is left for a holder after this one
                        }
                    }));
        }
    }

    /** Readers beside each other, and a writer now and then. */
    private void catalogue(Holdfast client) {
        DistributedReadWriteLock lock = client.readWriteLock("catalogue");
        for (int i = 1; i <= 3; i++) {
            int number = i;
            again("reader-" + i, () -> {
                lock.read().run(Wait.forever(), lease -> Thread.sleep(1_000 + 500L * number));
                Thread.sleep(500);
            });
        }
        again("writer", () -> {
            Thread.sleep(8_000);
            lock.write().run(Wait.forever(), lease -> Thread.sleep(2_000));
        });
    }

    /** Permits of which each tenant gets its share, and knows which it has. */
    private void exports(Holdfast client) {
        DistributedSemaphore permits = client.semaphore("exports", 2).withSlots();
        for (int i = 0; i < 2 * TENANTS; i++) {
            String tenant = "tenant-" + (i < TENANTS + 1 ? 1 : i - TENANTS + 1);
            again("export-" + i, () -> {
                permits.forGroup(tenant).run(Wait.forever(), lease -> Thread.sleep(2_000));
                Thread.sleep(1_000);
            });
        }
    }

    /** What is done once in each slot, and by a leader. */
    private void reports(Holdfast client) {
        var unused = client.election("scheduler").campaign(leadership -> {
            audience.accept("reports leads the election 'scheduler'");
            Thread.sleep(Long.MAX_VALUE);
        });
        for (int i = 1; i <= 2; i++) {
            int number = i;
            again("report-" + i, () -> {
                OnceResult result = client.once("report")
                        .per(SLOT)
                        .withKeep(SLOT)
                        .run(Wait.forever(), lease -> {
                            Thread.sleep(3_000);
                            return "made by report-" + number;
                        });
                if (result instanceof OnceResult.Ran) {
                    audience.accept("report-" + number + " has made the report of this slot; others get its result");
                }
                Thread.sleep(SLOT.toMillis() / 2);
            });
        }
    }

    /** Two that want two locks in different orders, each time at the same moment. */
    private void transfers(Holdfast client) {
        LockOptions breaking = LockOptions.defaults()
                .withDeadlock(LockOptions.OnDeadlock.BREAK)
                .withStrictOrder();
        CyclicBarrier together = new CyclicBarrier(2);
        transfer(client, breaking, together, "account/1", "account/2");
        transfer(client, breaking, together, "account/2", "account/1");
    }

    private void transfer(Holdfast client, LockOptions options, CyclicBarrier together, String first, String second) {
        again(first + " to " + second, () -> {
            Thread.sleep(BETWEEN_DEADLOCKS.toMillis());
            try (Lease one = client.lock(first, options).acquire(Wait.forever())) {
                together.await();
                try (Lease two = client.lock(second, options).acquire(Wait.forever())) {
                    Thread.sleep(1_000);
                }
            } catch (DeadlockException e) {
                audience.accept("a deadlock was broken: the transfer from " + first + " gives up '" + first
                        + "', and the other goes on");
            } catch (BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** A process that is killed while it holds a lock, for which another waits. */
    private void dying(Holdfast client) {
        DistributedLock order = client.lock("order/7", LockOptions.defaults().withStrictOrder());
        again("order", () -> {
            Process process = start();
            try {
                while (process.isAlive() && !client.inspect().isLocked("order/7")) {
                    Thread.sleep(200);
                }
                Thread.sleep(LIVES.toMillis());
                if (!process.isAlive()) {
                    audience.accept("the process that was to hold 'order/7' has ended by itself, with status "
                            + process.exitValue());
                    return;
                }
                process.destroyForcibly();
            } finally {
                process.destroy(); // if it was not killed, since all is over
            }
            audience.accept(
                    "the process that held 'order/7' was killed; the lock is free as soon as this is noticed, in "
                            + LEASE.toSeconds()
                            + " s at the latest");
            try {
                order.run(Wait.upTo(LEASE.multipliedBy(3)), lease -> {
                    audience.accept("orders has 'order/7' now, with a greater token, " + lease.token());
                    Thread.sleep(3_000);
                });
            } catch (LockNotObtainedException e) {
                audience.accept(String.valueOf(e.getMessage()));
            }
        });
    }

    private Process start() {
        List<String> words = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:TieredStopAtLevel=1",
                Main.class.getName(),
                "run",
                "order/7",
                "--quiet",
                "--lease",
                LEASE.toSeconds() + "s"));
        words.addAll(server.asOptions());
        words.addAll(List.of("--", "sleep", "600"));
        try {
            return new ProcessBuilder(words)
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException("no process can be started: " + e.getMessage(), e);
        }
    }

    /** Ends all of them; what they held is free. */
    @Override
    public void close() {
        over = true;
        threads.forEach(Thread::interrupt);
        clients.forEach(Holdfast::close);
        for (Thread thread : threads) {
            try {
                thread.join(2_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
