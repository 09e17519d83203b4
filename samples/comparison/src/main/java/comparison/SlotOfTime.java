package comparison;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.contracts.servers.ChildProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RedissonClient;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Two hosts start a job that is to be done once in a slot of time. The run of the first host returns, fails, or dies with its process. Does the
 * second do the job in the same slot?
 */
public final class SlotOfTime {
    /** So long that no slot ends while this runs. */
    private static final Duration SLOT = Duration.ofDays(30);

    private static final LockOptions HOLD = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(4));
    private static final String BEGUN = "begun";

    private enum End {
        RETURNED,
        FAILED,
        DIED
    }

    private SlotOfTime() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            host(arguments[0], arguments[1], Integer.parseInt(arguments[2])).start("report/died", () -> {
                System.out.println(BEGUN);
                new CountDownLatch(1).await();
            });
            return;
        }
        try (Application application = new Application()) {
            print("", List.of("returned", "failed", "died"));
            second(application, "Redisson, setIfAbsent", byHand(application.redisson()));
            second(application, "ShedLock, lockAtLeastFor", shedLock(application.shedLock()));
            second(application, "Holdfast, once per slot", holdfast(application.holdfast()));
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private interface Host {
        /** What a scheduler of the host calls: does the job, unless that is done in this slot. */
        void start(String job, Work work) throws Exception;
    }

    private static Host host(String library, String url, int port) {
        switch (library) {
            case "Redisson":
                return byHand(Redisson.create(Application.redisson(url)));
            case "ShedLock":
                LettuceConnectionFactory connections = new LettuceConnectionFactory("localhost", port);
                connections.afterPropertiesSet();
                connections.start();
                return shedLock(new RedisLockProvider(connections));
            default:
                return holdfast(Application.holdfast(url));
        }
    }

    private static Host byHand(RedissonClient client) {
        return (job, work) -> {
            RBucket<String> slot = client.getBucket(job + "/2026-11");
            if (slot.setIfAbsent("begun", SLOT)) {
                try {
                    work.run();
                } catch (Exception e) {
                    slot.delete();
                    throw e;
                }
            }
        };
    }

    private static Host shedLock(LockProvider provider) {
        return (job, work) -> new DefaultLockingTaskExecutor(provider)
                .executeWithLock(
                        (Runnable) () -> {
                            try {
                                work.run();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        new LockConfiguration(Instant.now(), job, SLOT, SLOT));
    }

    private static Host holdfast(Holdfast client) {
        return (job, work) -> client.once(job, HOLD).per(SLOT).run(lease -> {
            work.run();
            return "done";
        });
    }

    private static void second(Application application, String how, Host host) throws Exception {
        List<String> does = new ArrayList<>();
        for (End end : End.values()) {
            String job = "report/" + end.name().toLowerCase(Locale.ROOT);
            switch (end) {
                case RETURNED -> host.start(job, () -> {});
                case FAILED ->
                    Application.end(
                            () -> host.start(job, () -> {
                                throw new IllegalStateException("it fails");
                            }),
                            "");
                case DIED -> die(how.substring(0, how.indexOf(',')), application);
            }
            AtomicBoolean done = new AtomicBoolean();
            host.start(job, () -> done.set(true));
            does.add(done.get() ? "does it" : "skips it");
        }
        print(how, does);
        application.server.command("FLUSHALL");
    }

    /** A host that begins the job, and is killed. */
    private static void die(String library, Application application) {
        try (ChildProcess host = ChildProcess.java(
                SlotOfTime.class, library, application.server.url(), Integer.toString(application.server.port()))) {
            host.read(BEGUN);
        }
    }

    private static void print(String how, List<String> does) {
        System.out.printf("%-29s%-12s%-12s%s%n", how, does.get(0), does.get(1), does.get(2));
    }
}
