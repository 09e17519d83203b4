package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whether locks can be had: whether the server answers, which one round trip tells. Not whether any of them is taken.
 */
final class HealthQuestion {
    private final Holdfast holdfast;

    HealthQuestion(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    /**
     * What is shown if the server answers.
     *
     * @throws HoldfastException if it does not, or the client is closed
     */
    Map<String, Object> ask() {
        holdfast.inspect().isLocked("holdfast health");
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("client", holdfast.id());
        details.put("holding", holdfast.leaseCount());
        details.put("waiting", holdfast.waiterCount());
        return details;
    }
}
