package io.holdfast.lettuce;

import io.holdfast.contracts.SelfWaitContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceSelfWaitTest extends SelfWaitContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
