package io.holdfast.internal.polled;

import io.holdfast.LockOptions;
import io.holdfast.PlainOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.TakeBack;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import io.holdfast.internal.wire.Server;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The plain locks of one client: what is asked for, and what is held. */
public final class PlainLocks {
    /** One value at one key: all that the server knows of a request, and so what must not be there twice. */
    record Place(String key, String value) {}

    private static final int VALUE_BYTES = 18;

    final Kit kit;
    final Server server;
    final TakeBack takeBack;
    private final Map<Place, PolledRequest> active = new ConcurrentHashMap<>(); // asking or holding

    public PlainLocks(Kit kit, Server server, TakeBack takeBack) {
        this.kit = kit;
        this.server = server;
        this.takeBack = takeBack;
    }

    /** What the options of a plain lock say about its leases. */
    public static LockOptions leases(PlainOptions options) {
        LockOptions defaults = LockOptions.defaults();
        Duration longest = options.maxHold();
        return defaults.withLeaseDuration(options.leaseDuration())
                .withRenewal(options.renewal())
                .withMaxHold(longest)
                .withMaxScopedHold(longest == null ? defaults.maxScopedHold() : longest)
                .withMinRemaining(options.minRemaining());
    }

    /** A request that has not asked yet. */
    public PolledRequest newRequest(Keys keys, PlainOptions options, LockOptions leases, Wait wait, boolean scoped) {
        var values = options.values();
        String value = values == null
                ? Base64.getUrlEncoder().withoutPadding().encodeToString(kit.randomBytes(VALUE_BYTES))
                : Require.text(
                        "value",
                        Objects.requireNonNull(values.get(), "the function given to withValues returned null"),
                        1000);
        return new PolledRequest(
                new Outcome(kit, Demand.of(keys, leases, wait, scoped, null).named(), kit.ids.next(), false),
                new PlainPoll(this, new Place(keys.hold(), value), options),
                "a plain lock has PlainOptions.withPatience for that");
    }

    /** Makes a request known from before it asks until nothing of it is held. */
    void add(Place place, PolledRequest request) {
        PolledRequest other = active.putIfAbsent(place, request);
        // Looked at second: what ends is taken back first, and forgotten here afterwards.
        boolean ending = other == null && takeBack.isPending(place);
        if (ending) {
            remove(place, request);
        }
        if (ending || other != null) {
            throw new IllegalStateException("plain " + LogText.lock(place.key())
                    + ": another request of this client has the same value; each request needs a value of its own");
        }
    }

    void remove(Place place, PolledRequest request) {
        active.remove(place, request);
    }

    /** Whether some request asks for it, holds it, or is being taken back. */
    boolean isInUse(Place place) {
        return active.containsKey(place) || takeBack.isPending(place);
    }

    /** How many are asking or holding. */
    public int size() {
        return active.size();
    }

    public void clientClosed() {
        kit.endEach(List.copyOf(active.values()), PolledRequest::clientClosed);
    }
}
