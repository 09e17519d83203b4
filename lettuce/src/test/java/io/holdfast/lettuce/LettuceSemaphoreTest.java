package io.holdfast.lettuce;

import io.holdfast.contracts.SemaphoreContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceSemaphoreTest extends SemaphoreContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
