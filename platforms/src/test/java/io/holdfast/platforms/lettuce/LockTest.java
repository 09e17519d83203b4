package io.holdfast.platforms.lettuce;

import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ExclusiveLockContract;

class LockTest extends ExclusiveLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
