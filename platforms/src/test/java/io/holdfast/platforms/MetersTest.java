package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.LockEvent;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.micrometer.HoldfastMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every meter, with the Micrometer of the platform. */
class MetersTest {
    private static final LockEvent.Subject SUBJECT =
            new LockEvent.Subject("job", "hf:{job}", "c.0-1", "main", "", Instant.EPOCH, null);

    @Test
    void on_eachKindOfEvent_isCounted() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        HoldfastMetrics metrics = new HoldfastMetrics(registry);
        Duration second = Duration.ofSeconds(1);
        metrics.on(new LockEvent.NotObtained(
                SUBJECT, Attempt.Reason.TIMED_OUT, second, 1, new Contention(Optional.empty(), Duration.ZERO, 0, 0)));
        metrics.on(new LockEvent.RenewalFailed(SUBJECT, 7, second, "no answer"));
        metrics.on(new LockEvent.Released(SUBJECT, 7, second, second, second, ReleaseResult.RELEASED));
        metrics.on(new LockEvent.Lost(SUBJECT, 7, second, LossReason.NOT_ON_SERVER));

        Map<String, Double> counted = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            String tags = String.join(
                    " ", meter.getId().getTags().stream().map(Object::toString).toList());
            counted.put(
                    meter.getId().getName() + " " + tags,
                    meter.measure().iterator().next().getValue());
        }
        assertEquals(
                Map.of(
                        "holdfast.not.obtained tag(lock=all) tag(reason=timed_out)", 1.0,
                        "holdfast.renewal.failures tag(lock=all)", 1.0,
                        "holdfast.hold tag(end=released) tag(lock=all)", 1.0,
                        "holdfast.hold tag(end=lost) tag(lock=all)", 1.0,
                        "holdfast.lost tag(lock=all) tag(reason=not_on_server)", 1.0),
                counted);
    }
}
