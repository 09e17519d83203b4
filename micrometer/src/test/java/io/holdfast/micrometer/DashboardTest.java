package io.holdfast.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.Holdfast;
import io.holdfast.LockEvent;
import io.holdfast.LockEvent.Subject;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Revocation;
import io.holdfast.contracts.LockSuite;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard and the alert rules ask for what there is. */
class DashboardTest extends LockSuite {
    private static final Pattern METER = Pattern.compile("\\bholdfast_[a-z_]+");
    private static final Pattern TAGS = Pattern.compile("by \\(([a-z, ]+)\\)|\\{+([a-z]+)(?:=~?\\\\?\"|\\}\\})");

    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }

    /** As Prometheus spells them. */
    private static Set<String> spelled(Meter meter) {
        String name = meter.getId().getName().replace('.', '_');
        return switch (meter.getId().getType()) {
            case COUNTER -> Set.of(name + "_total");
            case TIMER -> Set.of(name + "_seconds_sum", name + "_seconds_count", name + "_seconds_max");
            default -> Set.of(name);
        };
    }

    @Test
    void metersAndTags_ofTheDashboardAndTheAlerts_exist() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        HoldfastMetrics metrics = new HoldfastMetrics(registry);
        Holdfast holdfast = client(startServer());
        Subject of = new Subject("a", "hf:{a}", "o", "main", "", Instant.EPOCH, null);
        Duration second = Duration.ofSeconds(1);
        metrics.bindTo(holdfast);
        List.of(
                        new LockEvent.Obtained(of, 1, second, second, 1, 0, false),
                        new LockEvent.NotObtained(of, Attempt.Reason.TAKEN, second, 1, Contention.NOTHING_KNOWN),
                        new LockEvent.Released(of, 1, second, second, second, ReleaseResult.RELEASED),
                        new LockEvent.Lost(of, 1, second, LossReason.EXPIRED),
                        new LockEvent.Downgraded(of, 1, second),
                        new LockEvent.RenewalFailed(of, 1, second, "no answer"),
                        new LockEvent.Revoked(
                                of,
                                new Revocation(
                                        "a",
                                        "hf:{a}",
                                        "hf:{a}:q",
                                        Revocation.Outcome.RELEASED,
                                        Optional.empty(),
                                        0,
                                        Optional.empty(),
                                        second)))
                .forEach(metrics::on);
        Set<String> meters = new TreeSet<>();
        Set<String> tags = new TreeSet<>();
        for (Meter meter : registry.getMeters()) {
            meters.addAll(spelled(meter));
            meter.getId().getTags().stream().map(Tag::getKey).forEach(tags::add);
        }
        String asked = Files.readString(Path.of("../docs/grafana.json"))
                + Files.readString(Path.of("../docs/guide/metrics.md"));
        Set<String> unknown = new TreeSet<>();
        Set<String> found = new TreeSet<>();
        Matcher names = METER.matcher(asked);
        while (names.find()) {
            found.add(names.group());
        }
        Matcher keys = TAGS.matcher(asked);
        while (keys.find()) {
            String all = keys.group(1) == null ? keys.group(2) : keys.group(1);
            unknown.addAll(List.of(all.split(", *")));
        }
        assertTrue(found.size() > 10, "the meters are no longer found: " + found);
        assertTrue(unknown.size() >= 4, "the tags are no longer found: " + unknown);
        found.removeAll(meters);
        unknown.removeAll(tags);
        assertEquals(Set.of(), found, "meters that nobody has");
        assertEquals(Set.of(), unknown, "tags that nobody has");
    }
}
