package io.holdfast.micrometer;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.LockEvent;
import io.holdfast.LockEvent.Downgraded;
import io.holdfast.LockEvent.HandedOver;
import io.holdfast.LockEvent.Lost;
import io.holdfast.LockEvent.NotObtained;
import io.holdfast.LockEvent.Obtained;
import io.holdfast.LockEvent.Released;
import io.holdfast.LockEvent.RenewalFailed;
import io.holdfast.LockEvent.Revoked;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A listener that turns events into Micrometer meters. Give it to {@link io.holdfast.HoldfastOptions#withListener}, and
 * {@link #bindTo bind} it to the client for the gauges.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>kind</th><th>tags</th><th>meaning</th></tr>
 * <tr><td>{@code holdfast.wait}</td><td>timer</td><td>lock</td><td>from the call to the lease</td></tr>
 * <tr><td>{@code holdfast.hold}</td><td>timer</td><td>lock, end</td><td>from the grant to the release, the loss or the
 *     adoption by another process; for a writer that was downgraded to a reader, from the downgrade</td></tr>
 * <tr><td>{@code holdfast.obtained}</td><td>counter</td><td>lock, how</td><td>{@code free}: without waiting in a queue, also of
 *     plain locks and quorums, which have none; {@code queued}: after waiting in the queue; {@code reentered}: the actor
 *     already held it</td></tr>
 * <tr><td>{@code holdfast.not.obtained}</td><td>counter</td><td>lock, reason</td><td>see {@link io.holdfast.Attempt.Reason}</td></tr>
 * <tr><td>{@code holdfast.downgraded}</td><td>counter</td><td>lock</td><td>writers that were downgraded to readers</td></tr>
 * <tr><td>{@code holdfast.lost}</td><td>counter</td><td>lock, reason</td><td>see {@link io.holdfast.LossReason}</td></tr>
 * <tr><td>{@code holdfast.renewal.failures}</td><td>counter</td><td>lock</td>
 *     <td>renewals that got no answer, or were refused</td></tr>
 * <tr><td>{@code holdfast.revoked}</td><td>counter</td><td>lock</td><td>releases by name and drops of one
 *     request that this client asked for, also those that found nothing</td></tr>
 * <tr><td>{@code holdfast.held}</td><td>gauge</td><td>client</td><td>leases held at present</td></tr>
 * <tr><td>{@code holdfast.waiting}</td><td>gauge</td><td>client</td><td>requests that are waiting at present</td></tr>
 * </table>
 *
 * <p>The tag {@code lock} is a raw lock name only if the application's function returns it. Names may be unbounded, and a
 * registry keeps every combination of tags for ever. The tag is the result of that function for the name; {@code all} by
 * default. The number of different values is limited, and further ones become {@code other}. The tag {@code group}, which
 * {@link #withGroups} adds, is limited in the same way.
 *
 * <p>The meters count the events that the listener receives. With
 * {@link io.holdfast.HoldfastOptions#withEventSampling sampling} these are only a part of all events.
 */
public final class HoldfastMetrics implements HoldfastListener {
    /** The default maximum number of different values of the tag {@code lock}. */
    public static final int MOST_TAGS = 100;

    private static final String OTHER = "other";
    private static final String NO_GROUP = "none";

    private final MeterRegistry registry;
    private final Values locks;
    private final @Nullable Values groups;

    /** Creates a listener that gives all locks the same tag, {@code all}. */
    public HoldfastMetrics(MeterRegistry registry) {
        this(registry, name -> "all");
    }

    /**
     * Creates a listener whose tag {@code lock} is the result of a function, for example the part of the name before the first
     * colon.
     *
     * @param tagOf returns the tag for a lock's name, and should have few different results. If it throws or returns an empty
     *     text, the tag is {@code other}
     */
    public HoldfastMetrics(MeterRegistry registry, Function<? super String, String> tagOf) {
        this(registry, tagOf, MOST_TAGS);
    }

    /**
     * Creates a listener with the given limit of different tags.
     *
     * @param tagOf as in {@link #HoldfastMetrics(MeterRegistry, Function)}
     * @param mostTags the maximum number of different tags, 1 to 10,000
     */
    public HoldfastMetrics(MeterRegistry registry, Function<? super String, String> tagOf, int mostTags) {
        if (mostTags < 1 || mostTags > 10_000) {
            throw new IllegalArgumentException("mostTags is " + mostTags + ", must be from 1 to 10000");
        }
        this.registry = registry;
        this.locks = new Values(tagOf, mostTags);
        this.groups = null;
    }

    private HoldfastMetrics(MeterRegistry registry, Values locks, Values groups) {
        this.registry = registry;
        this.locks = locks;
        this.groups = groups;
    }

    /**
     * Returns a copy that adds the tag {@code group} to each timer and counter. The tag is the result of a function for the
     * request's {@linkplain io.holdfast.LockOptions#withGroup(String, int) group}; {@code none} for a request without a group. The
     * maximum number of different values is that of {@code lock}; further ones become {@code other}. Use either this listener or
     * one without groups with a registry, not both: registries such as that of Prometheus refuse meters that have the same name
     * and different tags.
     *
     * @param groupTagOf returns the tag for a group, and should have few different results. If it throws or returns an empty
     *     text, the tag is {@code other}
     */
    public HoldfastMetrics withGroups(Function<? super String, String> groupTagOf) {
        return new HoldfastMetrics(registry, locks, new Values(groupTagOf, locks.most));
    }

    /**
     * Adds gauges for the leases that a client holds and for its waiting requests. They do not keep the client alive.
     *
     * @return removes the gauges when it is closed; close it before or after the client
     */
    public AutoCloseable bindTo(Holdfast holdfast) {
        Tags tags = Tags.of("client", holdfast.id());
        List<Meter> gauges = List.of(
                Gauge.builder("holdfast.held", holdfast, Holdfast::leaseCount)
                        .description("leases held at present")
                        .tags(tags)
                        .register(registry),
                Gauge.builder("holdfast.waiting", holdfast, Holdfast::waiterCount)
                        .description("requests that wait at present")
                        .tags(tags)
                        .register(registry));
        return () -> gauges.forEach(registry::remove);
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof Obtained obtained) {
            String how = obtained.reentered() ? "reentered" : obtained.initialPosition() > 0 ? "queued" : "free";
            count("holdfast.obtained", tags(event).and("how", how));
            time("holdfast.wait", tags(event), obtained.waited());
        } else if (event instanceof NotObtained failed) {
            count("holdfast.not.obtained", tags(event).and("reason", word(failed.reason())));
        } else if (event instanceof Released released) {
            time("holdfast.hold", tags(event).and("end", "released"), released.held());
        } else if (event instanceof Lost lost) {
            time("holdfast.hold", tags(event).and("end", "lost"), lost.held());
            count("holdfast.lost", tags(event).and("reason", word(lost.reason())));
        } else if (event instanceof HandedOver handed) {
            time("holdfast.hold", tags(event).and("end", "handed_over"), handed.held());
        } else if (event instanceof Downgraded) {
            count("holdfast.downgraded", tags(event));
        } else if (event instanceof RenewalFailed) {
            count("holdfast.renewal.failures", tags(event));
        } else if (event instanceof Revoked) {
            count("holdfast.revoked", tags(event));
        }
    }

    // The tags are an Iterable here, because the registry's methods for Tags exist in new versions of Micrometer only.

    private void count(String name, Iterable<Tag> tags) {
        registry.counter(name, tags).increment();
    }

    private void time(String name, Iterable<Tag> tags, Duration duration) {
        registry.timer(name, tags).record(duration);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Tags tags(LockEvent event) {
        Tags tags = Tags.of("lock", locks.of(event.lockName()));
        return groups == null ? tags : tags.and("group", event.group().isEmpty() ? NO_GROUP : groups.of(event.group()));
    }

    /** The values of a tag, which are bounded in number. */
    private static final class Values {
        private final Function<? super String, String> tagOf;
        private final int most;
        private final Set<String> known = ConcurrentHashMap.newKeySet();

        Values(Function<? super String, String> tagOf, int most) {
            this.tagOf = tagOf;
            this.most = most;
        }

        /** Returns the tag for a name. The limit holds, also if several threads add values at the same time. */
        String of(String name) {
            String tag;
            try {
                tag = tagOf.apply(name);
            } catch (RuntimeException e) {
                return OTHER;
            }
            if (tag.isEmpty()) { // registries treat an empty value as one that is missing
                return OTHER;
            }
            if (known.contains(tag)) {
                return tag;
            }
            if (known.size() >= most) {
                return OTHER;
            }
            synchronized (known) {
                if (known.size() < most) {
                    known.add(tag);
                    return tag;
                }
            }
            return OTHER;
        }
    }
}
