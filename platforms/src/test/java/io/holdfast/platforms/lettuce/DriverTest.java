package io.holdfast.platforms.lettuce;

import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.DriverContract;

class DriverTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
