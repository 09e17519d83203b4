package comparison;

import static comparison.Application.end;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * A job notes how far it has come. The server loses the lock of the first run, which has noted 40 %. The second run goes on from there, and
 * notes 60 %. Then the first, which knows nothing of that, notes 50 %. From where does the third run go on?
 */
public final class LateNote {
    private LateNote() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RedissonClient redisson = application.redisson();
            RLock lock = redisson.getLock("import");
            RBucket<String> progress = redisson.getBucket("import/progress");
            lock.lockAsync(1).toCompletableFuture().get();
            progress.set("40 %");
            application.server.command("DEL", "import");
            lock.lockAsync(2).toCompletableFuture().get();
            progress.set("60 %");
            String late = end(() -> progress.set("50 %"), "accepted");
            lock.unlockAsync(2).toCompletableFuture().get();
            tell("Redisson, a key beside", late, progress.get());

            try (Holdfast one = application.holdfast();
                    Holdfast two = application.holdfast()) {
                Lease first = one.lock("import").acquire();
                first.note("40 %");
                application.server.command("DEL", "hf:{import}");
                Lease second = two.lock("import").acquire();
                second.note("60 %");
                late = end(() -> first.note("50 %"), "accepted");
                second.release();
                try (Lease third = two.lock("import").acquire()) {
                    tell(
                            "Holdfast, a note",
                            late,
                            third.before().flatMap(Holder::note).orElse("the beginning"));
                }
            }
        }
    }

    private static void tell(String how, String late, String from) {
        System.out.printf("%-29s%-21sfrom %s%n", how, late, from);
    }
}
