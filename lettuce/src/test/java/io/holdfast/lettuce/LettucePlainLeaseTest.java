package io.holdfast.lettuce;

import io.holdfast.contracts.PlainLeaseContract;
import io.holdfast.spi.RedisDriverProvider;

class LettucePlainLeaseTest extends PlainLeaseContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
