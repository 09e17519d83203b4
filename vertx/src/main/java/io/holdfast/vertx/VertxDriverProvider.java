package io.holdfast.vertx;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens drivers to addresses, over the application's Vert.x or over its own. The rules of {@link VertxDriver} for threads apply
 * to these drivers, too.
 *
 * <p>For a cluster or Sentinels, {@link io.holdfast.routing.Location} takes a provider: it opens one driver for each server.
 */
public final class VertxDriverProvider implements RedisDriverProvider {
    private final OwnVertx own = new OwnVertx();
    private final @Nullable Vertx given;

    /**
     * Creates a provider of drivers over its own Vert.x instance, for the {@link java.util.ServiceLoader}. The instance is created
     * with the first driver and closed with the last. It has one event loop, on which nothing else runs.
     */
    public VertxDriverProvider() {
        this.given = null;
    }

    /** Creates a provider of drivers over the application's Vert.x, which stays open. */
    public VertxDriverProvider(Vertx vertx) {
        this.given = vertx;
    }

    @Override
    public String name() {
        return "vertx";
    }

    /**
     * Connects a driver to an address.
     *
     * @throws IllegalStateException if the calling thread is an event loop
     */
    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        ServerDriver.checkMayBlock();
        return ServerDriver.open(
                Lane.on(given == null ? own.take() : given),
                lane -> opener(lane, address, options),
                () -> connect(address, options),
                given == null ? own::giveBack : Future::succeededFuture);
    }

    private static Opener opener(Lane lane, RedisAddress address, ConnectOptions options) {
        String silence = options.silence()
                + (address.tls() ? "; if it does not speak TLS, use redis:// instead of rediss://" : "");
        return new Opener(
                lane,
                address.hostAndPort(),
                address.tls(),
                options.connectTimeout(),
                silence,
                () -> target(address, options));
    }

    /** Reads files, asks for names and for credentials: all that may block. */
    private static Target target(RedisAddress address, ConnectOptions options) {
        Credentials credentials = options.credentialsFor(address);
        NetClientOptions net = new NetClientOptions().setTcpKeepAlive(true).setTcpNoDelay(true);
        if (address.tls()) {
            net.setSsl(true)
                    .setHostnameVerificationAlgorithm("HTTPS")
                    .setSslEngineOptions(new TlsEngine(options.tls().engines(address)));
        }
        List<RedisOptions> all = new ArrayList<>();
        for (InetAddress each : resolve(address)) {
            String text = each.getHostAddress().replaceFirst("%.*", ""); // the interface
            String host = each instanceof Inet6Address ? "[" + text + "]" : text;
            String endpoint = (address.tls() ? "rediss://" : "redis://") + host + ":" + address.port();
            RedisOptions plain = new RedisOptions()
                    .setNetClientOptions(net)
                    .setConnectionString(endpoint)
                    // Vert.x 4.5 never notices that HELLO was refused. Without it, RESP2 is spoken.
                    .setProtocolNegotiation(false);
            all.add(VertxDriver.own(plain, options.connectTimeout()));
        }
        return new Target(all, greeting(address, options.clientName(), credentials));
    }

    /** Vert.x' own greeting would send no password that is not asked for, and then acts as another user. */
    private static List<Target.Greeting> greeting(
            RedisAddress address, String name, @Nullable Credentials credentials) {
        List<Target.Greeting> greeting = new ArrayList<>();
        if (credentials != null) {
            Request auth = Request.cmd(Command.AUTH);
            if (credentials.user() != null) {
                auth.arg(credentials.user());
            }
            greeting.add(new Target.Greeting(auth.arg(credentials.password()), null));
        }
        // A name is a courtesy.
        greeting.add(
                new Target.Greeting(Request.cmd(Command.CLIENT).arg("SETNAME").arg(name), "NOPERM"));
        if (address.database() > 0) {
            greeting.add(new Target.Greeting(Request.cmd(Command.SELECT).arg(address.database()), null));
        }
        greeting.add(Target.PING);
        return greeting;
    }

    /** As the JVM does: Vert.x has a resolver of its own. */
    private static InetAddress[] resolve(RedisAddress address) {
        try {
            return InetAddress.getAllByName(address.host());
        } catch (UnknownHostException e) {
            throw DriverException.unknown(
                    "no connection to " + address.hostAndPort() + ": the host name is unknown", e);
        }
    }
}
