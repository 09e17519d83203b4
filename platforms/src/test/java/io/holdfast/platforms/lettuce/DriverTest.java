package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.DriverContract;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class DriverTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
