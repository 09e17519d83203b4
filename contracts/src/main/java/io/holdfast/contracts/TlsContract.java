package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TestAuthority;
import io.holdfast.contracts.servers.TestAuthority.Issued;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted connections with certificates that the application names, to a real server. */
public class TlsContract extends DriverFixture {
    private static TestAuthority authority;
    private static TestAuthority foreign;
    private static Issued good;
    private static Issued elsewhere;
    private static Issued expired;
    private static Issued client;
    private static Issued stranger;

    private final int port = FreePort.find();
    private RedisServer secure;

    /** For the classes of the drivers. */
    @SuppressWarnings("NullAway.Init") // all is made before the tests
    protected TlsContract() {}

    @BeforeAll
    static void issue(@TempDir Path folder, @TempDir Path other) {
        authority = TestAuthority.create(folder, "Our Authority");
        foreign = TestAuthority.create(other, "Another Authority");
        good = authority.issue("server", "dns:localhost,ip:127.0.0.1");
        elsewhere = authority.issue("elsewhere", "dns:locks.example,dns:locks-2.example,ip:192.0.2.7");
        expired = authority.issue("expired", "ip:127.0.0.1", "-startdate", "-3d", "-validity", "1");
        client = authority.issue("client", "dns:client.example");
        stranger = foreign.issue("client", "dns:client.example");
    }

    @AfterEach
    void closeSecure() {
        if (secure != null) {
            secure.close();
        }
    }

    private void start(Issued certificate, boolean clientsShowThemselves) {
        secure = RedisServer.start(authority.serverArgs(port, certificate, clientsShowThemselves));
    }

    private RedisDriver connect(Tls tls) {
        return provider().connect(new RedisAddress("127.0.0.1", port, true, null, null, 0), OPTIONS.withTls(tls));
    }

    private static Tls ours() {
        return Tls.defaults().withAuthorities(authority.certificate());
    }

    private void assertWorks(RedisDriver driver) {
        BlockingQueue<String> messages = subscribe(driver, "news");
        get(driver.send(Command.of("SET", "k", "x".repeat(100_000))));
        secure.command("PUBLISH", "news", "x");
        assertEquals("x", next(messages));
        assertEquals(100_000, secure.command("STRLEN", "k").asLong());
    }

    private void assertRefused(Tls tls, String... words) {
        DriverException e = assertThrows(DriverException.class, () -> connect(tls));
        assertEquals(Kind.UNKNOWN, e.kind());
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains("127.0.0.1:" + port), message);
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
    }

    @Test
    void connect_authorityOfOurOwn_works() {
        start(good, false);
        try (RedisDriver other = connect(ours())) {
            assertWorks(other);
            try (RedisDriver another = other.another("k")) {
                get(another.send(Command.of("GET", "k")));
            }
        }
    }

    @Test
    void connect_authorityThatIsNotTrusted_saysWhichAndWhatToDo() {
        start(good, false);
        assertRefused(Tls.defaults(), "CN=Our Authority", "this JVM trusts", "Tls.withAuthorities", "--cacert");
        assertRefused(
                Tls.defaults().withAuthorities(foreign.certificate()),
                "CN=Our Authority",
                foreign.certificate().toString());
    }

    @Test
    void connect_certificateForOtherHosts_saysForWhich() {
        start(elsewhere, false);
        assertRefused(ours(), "locks.example, locks-2.example, 192.0.2.7", "not for '127.0.0.1'");
    }

    @Test
    void connect_certificateForTheNameThatIsExpected_works() {
        start(elsewhere, false);
        try (RedisDriver other = connect(ours().withServerName("locks-2.example"))) {
            assertWorks(other);
        }
        assertRefused(ours().withServerName("locks-3.example"), "not for 'locks-3.example'");
    }

    @Test
    void connect_certificateExpired_saysSince() {
        start(expired, false);
        assertRefused(ours(), "expired on 20");
    }

    @Test
    void connect_serverAsksForACertificate_thatOfTheClientIsShown() {
        start(good, true);
        try (RedisDriver other = connect(ours().withCertificate(client.certificate(), client.key()))) {
            assertWorks(other);
        }
    }

    @Test
    void connect_serverAsksForACertificateAndThereIsNone_saysSo() {
        start(good, true);
        assertRefused(ours(), "asks for a client's certificate", "Tls.withCertificate", "--cert");
    }

    @Test
    void connect_serverDoesNotTrustTheClientsCertificate_saysSo() {
        start(good, true);
        assertRefused(ours().withCertificate(stranger.certificate(), stranger.key()), "client's certificate");
    }

    @Test
    void connect_overAContextOfTheApplication_works() throws Exception {
        start(good, false);
        AtomicInteger asked = new AtomicInteger();
        SSLContext context = contextOfTheApplication(authority);
        Tls tls = Tls.over(() -> {
            asked.incrementAndGet();
            return context;
        });
        try (RedisDriver other = connect(tls)) {
            assertWorks(other);
            assertTrue(asked.get() >= 2, "asked " + asked + " times for two connections");
        }
    }

    @Test
    void connect_overAContextOfTheApplicationThatDoesNotTrust_saysSo() throws Exception {
        start(good, false);
        assertRefused(
                Tls.over(contextOfTheApplication(foreign)), "not signed by an authority that the SSLContext trusts");
    }

    @Test
    void connect_overAContextOfTheApplicationAndCertificateForOtherHosts_isRefused() throws Exception {
        start(elsewhere, false);
        assertRefused(Tls.over(contextOfTheApplication(authority)), "127.0.0.1");
    }

    private static SSLContext contextOfTheApplication(TestAuthority trusted)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var in = Files.newInputStream(trusted.certificate())) {
            store.setCertificateEntry(
                    "a", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @Test
    void reconnect_certificatesRenewedOnDisk_usesTheNewOnes(@TempDir Path folder, @TempDir Path later)
            throws IOException {
        Path trusted = folder.resolve("ca.pem");
        Files.copy(authority.certificate(), trusted);
        Issued shown = new Issued(folder.resolve("server.crt"), folder.resolve("server.key"));
        copy(good, shown);
        start(shown, false);
        try (RedisDriver other = connect(Tls.defaults().withAuthorities(trusted))) {
            RecordedEvents events = listen(other);
            TestAuthority renewed = TestAuthority.create(later, "Our New Authority");
            copy(renewed.issue("server", "ip:127.0.0.1"), shown);
            Files.copy(renewed.certificate(), trusted, StandardCopyOption.REPLACE_EXISTING);
            secure.restart();
            events.awaitCommands("down");
            events.awaitCommands("up");
            assertWorks(other);
        }
    }

    private static void copy(Issued from, Issued to) throws IOException {
        Files.copy(from.certificate(), to.certificate(), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(from.key(), to.key(), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void reconnect_authorityFileIsMissing_comesBackWhenItIsThere(@TempDir Path folder) throws IOException {
        Path trusted = folder.resolve("ca.pem");
        Path aside = folder.resolve("aside.pem");
        Files.copy(authority.certificate(), trusted);
        start(good, false);
        try (RedisDriver other = connect(Tls.defaults().withAuthorities(trusted))) {
            RecordedEvents events = listen(other);
            Files.move(trusted, aside);
            DriverException e = assertThrows(
                    DriverException.class, () -> connect(Tls.defaults().withAuthorities(trusted)));
            assertTrue(String.valueOf(e.getMessage()).contains(trusted + " does not exist"), e.toString());
            secure.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            events.awaitCommands("down");
            assertUnknown(other.send(Command.of("PING")));
            Files.move(aside, trusted);
            events.awaitCommands("up");
            assertWorks(other);
        }
    }
}
