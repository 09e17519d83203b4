package app;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.jedis.JedisDriver;
import java.net.URI;
import java.time.Duration;
import redis.clients.jedis.JedisPool;

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
        try (JedisPool pool = new JedisPool(URI.create(address));
                Holdfast holdfast = Holdfast.over(JedisDriver.over(pool), OPTIONS)) {
            lock(holdfast);
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
