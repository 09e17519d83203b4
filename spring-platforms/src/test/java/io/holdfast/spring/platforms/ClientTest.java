package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TestAuthority;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.HoldfastOptionsCustomizer;
import io.holdfast.spring.Locked;
import io.lettuce.core.ClientOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The client that the starter makes: over what it connects, with which options, and how it ends. */
final class ClientTest {
    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void start_nothingButTheStarter_isOverTheApplicationsLettuceClient() throws Exception {
        try (ConfigurableApplicationContext context =
                Apps.start(server.port(), Apps.Plain.class, "spring.data.redis.database=3")) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            try (Lease lease = holdfast.lock("plain").acquire()) {
                assertTrue(lease.isHeldOnServer());
                assertEquals(
                        "shop",
                        holdfast.inspect().lock("plain").holder().orElseThrow().application());
                try (Holdfast there = Apps.connect(server.url().replaceFirst("/\\d*$", "") + "/3")) {
                    assertTrue(there.inspect().isLocked("plain"), "in the database of spring.data.redis");
                }
            }
        }
    }

    @Test
    void close_lockIsHeld_isReleasedOnTheServerBeforeTheConnectionEnds() throws Exception {
        ConfigurableApplicationContext context = Apps.start(server.port(), Apps.Plain.class);
        Lease lease = context.getBean(Holdfast.class).lock("rolling").acquire();
        long begin = System.nanoTime();
        context.close();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertFalse(lease.isValid());
        try (Holdfast other = Apps.connect(server.url())) {
            assertFalse(other.inspect().isLocked("rolling"), "released, and not left to its term");
        }
        assertTrue(took.compareTo(Duration.ofMillis(1_000)) < 0, "closing took " + took);
    }

    @Test
    void close_withTheServerGone_doesNotWaitForIt() throws Exception {
        ConfigurableApplicationContext context;
        try (RedisServer gone = RedisServer.start()) {
            context = Apps.start(gone.port(), Apps.Plain.class);
            context.getBean(Holdfast.class).lock("gone").acquire();
            gone.kill();
        }
        context.close();
        assertFalse(context.isActive());
    }

    @Test
    void stop_andStartAgain_worksOverTheFactorysNewClient() throws Exception {
        try (ConfigurableApplicationContext context = Apps.start(server.port(), Apps.Plain.class)) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            Lease before = holdfast.lock("restart").acquire();
            LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);
            Object client = factory.getRequiredNativeClient();
            context.stop();
            assertFalse(factory.isRunning());
            context.start();
            assertFalse(client == factory.getRequiredNativeClient(), "another client");
            assertEquals("a", holdfast.lock("restarted").call(lease -> "a"));
            assertTrue(before.isValid(), "the hold has outlived it");
            before.extend(Duration.ofMinutes(1));
            before.release();
        }
    }

    @Test
    void options_byProperties_areTheClients() {
        try (ConfigurableApplicationContext context = Apps.start(
                server.port(),
                Apps.Plain.class,
                "holdfast.prefix=p",
                "holdfast.application=billing",
                "holdfast.command-timeout=1s",
                "holdfast.refresh-interval=10s",
                "holdfast.waiter-deadline=1m",
                "holdfast.eviction=ignore",
                "holdfast.deadlock-detection=5s",
                "holdfast.lock.lease-duration=20s",
                "holdfast.lock.wait-limit=forever",
                "holdfast.lock.interrupt-before=2s",
                "holdfast.lock.metadata.team=red",
                "holdfast.lock.local-handoffs=0",
                "holdfast.lock.deadlock=break",
                "holdfast.locks[billing/*].lease-duration=2m",
                "holdfast.locks[billing/*].wait-limit=0",
                "holdfast.locks[*/nightly].lease-duration=3m",
                "holdfast.locks[billing/night*].lease-duration=4m",
                "holdfast.locks[billing/nightly].priority=7")) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            assertEquals("p", holdfast.options().prefix());
            assertEquals("billing", holdfast.options().application());
            assertEquals(Duration.ofSeconds(1), holdfast.options().commandTimeout());
            assertEquals(Duration.ofSeconds(10), holdfast.options().refreshInterval());
            assertEquals(Duration.ofSeconds(5), holdfast.options().deadlockDetection());
            LockOptions any = holdfast.lock("x").options();
            assertEquals(Duration.ofSeconds(20), any.leaseDuration());
            assertEquals(Wait.forever(), any.waitLimit());
            assertEquals(Duration.ofSeconds(2), any.interruptBefore());
            assertEquals("red", any.metadata().get("team"));
            assertEquals(0, any.localHandoffs());
            assertEquals(LockOptions.OnDeadlock.BREAK, any.deadlock());
            LockOptions billing = holdfast.lock("billing/1").options();
            assertEquals(Duration.ofMinutes(2), billing.leaseDuration());
            assertEquals(Wait.none(), billing.waitLimit());
            assertEquals(Duration.ofSeconds(2), billing.interruptBefore(), "what the pattern does not set");
            assertEquals(
                    Duration.ofMinutes(3), holdfast.lock("a/nightly").options().leaseDuration());
            assertEquals(
                    Duration.ofMinutes(4),
                    holdfast.lock("billing/night").options().leaseDuration(),
                    "most letters");
            assertEquals(7, holdfast.lock("billing/nightly").options().priority(), "the name itself");
            assertEquals(
                    Duration.ofMinutes(4),
                    holdfast.readWriteLock("billing/nights").read().options().leaseDuration());
        }
    }

    @Test
    void options_badOnes_failTheStartWithTheirName() {
        String told = failure("holdfast.locks[a*].lease-duration=1ms");
        assertTrue(told.contains("holdfast.locks[a*]") && told.contains("leaseDuration is PT0.001S"), told);
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        static final BlockingQueue<LockEvent> EVENTS = new LinkedBlockingQueue<>();

        @Bean
        HoldfastListener listener() {
            return EVENTS::add;
        }

        @Bean
        HoldfastOptionsCustomizer customizer() {
            return options -> options.withTokenLife(Duration.ofHours(7));
        }
    }

    @Test
    void beans_listenersAndCustomizers_areHeeded() throws Exception {
        try (ConfigurableApplicationContext context = Apps.start(server.port(), Customized.class)) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            assertEquals(Duration.ofHours(7), holdfast.options().tokenLife());
            holdfast.lock("heard").acquire().release();
            LockEvent event = Customized.EVENTS.poll(10, TimeUnit.SECONDS);
            assertEquals("heard", event == null ? null : event.lockName());
        }
    }

    @Test
    void start_overAUrl_needsNoConnectionFactory() throws Exception {
        try (ConfigurableApplicationContext context =
                Apps.start(FreePort.find(), Apps.Plain.class, "holdfast.url=" + server.url())) {
            assertEquals("a", context.getBean(Holdfast.class).lock("url").call(lease -> "a"));
        }
    }

    @Test
    void start_inMemory_needsNoServer() throws Exception {
        try (ConfigurableApplicationContext context =
                Apps.start(FreePort.find(), Apps.Plain.class, "holdfast.mode=memory")) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            holdfast.lock("a").acquire();
            assertEquals(Optional.empty(), holdfast.lock("a").tryAcquire());
        }
        try (ConfigurableApplicationContext context =
                Apps.start(FreePort.find(), Apps.Plain.class, "holdfast.mode=granting")) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            holdfast.lock("a").acquire();
            assertTrue(holdfast.lock("a").tryAcquire().isPresent());
        }
        try (ConfigurableApplicationContext context =
                Apps.start(FreePort.find(), Apps.Plain.class, "holdfast.mode=refusing")) {
            assertEquals(
                    Optional.empty(), context.getBean(Holdfast.class).lock("a").tryAcquire());
        }
        try (ConfigurableApplicationContext context =
                Apps.start(FreePort.find(), Apps.Plain.class, "holdfast.mode=failing")) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            assertThrows(
                    ServerUnreachableException.class, () -> holdfast.lock("a").tryAcquire());
        }
    }

    static class Unlocked {
        @Locked("a")
        public boolean hasLease(Lease lease) {
            return lease != null || CurrentLease.find().isPresent();
        }
    }

    @Test
    void enabled_off_runsMethodsWithoutLocksAndHasNoClient() {
        try (ConfigurableApplicationContext context =
                Apps.with(FreePort.find(), Map.of("unlocked", Unlocked.class), "holdfast.enabled=false")) {
            assertEquals(0, context.getBeanNamesForType(Holdfast.class).length);
            assertNull(context.getBeanProvider(Holdfast.class).getIfAvailable());
            assertFalse(context.getBean(Unlocked.class).hasLease(null));
            assertEquals(
                    List.of("holdfastSwitchedOff"),
                    Stream.of(context.getBeanDefinitionNames())
                            .filter(name -> name.startsWith("holdfast"))
                            .toList(),
                    "nothing else of the starter");
        }
    }

    @Test
    void start_embedded_sharesTheServerOfThisMachine(@TempDir Path home) throws Exception {
        System.setProperty("holdfast.embedded.home", home.toString());
        System.setProperty("holdfast.embedded.idleMillis", "100");
        try (ConfigurableApplicationContext context =
                        Apps.with(FreePort.find(), Map.of("work", Embedded.class), "holdfast.mode=embedded");
                ConfigurableApplicationContext another =
                        Apps.start(FreePort.find(), Apps.Plain.class, "holdfast.mode=embedded")) {
            assertTrue(context.getBean(Embedded.class).isLockedFor(another.getBean(Holdfast.class)));
            Lease lease = context.getBean(Holdfast.class).lock("left").acquire();
            assertTrue(lease.isValid());
            context.close();
            assertFalse(another.getBean(Holdfast.class).inspect().isLocked("left"), "released with the context");
        } finally {
            System.clearProperty("holdfast.embedded.home");
            System.clearProperty("holdfast.embedded.idleMillis");
        }
        // The server ends by itself when nobody is there any more; its folder is not removed before.
        for (ProcessHandle process : ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").contains(home + "/"))
                .toList()) {
            process.onExit().get(30, TimeUnit.SECONDS);
        }
    }

    static class Embedded {
        @Locked("machine")
        public boolean isLockedFor(Holdfast another) {
            return another.inspect().isLocked("machine");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {
        @Bean
        Holdfast mine(LettuceConnectionFactory factory) {
            return Holdfast.over(io.holdfast.lettuce.LettuceDriver.over(
                    (io.lettuce.core.RedisClient) factory.getRequiredNativeClient()));
        }
    }

    @Test
    void bean_ofTheApplication_isTheOnlyOneAndClosedInTime() throws Exception {
        ConfigurableApplicationContext context = Apps.start(server.port(), Own.class);
        assertEquals(1, context.getBeanNamesForType(Holdfast.class).length);
        context.getBean(Holdfast.class).lock("own").acquire();
        context.close();
        try (Holdfast other = Apps.connect(server.url())) {
            assertFalse(other.inspect().isLocked("own"));
        }
    }

    // ---- other connections

    /** Its template wants a single connection factory, too. */
    private static final String NOT_REACTIVE =
            "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.data.redis.RedisReactiveAutoConfiguration,"
                    + "org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration";

    private static final String NO_REPOSITORIES = "spring.data.redis.repositories.enabled=false";

    @Configuration(proxyBeanMethods = false)
    static class Two {
        @Bean
        LettuceConnectionFactory cache() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", 1));
        }

        @Bean
        LettuceConnectionFactory locks() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", server.port()));
        }
    }

    @Test
    void start_severalConnectionFactories_tellsWhatToDo() throws Exception {
        String told = failure(Two.class, NOT_REACTIVE, NO_REPOSITORIES);
        assertTrue(told.contains("cache, locks"), told);
        assertTrue(told.contains("holdfast.connection-factory"), told);
        try (ConfigurableApplicationContext context =
                Apps.start(Two.class, NOT_REACTIVE, NO_REPOSITORIES, "holdfast.connection-factory=locks")) {
            assertEquals("a", context.getBean(Holdfast.class).lock("two").call(lease -> "a"));
        }
        told = failure(Two.class, NOT_REACTIVE, NO_REPOSITORIES, "holdfast.connection-factory=lock");
        assertTrue(told.contains("'lock'") && told.contains("cache, locks"), told);
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutReconnect {
        @Bean
        LettuceConnectionFactory once() {
            return new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("localhost", server.port()),
                    LettuceClientConfiguration.builder()
                            .clientOptions(
                                    ClientOptions.builder().autoReconnect(false).build())
                            .build());
        }
    }

    @Test
    void start_clientWithoutReconnect_tellsWhatToDo() {
        String told = failure(WithoutReconnect.class);
        assertTrue(told.contains("'once'") && told.contains("autoReconnect"), told);
    }

    @Configuration(proxyBeanMethods = false)
    static class MasterAndReplicas {
        @Bean
        LettuceConnectionFactory fixed() {
            return new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("localhost", server.port()));
        }
    }

    @Test
    void start_fixedMasterAndReplicas_tellsWhatToDo() {
        String told = failure(MasterAndReplicas.class);
        assertTrue(told.contains("'fixed'") && told.contains("holdfast.url"), told);
    }

    @Test
    void start_noConnectionFactory_tellsWhatToDo() {
        String told = failure(
                Apps.Plain.class,
                "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration,"
                        + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration");
        assertTrue(told.contains("RedisConnectionFactory") && told.contains("holdfast.url"), told);
    }

    @Test
    void start_serverIsAway_failsWithItsAddress() {
        String told = failure(Apps.Plain.class, "spring.data.redis.port=" + FreePort.find());
        assertTrue(told.contains("redisConnectionFactory") && told.contains("localhost"), told);
        assertTrue(told.contains("Start the server, or correct what is set for it (spring.data.redis.*)"), told);
    }

    @Configuration(proxyBeanMethods = false)
    static class Jedis {
        @Bean
        JedisConnectionFactory jedis() {
            RedisStandaloneConfiguration at = new RedisStandaloneConfiguration("localhost", server.port());
            at.setDatabase(2);
            return new JedisConnectionFactory(at);
        }
    }

    @Test
    void start_overJedis_hasItsSettings() throws Exception {
        ConfigurableApplicationContext context = Apps.start(Jedis.class);
        context.getBean(Holdfast.class).lock("jedis").acquire();
        String there = server.url().replaceFirst("/\\d*$", "") + "/2";
        try (Holdfast other = Apps.connect(there)) {
            assertTrue(other.inspect().isLocked("jedis"));
            context.close();
            assertFalse(other.inspect().isLocked("jedis"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Secured {
        static RedisServer secured;

        @Bean
        LettuceConnectionFactory lettuce() {
            return new LettuceConnectionFactory(at());
        }

        static RedisStandaloneConfiguration at() {
            RedisStandaloneConfiguration at = new RedisStandaloneConfiguration("localhost", secured.port());
            at.setPassword("s3cret/@");
            return at;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecuredJedis {
        @Bean
        JedisConnectionFactory jedis() {
            return new JedisConnectionFactory(Secured.at());
        }
    }

    @Test
    void start_serverWithPassword_isThatOfTheConnectionFactory() throws Exception {
        try (RedisServer secured = RedisServer.start()) {
            secured.command("CONFIG", "SET", "requirepass", "s3cret/@");
            Secured.secured = secured;
            for (Class<?> each : new Class<?>[] {Secured.class, SecuredJedis.class}) {
                try (ConfigurableApplicationContext context = Apps.start(each)) {
                    assertEquals("a", context.getBean(Holdfast.class).lock("pw").call(lease -> "a"));
                }
            }
        }
    }

    /** Boot's own: whatever its name for the class is, the properties are the same. */
    @Test
    void start_withTls_hasTheCertificatesOfTheBundle(@TempDir Path folder) throws Exception {
        TestAuthority authority = TestAuthority.create(folder, "Our Authority");
        int port = FreePort.find();
        String trusted = "spring.ssl.bundle.pem.ours.truststore.certificate=file:" + authority.certificate();
        try (RedisServer secure = RedisServer.start(
                authority.serverArgs(port, authority.issue("server", "dns:localhost,ip:127.0.0.1"), false))) {
            String[][] ways = {
                {"spring.data.redis.ssl.bundle=ours"},
                {"spring.data.redis.url=rediss://localhost:" + port, "spring.data.redis.ssl.bundle=ours"},
                {"spring.data.redis.ssl.bundle=ours", "spring.data.redis.client-type=jedis"},
                {"holdfast.url=rediss://localhost:" + port, "holdfast.ssl-bundle=ours"}
            };
            for (String[] way : ways) {
                String[] properties = Arrays.copyOf(way, way.length + 1);
                properties[way.length] = trusted;
                try (ConfigurableApplicationContext context = Apps.start(port, Apps.Plain.class, properties)) {
                    assertTrue(
                            context.getBean(Holdfast.class)
                                    .lock("tls")
                                    .tryAcquire()
                                    .isPresent(),
                            way[0]);
                    try (Holdfast plain = Apps.connect(secure.url())) {
                        assertTrue(plain.inspect().isLocked("tls"), way[0]);
                    }
                }
            }
            String told = failure(Apps.Plain.class, "holdfast.url=rediss://localhost:" + port);
            assertTrue(told.contains("holdfast.url") && told.contains("CN=Our Authority"), told);
        }
    }

    // ---- other topologies

    @Configuration(proxyBeanMethods = false)
    static class Cluster {
        static RedisCluster cluster;

        @Bean
        LettuceConnectionFactory lettuce() {
            return new LettuceConnectionFactory(nodes());
        }

        static RedisClusterConfiguration nodes() {
            return new RedisClusterConfiguration(
                    cluster.addresses().stream().map(at -> at.hostAndPort()).collect(Collectors.toList()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ClusterJedis {
        @Bean
        JedisConnectionFactory jedis() {
            return new JedisConnectionFactory(Cluster.nodes());
        }
    }

    @Test
    void start_overACluster_locksOnAllItsNodes() throws Exception {
        try (RedisCluster cluster = RedisCluster.start()) {
            Cluster.cluster = cluster;
            for (Class<?> each : new Class<?>[] {Cluster.class, ClusterJedis.class}) {
                ConfigurableApplicationContext context = Apps.start(each);
                Holdfast holdfast = context.getBean(Holdfast.class);
                for (int i = 0; i < 20; i++) {
                    holdfast.lock("c" + i).acquire();
                }
                long used = cluster.masters().stream()
                        .filter(master -> master.command("DBSIZE").asLong() > 0)
                        .count();
                assertEquals(cluster.masters().size(), used, "masters with keys");
                context.close();
                try (Holdfast other = Apps.connect(
                        "redis-cluster://" + cluster.addresses().get(0).hostAndPort())) {
                    assertEquals(0, other.inspect().heldNames().count(), "released by " + each);
                }
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Sentinel {
        static RedisSentinels sentinels;

        @Bean
        LettuceConnectionFactory lettuce() {
            return new LettuceConnectionFactory(at());
        }

        static RedisSentinelConfiguration at() {
            RedisSentinelConfiguration at = new RedisSentinelConfiguration().master(RedisSentinels.NAME);
            sentinels.addresses().forEach(each -> at.sentinel(each.host(), each.port()));
            return at;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SentinelJedis {
        @Bean
        JedisConnectionFactory jedis() {
            return new JedisConnectionFactory(Sentinel.at());
        }
    }

    @Test
    void start_overSentinels_locksOnTheMaster() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            Sentinel.sentinels = sentinels;
            for (Class<?> each : new Class<?>[] {Sentinel.class, SentinelJedis.class}) {
                try (ConfigurableApplicationContext context = Apps.start(each)) {
                    context.getBean(Holdfast.class).lock("s").acquire();
                    try (Holdfast other = Apps.connect(sentinels.master().url())) {
                        assertTrue(other.inspect().isLocked("s"));
                    }
                }
            }
        }
    }

    private static String failure(String property) {
        return failure(Apps.Plain.class, property, "spring.data.redis.port=" + server.port());
    }

    private static String failure(Class<?> source, String... properties) {
        return Apps.messages(assertThrows(
                Exception.class, () -> Apps.start(source, properties).close()));
    }
}
