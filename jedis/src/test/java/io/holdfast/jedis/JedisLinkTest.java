package io.holdfast.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.contracts.LinkContract;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

final class JedisLinkTest extends LinkContract {
    @Override
    protected Class<?> ofModule() {
        return JedisDriver.class;
    }

    @Override
    protected Map<String, String> conditional() {
        return Map.of(
                // The method that decides came with the class.
                "io.holdfast.jedis.Versions$Cutter7", "redis.clients.jedis.Connection$Builder",
                "io.holdfast.jedis.Versions$Client7", "redis.clients.jedis.RedisClient");
    }

    /** The compiler looks at all overloads, and stops if it does not find a class that one of them names. */
    @Test
    void over_overloads_nameOnlyWhatAllVersionsHave() {
        assertEquals(
                Set.of(Pool.class, UnifiedJedis.class),
                Arrays.stream(JedisDriver.class.getMethods())
                        .filter(method -> method.getDeclaringClass() == JedisDriver.class)
                        .map(Method::getParameterTypes)
                        .flatMap(Arrays::stream)
                        .collect(Collectors.toSet()));
    }
}
