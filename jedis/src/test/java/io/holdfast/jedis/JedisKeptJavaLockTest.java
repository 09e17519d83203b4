package io.holdfast.jedis;

import io.holdfast.LockOptions;
import io.holdfast.contracts.JavaViewContract;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;

class JedisKeptJavaLockTest extends JavaViewContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }

    @Override
    protected LockOptions options() {
        return STRICT.withKeepFor(Duration.ofMillis(50));
    }
}
