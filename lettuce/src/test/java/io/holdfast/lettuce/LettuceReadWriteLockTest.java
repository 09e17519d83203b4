package io.holdfast.lettuce;

import io.holdfast.contracts.ReadWriteLockContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceReadWriteLockTest extends ReadWriteLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
