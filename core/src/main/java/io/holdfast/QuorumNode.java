package io.holdfast;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One server of a {@link Quorum}, given by its address or by a driver. Immutable. */
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
     * Returns a node by its address. It may be unreachable when the quorum connects, if a majority can be reached.
     *
     * @param address {@code redis://[user[:password]@]host[:port][/database]}, {@code rediss://} for TLS
     * @throws IllegalArgumentException if the address cannot be parsed
     */
    public static QuorumNode at(String address) {
        return new QuorumNode(RedisAddress.parse(address), null, null);
    }

    /**
     * Returns a node over a driver, for example one over a client that the application already has. Closing the quorum closes
     * the driver.
     */
    public static QuorumNode over(RedisDriver driver) {
        return new QuorumNode(null, driver, null);
    }

    /**
     * Returns a copy with the given supplier of user and password, which this node uses instead of that of
     * {@link HoldfastOptions#withCredentials}. A node over a driver ignores it.
     */
    public QuorumNode withCredentials(Supplier<Credentials> value) {
        return new QuorumNode(address, driver, value);
    }

    /**
     * Checks that the options fit its address.
     *
     * @throws IllegalArgumentException if they do not
     */
    void check(HoldfastOptions options) {
        if (address != null) {
            connecting(options).check(address);
        }
    }

    /** Returns how to connect to this node, given the options of all nodes. */
    ConnectOptions connecting(HoldfastOptions options) {
        ConnectOptions shared = options.connecting();
        return credentials == null ? shared : shared.withCredentials(credentials);
    }

    /** Returns the address; null if a driver was given. */
    @Nullable
    RedisAddress address() {
        return address;
    }

    /** Returns the driver; null if an address was given. */
    @Nullable
    RedisDriver driver() {
        return driver;
    }

    /**
     * Returns whether both have the same host and port, or the same driver. Only connecting shows whether two different
     * addresses lead to one server.
     */
    boolean sameAs(QuorumNode other) {
        if (address != null && other.address != null) {
            return address.host().equals(other.address.host()) && address.port() == other.address.port();
        }
        return driver != null && driver.equals(other.driver);
    }

    /** Returns host and port, or the driver's description; never a password. */
    @Override
    public String toString() {
        return driver != null ? driver.describe() : String.valueOf(address);
    }
}
