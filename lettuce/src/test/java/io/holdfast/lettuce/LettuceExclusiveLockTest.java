package io.holdfast.lettuce;

import io.holdfast.contracts.ExclusiveLockContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceExclusiveLockTest extends ExclusiveLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
