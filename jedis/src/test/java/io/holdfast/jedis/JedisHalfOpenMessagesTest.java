package io.holdfast.jedis;

import io.holdfast.contracts.HalfOpenMessagesContract;
import io.holdfast.spi.RedisDriverProvider;

final class JedisHalfOpenMessagesTest extends HalfOpenMessagesContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
