package io.holdfast.jedis;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.CredentialsContract;

final class JedisCredentialsTest extends CredentialsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
