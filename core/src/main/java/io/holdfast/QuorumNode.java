package io.holdfast;

import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import org.jspecify.annotations.Nullable;

/** One server of a {@link Quorum}: where it is, or a driver for it. Immutable. */
public final class QuorumNode {
    private final @Nullable RedisAddress address;
    private final @Nullable RedisDriver driver;

    private QuorumNode(@Nullable RedisAddress address, @Nullable RedisDriver driver) {
        this.address = address;
        this.driver = driver;
    }

    /**
     * A server by its address. It may be away when the quorum connects, as long as a majority is there.
     *
     * @param address {@code redis://[user[:password]@]host[:port][/database]}, {@code rediss://} for TLS
     * @throws IllegalArgumentException if the address is none
     */
    public static QuorumNode at(String address) {
        return new QuorumNode(RedisAddress.parse(address), null);
    }

    /** A server by a driver, for example one over a client that the application already has. Closing the quorum closes the driver. */
    public static QuorumNode over(RedisDriver driver) {
        return new QuorumNode(null, driver);
    }

    /** Null if a driver was given. */
    @Nullable
    RedisAddress address() {
        return address;
    }

    /** Null if an address was given. */
    @Nullable
    RedisDriver driver() {
        return driver;
    }

    /** Whether both are written alike; that two addresses lead to one server is seen only when connecting. */
    boolean sameAs(QuorumNode other) {
        if (address != null && other.address != null) {
            return address.host().equals(other.address.host()) && address.port() == other.address.port();
        }
        return driver != null && driver.equals(other.driver);
    }

    /** Host and port, never a password. */
    @Override
    public String toString() {
        return driver != null ? driver.describe() : String.valueOf(address);
    }
}
