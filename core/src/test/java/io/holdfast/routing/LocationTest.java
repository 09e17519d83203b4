package io.holdfast.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Tls;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocationTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "redis://h redis://h:6379",
                "redis://u:p@h:1/2 redis://h:1/2",
                "cache.example:6380 redis://cache.example:6380",
                "localhost:6379/2 redis://localhost:6379/2",
                "[::1]:7000 redis://[::1]:7000",
                "REDIS://h redis://h:6379",
                "valkey://h/3 redis://h:6379/3",
                "Valkeys://u:p@h rediss://h:6379",
                "valkey-cluster://a,b:7001 redis-cluster://a:6379,b:7001",
                "VALKEYS-sentinel://a/m rediss-sentinel://a:26379/m",
                "redis-cluster://a,b:7001 redis-cluster://a:6379,b:7001",
                "rediss-cluster://u:p@a redis" + "s-cluster://a:6379",
                "redis-cluster://[::1]:7000,b redis-cluster://[::1]:7000,b:6379",
                "redis-sentinel://a,b:1/m redis-sentinel://a:26379,b:1/m",
                "rediss-sentinel://u:p@a/m/3?sentinel-password=x rediss-sentinel://a:26379/m/3",
            })
    void parse_text_isToldWithoutPasswords(String text, String shown) {
        assertEquals(shown, Location.parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-cluster://",
                "redis-cluster://a/1",
                "redis-cluster://a?x=1",
                "redis-cluster://?x=1",
                "redis-cluster:///1",
                "redis-cluster:///@a",
                "://a",
                "redis-cluster://a,,b",
                "redis-sentinel://a",
                "redis-sentinel://a/",
                "redis-sentinel://a/m/x",
                "redis-sentinel://a/m/1/2",
                "redis-sentinel://a/m?user=x",
                "redis-sentinel://a/m?sentinel-password=sec%zzret",
                "redis-sentinel://a/sec%zz",
                "redis-sentinel:///m",
                "redis-sentinel://:sec/ret@a/m",
                "memcached://a",
                "a:6379x",
                "u:6379@a",
                "a",
            })
    void parse_noLocation_isRefusedWithoutRepeatingSecrets(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Location.parse(text));
        assertFalse(String.valueOf(e.getMessage()).contains("sec"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://u@h",
                "redis-cluster://u@a,b",
                "redis-sentinel://u@a/m",
                "redis-sentinel://a/m?sentinel-user=u",
            })
    void connect_userAndNobodyHasThePassword_isRefusedBeforeAnythingIsConnected(String text) {
        Refusing provider = new Refusing();
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> Location.parse(text).connect(provider, ConnectOptions.defaults()));
        assertTrue(String.valueOf(e.getMessage()).contains("user without a password"), e.getMessage());
        assertEquals(Set.of(), provider.asked);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://h", "redis-cluster://a", "redis-sentinel://a/m"})
    void connect_optionsForTlsAndNoEncryption_isRefusedBeforeAnythingIsConnected(String text) {
        Refusing provider = new Refusing();
        ConnectOptions options =
                ConnectOptions.defaults().withTls(Tls.defaults().withServerName("h"));
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> Location.parse(text).connect(provider, options));
        assertTrue(String.valueOf(e.getMessage()).contains("rediss"), e.getMessage());
        assertEquals(Set.of(), provider.asked);
    }

    @Test
    void connect_suppliersOfCredentials_sentinelsNeverGetThoseOfTheServers() {
        Refusing provider = new Refusing();
        Supplier<Credentials> servers = () -> Credentials.ofPassword("servers");
        Supplier<Credentials> sentinels = () -> Credentials.ofPassword("sentinels");
        ConnectOptions options = new ConnectOptions(Duration.ofMillis(50), "test");
        Location location = Location.parse("redis-sentinel://app@a/m");
        assertThrows(DriverException.class, () -> location.connect(provider, options.withCredentials(servers)));
        assertEquals(List.of(Optional.empty()), provider.suppliers());
        provider.options.clear();
        assertThrows(
                DriverException.class,
                () -> location.connect(provider, options.withCredentials(servers), options.withCredentials(sentinels)));
        assertEquals(List.of(Optional.of(sentinels)), provider.suppliers());
    }

    @Test
    void connect_cluster_everyNodeIsConnectedToWithTheOptions() {
        Refusing provider = new Refusing();
        ConnectOptions options = new ConnectOptions(Duration.ofMillis(50), "test")
                .withCredentials(() -> Credentials.ofPassword("p"))
                .withTls(Tls.defaults().withServerName("n"));
        assertThrows(
                DriverException.class,
                () -> Location.parse("rediss-cluster://app@a,b").connect(provider, options));
        assertEquals(Set.of(options), Set.copyOf(provider.options));
    }

    /** Tells what it was asked to connect to, and connects to nothing. */
    private static final class Refusing implements RedisDriverProvider {
        final Set<RedisAddress> asked = ConcurrentHashMap.newKeySet();
        final List<ConnectOptions> options = new CopyOnWriteArrayList<>();

        List<Optional<Supplier<Credentials>>> suppliers() {
            return options.stream()
                    .map(each -> Optional.ofNullable(each.credentials()))
                    .distinct()
                    .toList();
        }

        @Override
        public String name() {
            return "refusing";
        }

        @Override
        public RedisDriver connect(RedisAddress address, ConnectOptions options) {
            asked.add(address);
            this.options.add(options);
            throw DriverException.rejected("ERR no");
        }
    }

    @Test
    void connect_sentinels_haveTheirOwnUserAndPassword() {
        Refusing provider = new Refusing();
        Location location =
                Location.parse("redis-sentinel://app:one@a,b:1/m?sentinel-user=watch&sentinel-password=t%2Fo");
        assertThrows(
                DriverException.class,
                () -> location.connect(provider, new ConnectOptions(Duration.ofMillis(50), "test")));
        assertEquals(
                Set.of(
                        new RedisAddress("a", 26_379, false, "watch", "t/o", 0),
                        new RedisAddress("b", 1, false, "watch", "t/o", 0)),
                provider.asked);
    }

    @Test
    void connect_cluster_triesEverySeed() {
        Refusing provider = new Refusing();
        Location location = Location.parse("rediss-cluster://app:one@a:1,b:2");
        assertThrows(
                DriverException.class,
                () -> location.connect(provider, new ConnectOptions(Duration.ofMillis(50), "test")));
        assertEquals(
                new LinkedHashSet<>(Set.of(
                        new RedisAddress("a", 1, true, "app", "one", 0),
                        new RedisAddress("b", 2, true, "app", "one", 0))),
                provider.asked);
    }

    @Test
    void parse_emptyUser_isNone() {
        assertEquals(
                "redis-cluster://a:6379", Location.parse("redis-cluster://@a").toString());
    }

    @Test
    void connect_oneServer_isTheProvidersDriver() {
        Refusing provider = new Refusing();
        assertThrows(
                DriverException.class,
                () -> Location.parse("redis://app:one@a:1/2")
                        .connect(provider, new ConnectOptions(Duration.ofMillis(50), "test")));
        assertEquals(Set.of(new RedisAddress("a", 1, false, "app", "one", 2)), provider.asked);
    }
}
