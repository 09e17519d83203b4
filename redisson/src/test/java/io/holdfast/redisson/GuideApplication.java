package io.holdfast.redisson;

import io.holdfast.Admin.Waiters;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * The code of the guide, as an application with Redisson. It does what the lines of its input say, one after the other, and ends
 * when it is terminated.
 */
final class GuideApplication {
    private final Holdfast holdfast;

    @SuppressWarnings("NullAway.Init") // set by what is held or given
    private Lease lease;

    private GuideApplication(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    public static void main(String[] arguments) throws Exception {
        Config config = new Config();
        config.useSingleServer().setAddress(arguments[0]);
        RedissonClient redisson = Redisson.create(config); // yours
        Holdfast holdfast = Holdfast.over(RedissonDriver.over(redisson));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            holdfast.close(); // releases what is held
            redisson.shutdown();
        }));
        new GuideApplication(holdfast).obey();
    }

    private void obey() throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (true) {
            String[] words = String.valueOf(input.readLine()).split(" ", 2);
            switch (words[0]) {
                case "work" -> work();
                case "hold" -> lease = hold();
                case "release" -> release();
                case "give" -> lease = give();
                case "adopt" -> adopt(words[1]);
                case "detach" -> lease.detach();
                case "write" -> {
                    System.out.println("valid: " + lease.isValid());
                    write("invoice/42", lease.token());
                }
                default -> throw new IllegalArgumentException(words[0]);
            }
            System.out.println("done");
        }
    }

    private void work() throws InterruptedException {
        try (Lease lease = holdfast.lock("invoice/42").acquire()) {
            write("invoice/42", lease.token());
        }
    }

    private Lease hold() throws InterruptedException {
        Lease lease = holdfast.lock("invoice/42").acquire();
        lease.whenLost().thenAccept(reason -> System.out.println("lost: " + reason));
        return lease;
    }

    private void release() {
        holdfast.admin().release("invoice/42", Waiters.HAND_OFF);
    }

    private Lease give() throws InterruptedException {
        Lease lease = holdfast.lock("invoice/42").acquire();
        System.out.println("ticket " + lease.ticket().encoded()); // for the other process
        return lease;
    }

    private void adopt(String ticket) throws InterruptedException {
        Lease adopted = holdfast.adopt(LeaseTicket.decode(ticket));
        write("invoice/42", adopted.token());
        adopted.release();
    }

    /** The store is the test. */
    private static void write(String what, long token) {
        System.out.println("written: " + what + " " + token);
    }
}
