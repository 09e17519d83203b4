package comparison;

import static comparison.Application.print;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.servers.ChildProcess;
import java.util.concurrent.FutureTask;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Of two who wait in the order of their arrival, the first is killed. How long does the second wait after the release? */
public final class DeadWaiter {
    private DeadWaiter() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            waitForEver(arguments[0], arguments[1]);
            return;
        }
        try (Application application = new Application()) {
            RedissonClient redisson = application.redisson();
            RLock fair = redisson.getFairLock("order/7");
            fair.lock();
            ChildProcess first = start("redisson", application.server.url());
            Application.await(() -> length(application) == 1);
            first.kill();
            FutureTask<Long> second =
                    second(() -> redisson.getFairLock("order/7").lock());
            Application.await(() -> length(application) == 2);
            long begin = System.nanoTime();
            fair.unlock();
            tell("Redisson, fair", second.get() - begin);

            Holdfast holdfast = application.holdfast();
            Lease lease = holdfast.lock("order/7").acquire();
            first = start("holdfast", application.server.url());
            Application.await(() -> waiting(holdfast) == 1);
            first.kill();
            second = second(application.holdfast().lock("order/7")::acquire);
            Application.await(() -> waiting(holdfast) == 2);
            begin = System.nanoTime();
            lease.release();
            tell("Holdfast", second.get() - begin);
        }
    }

    private static void tell(String library, long nanos) {
        print(library, nanos < Application.FAIR.toNanos() / 2 ? "at once" : "when the dead one's time is over");
    }

    private interface Waiting {
        void forTheLock() throws Exception;
    }

    private static FutureTask<Long> second(Waiting waiting) {
        FutureTask<Long> task = new FutureTask<>(() -> {
            waiting.forTheLock();
            return System.nanoTime();
        });
        Thread thread = new Thread(task, "second");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static long length(Application application) {
        return application
                .server
                .command("LLEN", "redisson_lock_queue:{order/7}")
                .asLong();
    }

    private static int waiting(Holdfast holdfast) {
        return holdfast.inspect().queue("order/7").size();
    }

    private static ChildProcess start(String library, String url) {
        return ChildProcess.java(DeadWaiter.class, library, url);
    }

    private static void waitForEver(String library, String url) throws Exception {
        if (library.equals("redisson")) {
            Redisson.create(Application.redisson(url)).getFairLock("order/7").lock();
        } else {
            Application.holdfast(url).lock("order/7").acquire();
        }
    }
}
