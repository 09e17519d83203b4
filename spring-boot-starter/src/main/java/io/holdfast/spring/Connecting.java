package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.embedded.SharedServerProvider;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Tls;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/** Finds out where locks are to be kept, and connects. What only some applications have is named in classes of its own. */
final class Connecting {
    private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";
    private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";
    private static final String JEDIS = "org.springframework.data.redis.connection.jedis.JedisConnectionFactory";

    private final HoldfastProperties properties;
    private final HoldfastOptions options;
    private final Environment environment;
    private final ConfigurableListableBeanFactory beans;
    private final @Nullable HoldfastConnectionDetails details;
    private final @Nullable ClassLoader classes;

    Connecting(
            HoldfastProperties properties,
            HoldfastOptions options,
            Environment environment,
            ConfigurableListableBeanFactory beans,
            @Nullable HoldfastConnectionDetails details) {
        this.properties = properties;
        this.options = options;
        this.environment = environment;
        this.beans = beans;
        this.details = details;
        this.classes = beans.getBeanClassLoader();
    }

    Holdfast connect() {
        return switch (properties.mode()) {
            case REDIS -> redis();
            case EMBEDDED -> embedded();
            default -> withoutServer();
        };
    }

    private Holdfast redis() {
        if (details != null) {
            return at(details.getUrl(), "the bean of the type HoldfastConnectionDetails");
        }
        String url = properties.url();
        if (url != null && !url.isBlank()) {
            return at(url, "holdfast.url");
        }
        if (!isPresent(FACTORY)) {
            throw new SetupException(
                    "No server is configured for locks: Spring Data Redis is not on the class path, and holdfast.url"
                            + " is not set",
                    "Add org.springframework.boot:spring-boot-starter-data-redis, or set holdfast.url"
                            + " (redis://host:6379), or holdfast.mode=embedded");
        }
        return overFactory(new Factories());
    }

    /** @param setting what says so */
    private Holdfast at(String url, String setting) {
        Location location;
        try {
            location = Location.parse(url);
        } catch (IllegalArgumentException e) {
            throw new SetupException(
                    setting + " gives no address: " + e.getMessage(), "Write it as redis://host:6379, for example", e);
        }
        String bundle = properties.sslBundle();
        ConnectOptions connecting = new ConnectOptions(options.connectTimeout(), "holdfast")
                .withTls(bundle == null ? options.tls() : tls(bundle));
        try {
            RedisDriver driver = location.connect(
                    provider(),
                    connecting.withCredentials(options.credentials()),
                    connecting.withCredentials(options.sentinelCredentials()));
            return Holdfast.over(driver, options);
        } catch (DriverException | HoldfastException e) {
            throw notConnected(setting + " (" + location + ")", setting, e);
        }
    }

    /** The driver for addresses: of several, as an application with both has them, the one that Boot connects with. */
    private RedisDriverProvider provider() {
        if (isPresent("io.holdfast.lettuce.LettuceDriverProvider") && isPresent("io.lettuce.core.RedisClient")) {
            return OverLettuce.provider();
        }
        require(
                "io.holdfast.jedis.JedisDriverProvider",
                "holdfast-lettuce or holdfast-jedis",
                "Locks need a driver for their server");
        return OverJedis.provider();
    }

    private Holdfast overFactory(Factories factories) {
        String name = factories.name();
        RedisConnectionFactory factory = beans.getBean(name, RedisConnectionFactory.class);
        try {
            return Holdfast.over(driver(name, factory), options);
        } catch (DriverException | HoldfastException e) {
            throw notConnected("the bean '" + name + "'", "what is set for it (spring.data.redis.*)", e);
        }
    }

    /** Told without a stack, as it is nothing that the program has done. */
    private static SetupException notConnected(String what, String setting, RuntimeException e) {
        boolean refused = e instanceof ServerRefusedException
                || (e instanceof DriverException known && known.kind() == DriverException.Kind.REJECTED);
        return new SetupException(
                "Locks cannot be kept on the server of " + what + ": " + e.getMessage(),
                refused
                        ? "Correct what the server does not accept, or " + setting
                        : "Start the server, or correct " + setting
                                + ". Without a server: holdfast.mode=embedded, for the processes of this machine",
                e);
    }

    private RedisDriver driver(String name, RedisConnectionFactory factory) {
        if (isPresent(LETTUCE) && LettuceConnection.isOne(factory)) {
            require("io.holdfast.lettuce.LettuceDriver", "holdfast-lettuce", "The bean '" + name + "' uses Lettuce");
            return LettuceConnection.open(name, factory, options);
        }
        if (isPresent(JEDIS) && JedisConnection.isOne(factory)) {
            require("io.holdfast.jedis.JedisDriverProvider", "holdfast-jedis", "The bean '" + name + "' uses Jedis");
            String bundle = properties.sslBundle();
            String used = bundle == null ? environment.getProperty("spring.data.redis.ssl.bundle") : bundle;
            return JedisConnection.open(name, factory, options, used == null || used.isBlank() ? null : tls(used));
        }
        throw new SetupException(
                "The bean '" + name + "' is a " + factory.getClass().getName()
                        + ", which cannot be used for locks: only connections of Lettuce and Jedis can",
                "Set holdfast.url (redis://host:6379), or name another bean with holdfast.connection-factory");
    }

    private Holdfast embedded() {
        require("io.holdfast.embedded.SharedServerProvider", "holdfast-embedded", "holdfast.mode is embedded");
        EmbeddedServerProvider.EmbeddedServer server;
        try {
            server = Embedded.join();
        } catch (DriverException e) {
            throw new SetupException(
                    "The embedded server of this machine cannot be used: " + e.getMessage(),
                    "Correct what the embedded server reports",
                    e);
        }
        return Holdfast.embedded(server, provider(), options);
    }

    private Holdfast withoutServer() {
        require(
                "io.holdfast.testkit.TestHoldfast",
                "holdfast-testkit",
                "holdfast.mode is " + properties.mode().name().toLowerCase(java.util.Locale.ROOT));
        return WithoutServer.client(properties.mode(), options);
    }

    private Tls tls(String bundleName) {
        SslBundle bundle = beans.getBean(SslBundles.class).getBundle(bundleName);
        return Tls.over(bundle::createSslContext);
    }

    private void require(String type, String artifact, String why) {
        if (!isPresent(type)) {
            throw new SetupException(
                    why + ", but io.holdfast:" + artifact + " is not on the class path",
                    "Add io.holdfast:" + artifact + " in the version of the starter");
        }
    }

    private boolean isPresent(String type) {
        return ClassUtils.isPresent(type, classes);
    }

    // Each of these names what an application may not have.

    private static final class OverLettuce {
        static RedisDriverProvider provider() {
            return new LettuceDriverProvider();
        }
    }

    private static final class OverJedis {
        static RedisDriverProvider provider() {
            return new JedisDriverProvider();
        }
    }

    private static final class Embedded {
        static EmbeddedServerProvider.EmbeddedServer join() {
            return new SharedServerProvider().join();
        }
    }

    /** The connection factories of the application. Names Spring Data's type, which an application may not have. */
    private final class Factories {
        /** The bean to use. */
        String name() {
            String wanted = properties.connectionFactory();
            List<String> names = List.of(beans.getBeanNamesForType(RedisConnectionFactory.class));
            if (wanted != null && !wanted.isBlank()) {
                if (!names.contains(wanted)) {
                    throw new SetupException(
                            "holdfast.connection-factory names '" + wanted
                                    + "', and there is no such connection factory",
                            names.isEmpty() ? "There is none at all" : "There are: " + String.join(", ", names));
                }
                return wanted;
            }
            if (names.isEmpty()) {
                throw new SetupException(
                        "No server is configured for locks: there is no bean of the type RedisConnectionFactory, and"
                                + " holdfast.url is not set",
                        "Set spring.data.redis.* for the application's connection, or holdfast.url (redis://host:6379)");
            }
            if (names.size() == 1) {
                return names.get(0);
            }
            try {
                return beans.resolveNamedBean(RedisConnectionFactory.class).getBeanName();
            } catch (NoUniqueBeanDefinitionException e) {
                throw new SetupException(
                        "There are several connections to Redis, and none of them is chosen for locks: "
                                + String.join(", ", names),
                        "Set holdfast.connection-factory to one of these names, or mark one of the beans as @Primary",
                        e);
            }
        }
    }
}
