package io.holdfast.contracts;

import io.holdfast.spi.RedisDriverProvider;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The JDK's own locks fulfil the contract that others are held to. */
class JdkJavaLockTest extends JavaLockContract {
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantReadWriteLock readWriteLock = new ReentrantReadWriteLock();

    @Override
    protected RedisDriverProvider provider() {
        throw new UnsupportedOperationException("there is no server");
    }

    @Override
    protected Lock lock() {
        return lock;
    }

    @Override
    protected ReadWriteLock readWriteLock() {
        return readWriteLock;
    }

    @Override
    protected boolean waiting(int threads) {
        return lock.getQueueLength() == threads;
    }

    @Override
    protected boolean waitingForASide(int threads) {
        return readWriteLock.getQueueLength() == threads;
    }
}
