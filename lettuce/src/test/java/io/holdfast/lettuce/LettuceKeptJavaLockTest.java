package io.holdfast.lettuce;

import io.holdfast.LockOptions;
import io.holdfast.contracts.JavaViewContract;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;

class LettuceKeptJavaLockTest extends JavaViewContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }

    @Override
    protected LockOptions options() {
        return STRICT.withKeepFor(Duration.ofMillis(50));
    }
}
