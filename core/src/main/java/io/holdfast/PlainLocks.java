package io.holdfast;

import io.holdfast.spi.Entropy;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/** The plain locks of one client: what is asked for, what is held, and what has to be taken back. */
final class PlainLocks {
    /** One value at one key: all that the server knows of a request, and so what must not be there twice. */
    record Place(String key, String value) {}

    private static final int VALUE_BYTES = 18;

    final PlainTakeBack takeBack;
    private final Client client;
    private final Entropy entropy;
    private final Map<Place, PlainRequest> active = new ConcurrentHashMap<>(); // asking or holding

    PlainLocks(Client client, Entropy entropy) {
        this.client = client;
        this.entropy = entropy;
        this.takeBack = new PlainTakeBack(client);
    }

    /** A request that has not asked yet. */
    PlainRequest newRequest(String key, PlainOptions options, Wait wait, boolean scoped) {
        var values = options.values();
        String value = values == null
                ? Base64.getUrlEncoder().withoutPadding().encodeToString(entropy.bytes(VALUE_BYTES))
                : Require.text(
                        "value",
                        Objects.requireNonNull(values.get(), "the function given to withValues returned null"),
                        1000);
        return new PlainRequest(client, new Place(key, value), options, wait, scoped);
    }

    /** Makes a request known from before it asks until nothing of it is held. */
    void add(PlainRequest request) {
        if (takeBack.isPending(request.place) || active.putIfAbsent(request.place, request) != null) {
            throw new IllegalStateException("plain " + Shown.lock(request.place.key())
                    + ": another request of this client has the same value; each needs one of its own");
        }
    }

    void remove(PlainRequest request) {
        active.remove(request.place, request);
    }

    /** From 0 to 1, to spread waits. */
    double random() {
        return Backoff.random(entropy);
    }

    void reconnected(IntPredicate partitions) {
        active.forEach((place, request) -> {
            if (partitions.test(client.driver.partition(place.key()))) {
                request.reconnected();
            }
        });
        takeBack.reconnected(); // what concerns others is asked once more in vain
    }

    void clientClosed() {
        List.copyOf(active.values()).forEach(PlainRequest::clientClosed);
    }
}
