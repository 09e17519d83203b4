package io.holdfast.redisson;

import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Tls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.redisson.config.BaseConfig;
import org.redisson.config.ClusterServersConfig;
import org.redisson.config.CommandMapper;
import org.redisson.config.Config;
import org.redisson.config.NatMapper;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SingleServerConfig;
import org.redisson.misc.RedisURI;

/** What a configuration of Redisson says about connections, in Holdfast's terms. */
final class Settings {
    private final Config config;
    private final BaseConfig<?> mode;
    /** As Redisson reads them: an address may carry a user and a password. */
    private final List<RedisURI> addresses;

    private final Location location;
    private final ConnectOptions servers;
    private final ConnectOptions sentinels;

    private Settings(Config config, BaseConfig<?> mode, List<String> addresses) {
        this.config = config;
        this.mode = mode;
        this.addresses = addresses.stream().map(Settings::address).toList();
        if (this.addresses.isEmpty()) {
            throw new IllegalArgumentException("the Redisson configuration has no address");
        }
        refuseMappedCommands();
        this.location = locate();
        ConnectOptions plain = new ConnectOptions(
                        Duration.ofMillis(mode.getConnectTimeout()), name(mode.getClientName()))
                .withTls(isTls() ? Encryption.of(config, mode) : Tls.defaults());
        this.servers = plain.withCredentials(Login.of(config, mode, this.addresses.get(0)));
        this.sentinels = plain.withCredentials(
                mode instanceof SentinelServersConfig of
                        ? Login.of(of.getSentinelUsername(), of.getSentinelPassword())
                        : null);
    }

    /** @throws IllegalArgumentException as {@link RedissonDriver#over} does */
    static Settings of(Config config) {
        if (config.isSingleConfig()) {
            SingleServerConfig mode = config.useSingleServer();
            return new Settings(config, mode, List.of(mode.getAddress()));
        }
        if (config.isClusterConfig()) {
            ClusterServersConfig mode = config.useClusterServers();
            refuseMappedAddresses(mode.getNatMapper());
            return new Settings(config, mode, mode.getNodeAddresses());
        }
        if (config.isSentinelConfig()) {
            SentinelServersConfig mode = config.useSentinelServers();
            refuseMappedAddresses(mode.getNatMapper());
            return new Settings(config, mode, mode.getSentinelAddresses());
        }
        throw new IllegalArgumentException(
                "the Redisson configuration is for replicated or master/slave servers: Holdfast connects to a single"
                        + " server, a cluster or Sentinels");
    }

    Location location() {
        return location;
    }

    /** How servers are connected to. */
    ConnectOptions servers() {
        return servers;
    }

    /** How Sentinels are connected to, if there are any. */
    ConnectOptions sentinels() {
        return sentinels;
    }

    private boolean isTls() {
        return addresses.get(0).isSsl();
    }

    private Location locate() {
        if (mode instanceof SingleServerConfig single) {
            RedisURI server = addresses.get(0);
            return Location.of(
                    new RedisAddress(host(server), server.getPort(), server.isSsl(), null, null, single.getDatabase()));
        }
        if (mode instanceof ClusterServersConfig cluster) {
            if (cluster.getDatabase() != 0) {
                throw new IllegalArgumentException("the Redisson configuration has database " + cluster.getDatabase()
                        + " of a cluster: Holdfast uses database 0 there");
            }
            return Location.parse(scheme() + "-cluster://" + hosts());
        }
        SentinelServersConfig sentinel = (SentinelServersConfig) mode;
        String master = URLEncoder.encode(sentinel.getMasterName(), StandardCharsets.UTF_8)
                .replace("+", "%20");
        return Location.parse(scheme() + "-sentinel://" + hosts() + "/" + master + "/" + sentinel.getDatabase());
    }

    private String scheme() {
        return isTls() ? "rediss" : "redis";
    }

    private String hosts() {
        List<String> hosts = new ArrayList<>();
        for (RedisURI address : addresses) {
            if (address.isSsl() != isTls()) {
                throw new IllegalArgumentException(
                        "the Redisson configuration has addresses with TLS and without: Holdfast needs TLS for all of"
                                + " them or for none");
            }
            String host = host(address);
            hosts.add((host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort());
        }
        return String.join(",", hosts);
    }

    private static String host(RedisURI address) {
        String host = address.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static RedisURI address(String text) {
        RedisURI address;
        try {
            address = new RedisURI(text);
        } catch (RuntimeException e) {
            // Neither the text nor the cause, which repeats it: it may have a password.
            throw new IllegalArgumentException("the Redisson configuration has an address that Redisson cannot read");
        }
        if (address.isUDS()) {
            throw new IllegalArgumentException(
                    "the Redisson configuration has a Unix domain socket: Holdfast connects by host and port");
        }
        return address;
    }

    private static String name(@Nullable String given) {
        return given == null || given.isEmpty() ? ConnectOptions.defaults().clientName() : given;
    }

    private static void refuseMappedAddresses(NatMapper mapper) {
        if (mapper.getClass() != NatMapper.direct().getClass()) {
            throw new IllegalArgumentException(
                    "the Redisson configuration has a natMapper: Holdfast connects to the addresses that servers name");
        }
    }

    @SuppressWarnings("deprecation") // where configurations of older versions have it, and Redisson reads it still
    private void refuseMappedCommands() {
        Class<?> direct = CommandMapper.direct().getClass();
        if (config.getCommandMapper().getClass() != direct
                || mode.getCommandMapper().getClass() != direct) {
            throw new IllegalArgumentException(
                    "the Redisson configuration has a commandMapper: Holdfast needs commands by their own names");
        }
    }
}
