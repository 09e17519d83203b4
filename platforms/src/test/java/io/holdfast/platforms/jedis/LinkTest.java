package io.holdfast.platforms.jedis;

import io.holdfast.contracts.LinkContract;
import io.holdfast.jedis.JedisDriver;
import java.util.Map;

class LinkTest extends LinkContract {
    @Override
    protected Class<?> ofModule() {
        return JedisDriver.class;
    }

    @Override
    protected Map<String, String> conditional() {
        return Map.of(
                "io.holdfast.jedis.Versions$Cutter7", "redis.clients.jedis.Connection$Builder",
                "io.holdfast.jedis.Versions$Client7", "redis.clients.jedis.RedisClient");
    }
}
