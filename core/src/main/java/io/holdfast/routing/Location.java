package io.holdfast.routing;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The location of the locks: one server, a cluster, or a master that Sentinels watch. Its text form is one of these:
 *
 * <ul>
 *   <li>{@code redis://[user[:password]@]host[:port][/database]}: one server; {@code host:port[/database]} means the same
 *   <li>{@code redis-cluster://[user[:password]@]host[:port][,host[:port]…]}: a cluster, by some of its nodes
 *   <li>{@code redis-sentinel://[user[:password]@]host[:port][,host[:port]…]/master[/database]}: the master that the
 *       sentinels know by that name. User, password and database are those of the servers.
 *       {@code ?sentinel-user=…&sentinel-password=…} are those of the sentinels
 * </ul>
 *
 * <p>A user may be given without a password if the options have a supplier of credentials.
 *
 * <p>In each form, {@code rediss} instead of {@code redis} means TLS, also to sentinels. {@code valkey} and {@code valkeys} mean
 * the same as {@code redis} and {@code rediss}, in letters of either case. If the text names no port, it is 6379, and 26379 for
 * sentinels. User, password and master are percent-decoded.
 */
public final class Location {
    private static final String RULE =
            "expected redis://…, redis-cluster://… or redis-sentinel://…, or with rediss for TLS";
    private static final int SENTINEL_PORT = 26_379;
    /** A name, an IPv4 address, or an IPv6 address in brackets. */
    private static final Pattern HOST_AND_PORT = Pattern.compile("([\\w.-]+|\\[[\\p{XDigit}:.]+\\]):\\d+(/\\d*)?");

    private enum Kind {
        SERVER,
        CLUSTER,
        SENTINEL
    }

    private final Kind kind;
    /** The server; nodes of the cluster; or the sentinels, with their own user and password. */
    private final List<RedisAddress> addresses;

    private final String master;
    private final @Nullable RedisAddress behind; // what the servers behind the sentinels have in common

    private Location(Kind kind, List<RedisAddress> addresses, String master, @Nullable RedisAddress behind) {
        this.kind = kind;
        this.addresses = List.copyOf(addresses);
        this.master = master;
        this.behind = behind;
    }

    /** Returns the location of one server. */
    public static Location of(RedisAddress server) {
        return new Location(Kind.SERVER, List.of(server), "", null);
    }

    /**
     * Reads a location from its text form.
     *
     * @throws IllegalArgumentException if the text cannot be parsed; the message never repeats a password
     */
    public static Location parse(String text) {
        int colon = Objects.requireNonNull(text, "address is null").indexOf("://");
        if (HOST_AND_PORT.matcher(text).matches()) {
            return of(RedisAddress.parse("redis://" + text));
        }
        String scheme = colon < 0
                ? ""
                : text.substring(0, colon).toLowerCase(Locale.ROOT).replaceFirst("^valkey", "redis");
        return switch (scheme) {
            case "redis-cluster", "rediss-cluster" -> several(Kind.CLUSTER, scheme, text.substring(colon + 3));
            case "redis-sentinel", "rediss-sentinel" -> several(Kind.SENTINEL, scheme, text.substring(colon + 3));
            default -> of(RedisAddress.parse(text));
        };
    }

    private static Location several(Kind kind, String scheme, String rest) {
        String tail = "";
        String hosts = rest;
        int question = hosts.indexOf('?');
        String query = question < 0 ? "" : hosts.substring(question + 1);
        hosts = question < 0 ? hosts : hosts.substring(0, question);
        int at = hosts.lastIndexOf('@');
        String user = at < 0 ? "" : hosts.substring(0, at) + "@";
        hosts = hosts.substring(at + 1);
        int slash = hosts.indexOf('/');
        if (slash >= 0) {
            tail = hosts.substring(slash + 1);
            hosts = hosts.substring(0, slash);
        }
        if (user.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "address has a / before the last @: percent-encode the password, / as %2F");
        }
        String single = scheme.startsWith("rediss") ? "rediss://" : "redis://";
        if (kind == Kind.CLUSTER) {
            if (!tail.isEmpty() || !query.isEmpty()) {
                throw new IllegalArgumentException(
                        "address of a cluster has a path or a query: a cluster has one database only; " + RULE);
            }
            List<RedisAddress> nodes = new ArrayList<>();
            for (String host : hosts.split(",", -1)) {
                nodes.add(RedisAddress.parse(single + user + host));
            }
            return new Location(kind, nodes, "", null);
        }
        String[] path = tail.split("/", -1);
        String name = decode(path[0]);
        if (name.isEmpty() || path.length > 2) {
            throw new IllegalArgumentException(
                    "address of sentinels must end with the name of the master, and perhaps a "
                            + "database: redis-sentinel://host:26379,host:26379/master[/database]");
        }
        List<RedisAddress> sentinels = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            sentinels.add(sentinel(
                    RedisAddress.parse(single + (host.matches(".*:\\d+") ? host : host + ":" + SENTINEL_PORT)), query));
        }
        RedisAddress server = RedisAddress.parse(single + user + "server/" + (path.length > 1 ? path[1] : ""));
        return new Location(kind, sentinels, name, server);
    }

    private static RedisAddress sentinel(RedisAddress plain, String query) {
        String user = null;
        String password = null;
        for (String part : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            String value = decode(part.substring(part.indexOf('=') + 1));
            switch (part.substring(0, Math.max(0, part.indexOf('=')))) {
                case "sentinel-user" -> user = value;
                case "sentinel-password" -> password = value;
                default ->
                    throw new IllegalArgumentException(
                            "address has a query with unknown parameters: only sentinel-user and sentinel-password are"
                                    + " known");
            }
        }
        return new RedisAddress(plain.host(), plain.port(), plain.tls(), user, password, 0);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Its message repeats the text, and with it the password.
            throw new IllegalArgumentException("address has a % that begins no percent-encoded character: write %25");
        }
    }

    /**
     * Connects to the servers. Blocks until the driver is usable, for at most the connect timeout, or twice that if there are
     * several servers. Each given node of a cluster that does not answer can take one more connect timeout. Connections to
     * sentinels have the same options, but no user and password unless the text has them.
     *
     * @throws DriverException as {@link RedisDriverProvider#connect} does
     * @throws IllegalArgumentException as {@link ConnectOptions#check} does
     */
    public RedisDriver connect(RedisDriverProvider provider, ConnectOptions options) {
        return connect(provider, options, options.withCredentials(null));
    }

    /**
     * Connects to the servers, with separate options for sentinels, if there are any.
     *
     * @param sentinels options for connections to sentinels; the time limit as a whole is that of {@code options}
     */
    public RedisDriver connect(RedisDriverProvider provider, ConnectOptions options, ConnectOptions sentinels) {
        for (RedisAddress each : addresses) {
            (kind == Kind.SENTINEL ? sentinels : options).check(each);
        }
        if (behind != null) {
            options.check(behind);
        }
        return switch (kind) {
            case SERVER -> provider.connect(addresses.get(0), options);
            case CLUSTER ->
                RoutedDriver.cluster(addresses, to -> provider.connect(to, options), options.connectTimeout());
            case SENTINEL ->
                RoutedDriver.sentinels(
                        addresses,
                        master,
                        behind == null ? addresses.get(0) : behind,
                        to -> provider.connect(to, options),
                        to -> provider.connect(to, sentinels),
                        options.connectTimeout());
        };
    }

    /** Returns the text form, without users and passwords. */
    @Override
    public String toString() {
        if (kind == Kind.SERVER) {
            return addresses.get(0).toString();
        }
        List<String> hosts = new ArrayList<>();
        for (RedisAddress address : addresses) {
            hosts.add(address.hostAndPort());
        }
        return (addresses.get(0).tls() ? "rediss-" : "redis-") + kind.name().toLowerCase(Locale.ROOT) + "://"
                + String.join(",", hosts) + (kind == Kind.SENTINEL ? "/" + master : "")
                + (behind == null || behind.database() == 0 ? "" : "/" + behind.database());
    }
}
