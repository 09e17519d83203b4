package io.holdfast.lettuce;

import io.holdfast.contracts.LeaseContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceLeaseTest extends LeaseContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
