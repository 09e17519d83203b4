package io.holdfast.lettuce;

import io.holdfast.contracts.LeaseSteeringContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceLeaseSteeringTest extends LeaseSteeringContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
