package io.holdfast.lettuce;

import io.holdfast.contracts.QueueOrderContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceQueueOrderTest extends QueueOrderContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
