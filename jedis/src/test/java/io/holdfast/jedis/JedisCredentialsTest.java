package io.holdfast.jedis;

import io.holdfast.contracts.CredentialsContract;
import io.holdfast.spi.RedisDriverProvider;

final class JedisCredentialsTest extends CredentialsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
