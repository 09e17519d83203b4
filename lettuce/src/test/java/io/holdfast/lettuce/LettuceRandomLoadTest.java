package io.holdfast.lettuce;

import io.holdfast.contracts.RandomLoadContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceRandomLoadTest extends RandomLoadContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
