package io.holdfast.lettuce;

import io.holdfast.contracts.DeadlockContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceDeadlockTest extends DeadlockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
