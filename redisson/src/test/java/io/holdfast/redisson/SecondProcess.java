package io.holdfast.redisson;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.concurrent.CountDownLatch;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** An application with Redisson, in a process of its own; it is told the server's address. */
final class SecondProcess {
    private SecondProcess() {}

    public static void main(String[] arguments) throws Exception {
        Config config = new Config();
        config.useSingleServer().setAddress(arguments[0]);
        RedissonClient redisson = Redisson.create(config);
        Holdfast holdfast = Holdfast.over(RedissonDriver.over(redisson));

        Lease taken = holdfast.lock("invoice/42").acquire();
        CountDownLatch lost = new CountDownLatch(1);
        var unused = taken.whenLost().thenAccept(reason -> {
            System.out.println("lost: " + reason);
            lost.countDown();
        });
        System.out.println("held");
        lost.await();

        Lease given = holdfast.lock("invoice/42").acquire();
        System.out.println(given.ticket().encoded());
        System.out.println("token " + given.token());
        Lease kept = holdfast.lock("invoice/43").acquire();
        System.in.read();
        given.detach();
        holdfast.close();
        redisson.shutdown();
        System.out.println(kept.isValid() ? "still held" : "closed");
    }
}
