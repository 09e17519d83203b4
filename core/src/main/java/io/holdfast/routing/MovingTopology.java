package io.holdfast.routing;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import java.util.function.Supplier;

/** One server, which may be elsewhere the next time: one partition. Somebody else knows where it is. */
final class MovingTopology implements Topology {
    private final Supplier<RedisAddress> whereabouts;
    private volatile String presently = "the server";

    /** @param whereabouts blocks for a bounded time; throws {@link DriverException} if it is not known */
    MovingTopology(Supplier<RedisAddress> whereabouts) {
        this.whereabouts = whereabouts;
    }

    @Override
    public int partitions() {
        return 1;
    }

    @Override
    public int partition(String key) {
        return 0;
    }

    @Override
    public RedisAddress[] look(Routes routes) {
        RedisAddress address = whereabouts.get();
        presently = address.host() + ":" + address.port();
        return new RedisAddress[] {address};
    }

    @Override
    public String describe() {
        return presently;
    }

    @Override
    public void close() {
        // Nothing was opened.
    }
}
