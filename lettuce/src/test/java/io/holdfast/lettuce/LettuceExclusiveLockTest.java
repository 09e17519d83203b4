package io.holdfast.lettuce;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ExclusiveLockContract;

class LettuceExclusiveLockTest extends ExclusiveLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
