package comparison;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.Wait;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.redisson.api.RLock;

/**
 * A long job of thirty steps holds a lock, and in its fifth step an urgent caller asks for it. After which step does that begin, and how often
 * does the job take the lock?
 */
public final class GivingWay {
    private static final int STEPS = 30;
    private static final int ASKED = 5;
    private static final int PART = 10;
    private static final int JOB = 1;
    private static final int URGENT = 2;

    private GivingWay() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RLock fair = application.redisson().getFairLock("index");
            run("Redisson, fair", new ByHand(application, fair, STEPS));
            run("Redisson, fair, in parts", new ByHand(application, fair, PART));
            run(
                    "Holdfast, whenWanted",
                    new Listening(
                            application.holdfast().lock("index"),
                            application.holdfast().lock("index")));
        }
    }

    private interface Locking {
        void acquire() throws Exception;

        void release() throws Exception;

        /** Whether the job releases the lock after this step, and acquires it again. */
        boolean givesWayAfter(int step);

        /** The urgent caller asks. Its answer is the step of the job at which it began. */
        CompletableFuture<Integer> urgent(IntSupplier step) throws Exception;
    }

    private static void run(String how, Locking locking) throws Exception {
        int[] present = {0};
        int taken = 1;
        CompletableFuture<Integer> urgent = null;
        locking.acquire();
        for (int step = 1; step <= STEPS; step++) {
            present[0] = step;
            if (step == ASKED) {
                urgent = locking.urgent(() -> present[0]);
            }
            if (step < STEPS && locking.givesWayAfter(step)) {
                locking.release();
                locking.acquire();
                taken++;
            }
        }
        locking.release();
        System.out.printf("%-29safter step %-5d%s%n", how, urgent.get(), taken == 1 ? "once" : taken + " times");
    }

    /** The job releases the lock after each part, whether others wait or not. */
    private record ByHand(Application application, RLock lock, int part) implements Locking {
        @Override
        public void acquire() throws Exception {
            lock.lockAsync(JOB).toCompletableFuture().get();
        }

        @Override
        public void release() throws Exception {
            lock.unlockAsync(JOB).toCompletableFuture().get();
        }

        @Override
        public boolean givesWayAfter(int step) {
            return step % part == 0;
        }

        @Override
        public CompletableFuture<Integer> urgent(IntSupplier step) {
            CompletableFuture<Integer> begun = lock.lockAsync(URGENT)
                    .toCompletableFuture()
                    .thenCompose(nothing -> {
                        int at = step.getAsInt();
                        return lock.unlockAsync(URGENT).thenApply(released -> at);
                    });
            Application.await(() -> application
                            .server
                            .command("LLEN", "redisson_lock_queue:{index}")
                            .asLong()
                    == 1);
            return begun;
        }
    }

    /** The job releases the lock where another waits. */
    private static final class Listening implements Locking {
        private final DistributedLock own;
        private final DistributedLock other;
        private Lease lease;
        private CompletableFuture<Void> wanted;

        Listening(DistributedLock own, DistributedLock other) {
            this.own = own;
            this.other = other;
        }

        @Override
        public void acquire() throws Exception {
            lease = own.acquire();
            wanted = lease.whenWanted().toCompletableFuture();
        }

        @Override
        public void release() {
            lease.release();
        }

        @Override
        public boolean givesWayAfter(int step) {
            return wanted.isDone();
        }

        /** The job is in its step until it has heard of that, which takes two seconds at most. */
        @Override
        public CompletableFuture<Integer> urgent(IntSupplier step) throws Exception {
            CompletableFuture<Integer> begun = other.acquireAsync(Wait.forever())
                    .thenCompose(urgent -> {
                        int at = step.getAsInt();
                        return urgent.releaseAsync().thenApply(released -> at);
                    });
            wanted.get();
            return begun;
        }
    }
}
