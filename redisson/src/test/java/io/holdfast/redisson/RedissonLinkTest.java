package io.holdfast.redisson;

import io.holdfast.contracts.LinkContract;
import java.util.Map;

final class RedissonLinkTest extends LinkContract {
    @Override
    protected Class<?> ofModule() {
        return RedissonDriver.class;
    }

    @Override
    protected Map<String, String> conditional() {
        return Map.of();
    }
}
