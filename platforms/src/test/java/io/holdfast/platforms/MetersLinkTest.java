package io.holdfast.platforms;

import io.holdfast.micrometer.HoldfastMetrics;
import io.holdfast.testkit.LinkContract;
import java.util.Map;

class MetersLinkTest extends LinkContract {
    @Override
    protected Class<?> ofModule() {
        return HoldfastMetrics.class;
    }

    @Override
    protected Map<String, String> conditional() {
        return Map.of();
    }
}
