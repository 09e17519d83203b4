package io.holdfast.lettuce;

import io.holdfast.contracts.JavaViewContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceJavaLockTest extends JavaViewContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
