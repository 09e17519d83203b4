package io.holdfast.vertx;

import io.holdfast.contracts.LinkContract;
import java.util.Map;

final class VertxLinkTest extends LinkContract {
    @Override
    protected Class<?> ofModule() {
        return VertxDriver.class;
    }

    @Override
    protected Map<String, String> conditional() {
        return Map.of();
    }
}
