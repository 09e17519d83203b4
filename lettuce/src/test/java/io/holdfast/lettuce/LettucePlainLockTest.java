package io.holdfast.lettuce;

import io.holdfast.contracts.PlainLockContract;
import io.holdfast.spi.RedisDriverProvider;

class LettucePlainLockTest extends PlainLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
