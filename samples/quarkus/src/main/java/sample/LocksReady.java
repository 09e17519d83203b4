package sample;

import io.holdfast.Holdfast;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Not ready while the server of the locks does not answer. */
@Readiness
@ApplicationScoped
class LocksReady implements HealthCheck {
    private final Holdfast holdfast;

    LocksReady(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @Override
    public HealthCheckResponse call() {
        try {
            var unused = holdfast.inspect().isLocked("holdfast health");
            return HealthCheckResponse.up("locks");
        } catch (RuntimeException e) {
            return HealthCheckResponse.named("locks")
                    .down()
                    .withData("reason", e.getMessage())
                    .build();
        }
    }
}
