package io.holdfast.lettuce;

import io.holdfast.contracts.SteeringContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceSteeringTest extends SteeringContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
