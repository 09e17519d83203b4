package io.holdfast.contracts;

import io.holdfast.spi.RedisDriver;
import java.util.concurrent.atomic.AtomicInteger;

/** A driver over a test's client or pool. It closes that after the last driver over it, as an application would. */
public final class BorrowedDriver extends ForwardingDriver {
    private final Runnable closeClient;
    private final AtomicInteger users;

    /** Creates the first driver over a client. */
    public BorrowedDriver(RedisDriver driver, Runnable closeClient) {
        this(driver, closeClient, new AtomicInteger(1));
    }

    private BorrowedDriver(RedisDriver driver, Runnable closeClient, AtomicInteger users) {
        super(driver);
        this.closeClient = closeClient;
        this.users = users;
    }

    @Override
    public RedisDriver another(String key) {
        RedisDriver other = driver.another(key);
        users.incrementAndGet();
        return new BorrowedDriver(other, closeClient, users);
    }

    @Override
    public void close() {
        driver.close();
        if (users.decrementAndGet() == 0) {
            closeClient.run();
        }
    }
}
