package io.holdfast.jedis;

import io.holdfast.contracts.TlsContract;
import io.holdfast.spi.RedisDriverProvider;

final class JedisTlsTest extends TlsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
