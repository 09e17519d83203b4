package app;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.lettuce.LettuceDriver;
import io.lettuce.core.RedisClient;
import java.time.Duration;

/** An application made of modules. */
public final class Main {
    /** A machine that builds may be slow to start a program. */
    private static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withConnectTimeout(Duration.ofSeconds(30));

    private Main() {}

    public static void main(String[] args) throws Exception {
        String address = args[0];
        try (Holdfast holdfast = Holdfast.connect(address, OPTIONS)) {
            lock(holdfast);
        }
        RedisClient client = RedisClient.create(address);
        try (Holdfast holdfast = Holdfast.over(LettuceDriver.over(client), OPTIONS)) {
            lock(holdfast);
        } finally {
            client.shutdown();
        }
        System.out.println("done in " + Main.class.getModule());
    }

    private static void lock(Holdfast holdfast) throws InterruptedException {
        if (!Holdfast.class.getModule().isNamed()) {
            throw new IllegalStateException("Holdfast is on the class path");
        }
        try (Lease lease = holdfast.lock("job").acquire()) {
            lease.requireValid();
        }
    }
}
