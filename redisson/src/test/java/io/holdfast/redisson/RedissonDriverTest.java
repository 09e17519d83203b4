package io.holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TlsFiles;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import java.net.URL;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.SslVerificationMode;

/** Drivers as real clients are configured, in each mode, and what is refused. */
@Timeout(120)
final class RedissonDriverTest {
    private static Config config() {
        return new Config().setThreads(2).setNettyThreads(2);
    }

    private static Config single(RedisServer server) {
        Config config = config();
        config.useSingleServer()
                .setAddress(server.url())
                .setConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionMinimumIdleSize(1);
        return config;
    }

    private static String ask(RedisDriver driver, String... words) throws Exception {
        return driver.send(Command.of(words))
                .toCompletableFuture()
                .get(15, TimeUnit.SECONDS)
                .asString();
    }

    private static void assertLocks(Holdfast holdfast, String name) throws Exception {
        Lease lease = holdfast.lock(name).acquire();
        assertTrue(lease.isValid());
        lease.release();
    }

    @Test
    void over_singleServer_isTheSameUserAndDatabase_andEitherIsClosedFirst() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL", "SETUSER", "älice", "on", ">pa ss:w/örd", "~*", "&*", "+@all");
            Config config = single(server).setUsername("älice").setPassword("pa ss:w/örd");
            config.useSingleServer().setDatabase(3).setClientName("orders");
            RedissonClient redisson = Redisson.create(config);
            RedisDriver first = RedissonDriver.over(redisson);
            assertEquals("älice", ask(first, "ACL", "WHOAMI"));
            assertEquals("orders", ask(first, "CLIENT", "GETNAME"));
            ask(first, "SET", "k", "v");
            assertEquals(1, redisson.getKeys().countExists("k"));
            first.close();
            assertEquals(1, redisson.getKeys().countExists("k"));

            try (Holdfast holdfast = Holdfast.over(RedissonDriver.over(redisson))) {
                redisson.shutdown();
                assertLocks(holdfast, "a");
            }
            // A client that has been shut down still says how it connected.
            try (Holdfast holdfast = Holdfast.over(RedissonDriver.over(redisson))) {
                assertLocks(holdfast, "a");
            }
        }
    }

    @Test
    void over_userInTheAddress_isThatUser() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL", "SETUSER", "bob", "on", ">p@ss", "~*", "&*", "+@all");
            Config config = config().setUsername("alice").setPassword("wrong");
            config.useSingleServer().setAddress("redis://bob:p%40ss@127.0.0.1:" + server.port());
            try (RedisDriver driver = RedissonDriver.over(Configured.client(config))) {
                assertEquals("bob", ask(driver, "ACL", "WHOAMI"));
            }
        }
    }

    @Test
    void over_cluster_locksOnAllItsNodes() throws Exception {
        try (RedisCluster cluster = RedisCluster.start()) {
            Config config = config();
            for (RedisAddress address : cluster.addresses()) {
                config.useClusterServers().addNodeAddress(address.toString());
            }
            RedissonClient redisson = Redisson.create(config);
            try (Holdfast holdfast = Holdfast.over(RedissonDriver.over(redisson))) {
                for (int i = 0; i < 20; i++) {
                    assertLocks(holdfast, "name-" + i);
                }
            } finally {
                redisson.shutdown();
            }
        }
    }

    @Test
    void over_sentinels_followsTheMaster() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            Config config = config();
            config.useSentinelServers().setMasterName(RedisSentinels.NAME);
            for (RedisAddress address : sentinels.addresses()) {
                config.useSentinelServers().addSentinelAddress(address.toString());
            }
            try (Holdfast holdfast = Holdfast.over(RedissonDriver.over(Configured.client(config)))) {
                assertLocks(holdfast, "a");
                sentinels.failOver();
                assertLocks(holdfast, "a");
            }
        }
    }

    @Test
    void over_truststore_trustsItAndNothingElse(@TempDir Path folder) throws Exception {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:localhost,ip:127.0.0.1");
        try (RedisServer secure = RedisServer.start(files.serverArgs(port))) {
            Config config = config();
            config.useSingleServer().setAddress("rediss://127.0.0.1:" + port).setConnectTimeout(10_000);
            DriverException untrusted =
                    assertThrows(DriverException.class, () -> RedissonDriver.over(Configured.client(config)));
            assertEquals(DriverException.Kind.UNKNOWN, untrusted.kind());

            URL store = folder.resolve("server.p12").toUri().toURL();
            config.setSslKeystoreType("PKCS12").setSslTruststore(store).setSslTruststorePassword("changeit");
            try (RedisDriver driver = RedissonDriver.over(Configured.client(config))) {
                assertEquals("PONG", ask(driver, "PING"));
            }
            config.setSslTruststorePassword("another");
            DriverException unreadable =
                    assertThrows(DriverException.class, () -> RedissonDriver.over(Configured.client(config)));
            assertTrue(String.valueOf(unreadable.getMessage()).contains("stores"), unreadable.toString());
            assertEquals("PONG", secure.command("PING").asString());
        }
    }

    @Test
    void over_keystore_isShownToTheServer(@TempDir Path folder) throws Exception {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:localhost,ip:127.0.0.1");
        String[] arguments = files.serverArgs(port);
        arguments[arguments.length - 1] = "yes"; // --tls-auth-clients
        try (RedisServer secure = RedisServer.start(arguments)) {
            URL store = folder.resolve("server.p12").toUri().toURL();
            Config config = config().setSslKeystoreType("PKCS12")
                    .setSslTruststore(store)
                    .setSslTruststorePassword("changeit")
                    .setSslKeystore(store)
                    .setSslKeystorePassword("changeit");
            config.useSingleServer().setAddress("rediss://127.0.0.1:" + port);
            try (RedisDriver driver = RedissonDriver.over(Configured.client(config))) {
                assertEquals("PONG", ask(driver, "PING"));
            }
            config.setSslKeystore(null);
            assertThrows(DriverException.class, () -> RedissonDriver.over(Configured.client(config)));
            assertEquals("PONG", secure.command("PING").asString());
        }
    }

    @Test
    void over_settingThatCannotBeKept_isRefusedByName() {
        Map<String, Consumer<Config>> refused = Map.of(
                "replicated",
                config -> config.useReplicatedServers().addNodeAddress("redis://a:1"),
                "Unix domain socket",
                config -> config.useSingleServer().setAddress("redis+uds:///tmp/redis.sock"),
                "natMapper",
                config ->
                        config.useClusterServers().addNodeAddress("redis://a:1").setNatMapper(uri -> uri),
                "commandMapper",
                config ->
                        config.setCommandMapper(name -> name).useSingleServer().setAddress("redis://a:1"),
                "database 2 of a cluster",
                config ->
                        config.useClusterServers().addNodeAddress("redis://a:1").setDatabase(2),
                "with TLS and without",
                config -> config.useClusterServers().addNodeAddress("redis://a:1", "rediss://b:1"),
                "sslVerificationMode",
                config -> config.setSslVerificationMode(SslVerificationMode.CA_ONLY)
                        .useSingleServer()
                        .setAddress("rediss://a:1"),
                "sslProtocols",
                config -> config.setSslProtocols(new String[] {"TLSv1.3"})
                        .useSingleServer()
                        .setAddress("rediss://a:1"),
                "sslCiphers",
                config -> config.setSslCiphers(new String[] {"TLS_AES_128_GCM_SHA256"})
                        .useSingleServer()
                        .setAddress("rediss://a:1"));
        refused.forEach((words, set) -> {
            Config config = config();
            set.accept(config);
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class, () -> RedissonDriver.over(Configured.client(config)), words);
            assertTrue(String.valueOf(e.getMessage()).contains(words), e.toString());
        });
    }

    @Test
    void over_addressThatCannotBeRead_isRefusedWithoutItsPassword() {
        Config config = config();
        config.useSingleServer().setAddress("redis://:sesame@:x");
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> RedissonDriver.over(Configured.client(config)));
        assertFalse(e.toString().contains("sesame"), e.toString());
    }

    @Test
    void over_trustOfTheApplication_isUsed(@TempDir Path folder) throws Exception {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:localhost,ip:127.0.0.1");
        try (RedisServer secure = RedisServer.start(files.serverArgs(port))) {
            KeyStore store = KeyStore.getInstance(folder.resolve("server.p12").toFile(), "changeit".toCharArray());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            Config config = config().setSslTrustManagerFactory(trust);
            config.useSingleServer().setAddress("rediss://127.0.0.1:" + port).setConnectTimeout((int)
                    Duration.ofSeconds(10).toMillis());
            try (RedisDriver driver = RedissonDriver.over(Configured.client(config))) {
                assertEquals("PONG", ask(driver, "PING"));
            }
            assertEquals("PONG", secure.command("PING").asString());
        }
    }
}
