package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.ExclusiveLockContract;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class LockTest extends ExclusiveLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
