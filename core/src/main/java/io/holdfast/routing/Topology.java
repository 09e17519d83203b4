package io.holdfast.routing;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import org.jspecify.annotations.Nullable;

/** Knows where to learn which server has which keys. */
interface Topology extends AutoCloseable {
    /** The number of partitions; it never changes. */
    int partitions();

    /** The partition of a key. */
    int partition(String key);

    /**
     * The server of each partition at present; null where nobody has it. Blocks for a bounded time. Called on one thread
     * at a time.
     *
     * @throws DriverException if no server could report it
     */
    @Nullable
    RedisAddress[] look(Routes routes);

    /** For people: what these servers are together. */
    String describe();

    /** Closes what this opened itself. */
    @Override
    void close();
}
