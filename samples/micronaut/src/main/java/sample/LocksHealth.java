package sample;

import io.holdfast.Holdfast;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.AbstractHealthIndicator;
import jakarta.inject.Singleton;
import java.util.Map;

/** Down if the server of locks does not answer. */
@Singleton
class LocksHealth extends AbstractHealthIndicator<Map<String, Object>> {
    private final Holdfast holdfast;

    LocksHealth(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @Override
    protected String getName() {
        return "holdfast";
    }

    @Override
    protected Map<String, Object> getHealthInformation() {
        holdfast.inspect().isLocked("health"); // one round trip; an exception means down
        healthStatus = HealthStatus.UP;
        return Map.of("leases", holdfast.leaseCount(), "waiters", holdfast.waiterCount());
    }
}
