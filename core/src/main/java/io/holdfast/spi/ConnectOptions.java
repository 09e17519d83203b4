package io.holdfast.spi;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Options for the connections of a driver.
 *
 * @param connectTimeout the time limit for establishing one connection, including its handshake. It counts from the moment at
 *     which the connection is tried, so it excludes the time in which a driver loads its client's classes
 * @param clientName the name under which the server lists the connections ({@code CLIENT SETNAME}): visible ASCII characters
 *     without spaces
 * @param credentials supplies user and password before each connection is opened, and before it is opened again; null to use
 *     those of the address. Runs on a thread of the driver that connects, or on the caller's, and may block
 * @param tls how connections to addresses with {@link RedisAddress#tls()} are encrypted
 */
public record ConnectOptions(
        Duration connectTimeout,
        String clientName,
        @Nullable Supplier<Credentials> credentials,
        Tls tls) {
    /** Validates the components. */
    public ConnectOptions {
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connectTimeout is " + connectTimeout + ", must be positive");
        }
        if (clientName.isEmpty() || clientName.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new IllegalArgumentException(
                    "clientName is '" + clientName + "', must be visible ASCII characters without spaces");
        }
    }

    /** Creates options with the credentials of the address, and with {@link Tls#defaults()}. */
    public ConnectOptions(Duration connectTimeout, String clientName) {
        this(connectTimeout, clientName, null, Tls.defaults());
    }

    /** Returns the default options: a connect timeout of 5 s and the client name {@code holdfast}. */
    public static ConnectOptions defaults() {
        return new ConnectOptions(Duration.ofSeconds(5), "holdfast");
    }

    /** Returns a copy with the given supplier of credentials; null to use those of the address. */
    public ConnectOptions withCredentials(@Nullable Supplier<Credentials> value) {
        return new ConnectOptions(connectTimeout, clientName, value, tls);
    }

    /** Returns a copy with the given encryption. */
    public ConnectOptions withTls(Tls value) {
        return new ConnectOptions(connectTimeout, clientName, credentials, value);
    }

    /**
     * Returns the credentials for a connection to an address that is opened now. Calls the supplier, if there is one. A driver
     * calls this for each connection, and again whenever it reconnects. May block.
     *
     * @return the credentials; null if the driver must send no password
     * @throws DriverException {@code UNKNOWN} if the supplier fails; its exception is the cause
     */
    public @Nullable Credentials credentialsFor(RedisAddress address) {
        Supplier<Credentials> supplier = credentials;
        if (supplier == null) {
            String password = address.password();
            return password == null ? null : new Credentials(address.user(), password);
        }
        Credentials given;
        try {
            given = supplier.get();
        } catch (DriverException e) {
            throw e;
        } catch (RuntimeException e) {
            throw DriverException.unknown(
                    "no connection to " + address.hostAndPort() + ": the supplier of credentials failed: " + e, e);
        }
        if (given == null) {
            throw DriverException.unknown(
                    "no connection to " + address.hostAndPort() + ": the supplier of credentials answered null", null);
        }
        return given.user() == null && address.user() != null
                ? new Credentials(address.user(), given.password())
                : given;
    }

    /**
     * Checks whether a driver can connect to an address with these options, as far as that can be known beforehand. Reads the
     * files of {@link #tls()}, if it names any.
     *
     * @throws IllegalArgumentException if the address names a user but there is no password; if there are TLS options but the
     *     address asks for no encryption; or if a file does not contain what it should. In the last case the message names the
     *     file
     */
    public void check(RedisAddress address) {
        if (address.user() != null && address.password() == null && credentials == null) {
            throw new IllegalArgumentException(
                    "address names a user without a password: give the password as redis://user:password@host, or"
                            + " through withCredentials");
        }
        if (address.tls()) {
            tls.check();
        } else if (!tls.equals(Tls.defaults())) {
            throw new IllegalArgumentException("there are options for TLS, but the address " + address
                    + " asks for no encryption: write rediss in place of redis");
        }
    }

    /** Returns the message text for a server that has not answered within a limit. */
    public static String silence(Duration limit) {
        return "no answer within " + limit.toMillis() + " ms; the server or this machine may be busy";
    }

    /** Returns the message text for a server that has not answered within the connect timeout, with the names of that option. */
    public String silence() {
        return silence(connectTimeout) + ": withConnectTimeout (in Spring holdfast.connect-timeout) allows more";
    }

    /** Returns the options in readable form, without the credentials. */
    @Override
    public String toString() {
        return "ConnectOptions[connect timeout " + connectTimeout + ", client name " + clientName
                + (credentials == null ? "" : ", credentials from a supplier") + ", " + tls + "]";
    }
}
