package io.holdfast.platforms;

import io.holdfast.contracts.LinkContract;
import io.holdfast.micrometer.HoldfastMetrics;
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
