package io.holdfast.lettuce;

import io.holdfast.contracts.DeadWaitersContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceDeadWaitersTest extends DeadWaitersContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
