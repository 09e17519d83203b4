package io.holdfast.jedis;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.TlsContract;

final class JedisTlsTest extends TlsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
