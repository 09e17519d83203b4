package io.holdfast;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One server of a {@link Quorum}: where it is, or a driver for it. Immutable. */
public final class QuorumNode {
    private final @Nullable RedisAddress address;
    private final @Nullable RedisDriver driver;
    private final @Nullable Supplier<Credentials> credentials;

    private QuorumNode(
            @Nullable RedisAddress address, @Nullable RedisDriver driver, @Nullable Supplier<Credentials> credentials) {
        this.address = address;
        this.driver = driver;
        this.credentials = credentials;
    }

    /**
     * A server by its address. It may be away when the quorum connects, as long as a majority is there.
     *
     * @param address {@code redis://[user[:password]@]host[:port][/database]}, {@code rediss://} for TLS
     * @throws IllegalArgumentException if the address cannot be parsed
     */
    public static QuorumNode at(String address) {
        return new QuorumNode(RedisAddress.parse(address), null, null);
    }

    /** A server by a driver, for example one over a client that the application already has. Closing the quorum closes the driver. */
    public static QuorumNode over(RedisDriver driver) {
        return new QuorumNode(null, driver, null);
    }

    /**
     * With a supplier of user and password of its own, in place of {@link HoldfastOptions#withCredentials}. A node over a
     * driver ignores it.
     */
    public QuorumNode withCredentials(Supplier<Credentials> value) {
        return new QuorumNode(address, driver, value);
    }

    /**
     * Whether the options fit its address.
     *
     * @throws IllegalArgumentException if not
     */
    void check(HoldfastOptions options) {
        if (address != null) {
            connecting(options).check(address);
        }
    }

    /** How to connect to it, where the options do for all nodes. */
    ConnectOptions connecting(HoldfastOptions options) {
        ConnectOptions shared = options.connecting();
        return credentials == null ? shared : shared.withCredentials(credentials);
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
