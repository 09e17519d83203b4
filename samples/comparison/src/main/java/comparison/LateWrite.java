package comparison;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * A store cannot compare tokens. A holder stands still, and its write is under way when its lease ends. Whose write stays? And when does the
 * next holder begin after a release?
 */
public final class LateWrite {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration UNDER_WAY = Duration.ofMillis(1_500);
    private static final Duration DELAY = Duration.ofSeconds(4);

    private LateWrite() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RedissonClient[] redisson = {application.redisson(), application.redisson()};
            Holdfast[] holdfast = {application.holdfast(), application.holdfast()};
            RLock[] plain = {redisson[0].getLock("meter/1"), redisson[1].getLock("meter/1")};
            RLock[] paused = {redisson[0].getLock("meter/2"), redisson[1].getLock("meter/2")};
            DistributedLock[] delayed = {holdfast[0].lock("meter/3"), holdfast[1].lock("meter/3")};
            List<FutureTask<String>> lines = List.of(
                    beside("Redisson", new ByHand(plain[0], plain[1], Duration.ZERO)),
                    beside("Redisson, and a sleep", new ByHand(paused[0], paused[1], DELAY)),
                    beside("Holdfast, lock-delay", new Delayed(delayed[0], delayed[1])));
            for (FutureTask<String> each : lines) {
                System.out.println(each.get());
            }
        }
    }

    private interface Locking {
        /** The first holder acquires the lock, and does not renew it. */
        void first() throws Exception;

        void releaseFirst() throws Exception;

        /** The second holder waits for the lock. Complete when it begins. */
        CompletableFuture<?> second();

        void releaseSecond() throws Exception;
    }

    /** Nothing here takes time but waiting: all at once. */
    private static FutureTask<String> beside(String how, Locking locking) {
        FutureTask<String> task = new FutureTask<>(() -> line(how, locking));
        Thread thread = new Thread(task, how);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static String line(String how, Locking locking) throws Exception {
        locking.first();
        CompletableFuture<?> second = locking.second();
        String store = "";
        boolean early = begins(second, LEASE.plus(UNDER_WAY));
        if (early) {
            store = "the second's";
        }
        store = "the first's"; // its write arrives
        if (!early) {
            second.get();
            store = "the second's";
        }
        locking.releaseSecond();

        locking.first();
        second = locking.second();
        locking.releaseFirst();
        String when = begins(second, UNDER_WAY) ? "at once" : "later";
        second.get();
        locking.releaseSecond();
        return String.format("%-29s%-18s%s", how, store, when);
    }

    private static boolean begins(CompletableFuture<?> second, Duration within)
            throws InterruptedException, ExecutionException {
        try {
            second.get(within.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Each holder waits for so long after it has obtained the lock. */
    private record ByHand(RLock own, RLock other, Duration pause) implements Locking {
        @Override
        public void first() throws Exception {
            own.lockAsync(LEASE.toMillis(), TimeUnit.MILLISECONDS, 1)
                    .toCompletableFuture()
                    .get();
        }

        @Override
        public void releaseFirst() throws Exception {
            own.unlockAsync(1).toCompletableFuture().get();
        }

        @Override
        public CompletableFuture<?> second() {
            CompletableFuture<Void> obtained = other.lockAsync(2).toCompletableFuture();
            return pause.isZero()
                    ? obtained
                    : obtained.thenRunAsync(
                            () -> {}, CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS));
        }

        @Override
        public void releaseSecond() throws Exception {
            other.unlockAsync(2).toCompletableFuture().get();
        }
    }

    private static final class Delayed implements Locking {
        private final DistributedLock own;
        private final DistributedLock other;
        private Lease first;
        private CompletableFuture<Lease> second;

        Delayed(DistributedLock own, DistributedLock other) {
            this.own = own.with(LockOptions.defaults()
                    .withLeaseDuration(LEASE)
                    .withRenewal(false)
                    .withLockDelay(DELAY));
            this.other = other;
        }

        @Override
        public void first() throws Exception {
            first = own.acquire();
        }

        @Override
        public void releaseFirst() {
            first.release();
        }

        @Override
        public CompletableFuture<?> second() {
            second = other.acquireAsync(Wait.forever());
            return second;
        }

        @Override
        public void releaseSecond() throws Exception {
            second.get().release();
        }
    }
}
