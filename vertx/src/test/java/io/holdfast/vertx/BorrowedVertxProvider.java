package io.holdfast.vertx;

import io.holdfast.contracts.BorrowedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.RedisOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Drivers over options of an application, with a Vert.x of its own that is closed with the driver. */
final class BorrowedVertxProvider implements RedisDriverProvider {
    @Override
    public String name() {
        return "borrowed";
    }

    static RedisOptions options(RedisAddress address, ConnectOptions options) {
        String user = address.user() == null ? "" : encoded(address.user());
        String info = address.password() == null ? "" : user + ":" + encoded(address.password()) + "@";
        String database = address.database() == 0 ? "" : "/" + address.database();
        return new RedisOptions()
                .setNetClientOptions(new NetClientOptions()
                        .setConnectTimeout((int) options.connectTimeout().toMillis())
                        .setSsl(address.tls())
                        .setHostnameVerificationAlgorithm("HTTPS"))
                .setConnectionString((address.tls() ? "rediss://" : "redis://") + info + address.hostAndPort()
                        + database + "?client=" + options.clientName());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        Vertx vertx = Vertx.vertx();
        try {
            return new BorrowedDriver(VertxDriver.over(vertx, options(address, options)), () -> {
                var unused = vertx.close();
            });
        } catch (RuntimeException e) {
            var unused = vertx.close();
            throw e;
        }
    }
}
