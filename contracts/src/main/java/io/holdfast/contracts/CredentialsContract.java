package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The contract of a supplier of credentials: drivers call it whenever they connect, and never reveal a password. */
public class CredentialsContract extends DriverFixture {
    /** For the classes of the drivers. */
    @SuppressWarnings("NullAway.Init") // the server is started before each test
    protected CredentialsContract() {}

    private void allow(String user, String password) {
        server.command("ACL", "SETUSER", user, "resetpass", "on", ">" + password, "~*", "&*", "+@all");
    }

    private RedisAddress address(String userInfo) {
        return RedisAddress.parse("redis://" + userInfo + "127.0.0.1:" + server.port());
    }

    private RedisDriver connect(RedisAddress address, Supplier<Credentials> credentials) {
        return provider().connect(address, OPTIONS.withCredentials(credentials));
    }

    private static String user(RedisDriver driver) {
        return get(driver.send(Command.of("ACL", "WHOAMI"))).asString();
    }

    /** Cuts all connections of a user off. */
    private void cut(String user) {
        server.command("CLIENT", "KILL", "USER", user);
    }

    @Test
    void connect_credentialsFromSupplier_areUsedInPlaceOfThoseOfTheAddress() {
        allow("alice", "pa ss:w/örd");
        try (RedisDriver other = connect(address("bob:wrong@"), () -> Credentials.of("alice", "pa ss:w/örd"))) {
            assertEquals("alice", user(other));
            subscribe(other, "news");
            try (RedisDriver another = other.another("k")) {
                assertEquals("alice", user(another));
            }
        }
    }

    @Test
    void connect_userInTheAddressAndPasswordFromSupplier_areUsedTogether() {
        allow("alice", "one");
        try (RedisDriver other = connect(address("alice@"), () -> Credentials.ofPassword("one"))) {
            assertEquals("alice", user(other));
        }
    }

    @Test
    void reconnect_passwordRotated_usesTheNewOne() {
        allow("alice", "one");
        Rotated password = new Rotated("one");
        try (RedisDriver other = connect(address("alice@"), password)) {
            RecordedEvents events = listen(other);
            BlockingQueue<String> messages = subscribe(other, "news");
            allow("alice", "two");
            password.now = "two";
            cut("alice");
            events.awaitCommands("down");
            events.awaitMessages("down");
            events.awaitCommands("up");
            events.awaitMessages("up");
            assertEquals("alice", user(other));
            server.command("PUBLISH", "news", "x");
            assertEquals("x", next(messages));
        }
    }

    @Test
    void reconnect_passwordRotatedBeforeTheSupplierHasIt_comesBackWhenItDoes() {
        allow("alice", "one");
        Rotated password = new Rotated("one");
        try (RedisDriver other = connect(address("alice@"), password)) {
            RecordedEvents events = listen(other);
            allow("alice", "two");
            int before = password.asked.get();
            cut("alice");
            events.awaitCommands("down");
            awaitTrue(() -> password.asked.get() >= before + 3); // refused twice at least
            password.now = "two";
            events.awaitCommands("up");
            assertEquals("alice", user(other));
        }
    }

    @Test
    void reconnect_supplierThrows_isAskedAgainUntilItAnswers() {
        allow("alice", "one");
        Rotated password = new Rotated("one");
        try (RedisDriver other = connect(address("alice@"), password)) {
            RecordedEvents events = listen(other);
            password.failing = true;
            int before = password.asked.get();
            cut("alice");
            events.awaitCommands("down");
            awaitTrue(() -> password.asked.get() >= before + 3);
            assertUnknown(other.send(Command.of("PING")));
            password.failing = false;
            events.awaitCommands("up");
            assertEquals("alice", user(other));
        }
    }

    @Test
    void connect_supplierThrows_isUnknownWithItsExceptionAsTheCause() {
        Rotated password = new Rotated("one");
        password.failing = true;
        DriverException e = assertThrows(DriverException.class, () -> connect(address("alice@"), password));
        assertEquals(Kind.UNKNOWN, e.kind());
        assertInstanceOf(Sealed.class, e.getCause());
        assertTrue(String.valueOf(e.getMessage()).contains("127.0.0.1:" + server.port()), e.toString());
        assertTrue(String.valueOf(e.getMessage()).contains("the vault is sealed"), e.toString());
    }

    @Test
    void connect_supplierAnswersNothing_endsAfterTheTimeout() {
        CountDownLatch end = new CountDownLatch(1);
        ConnectOptions brief = new ConnectOptions(Duration.ofMillis(300), "holdfast").withCredentials(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Credentials.ofPassword("late");
        });
        long begin = System.nanoTime();
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(server.address(), brief));
        end.countDown();
        assertEquals(Kind.UNKNOWN, e.kind());
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        assertTrue(millis >= 290 && millis < 5_000, millis + " ms");
    }

    /** As servers do that do not know a command: proxies, and such as have AUTH renamed. */
    @Test
    void connect_serverRepeatsWhatItDoesNotUnderstand_thePasswordIsInNoMessage() throws IOException {
        try (ServerSocket listening = FreePort.listen(FreePort.find())) {
            TcpProxy.start("no-redis", () -> {
                while (!listening.isClosed()) {
                    try (Socket client = listening.accept()) {
                        byte[] octets = new byte[4_096];
                        for (int count; (count = client.getInputStream().read(octets)) > 0; ) {
                            long commands = new String(octets, 0, count, StandardCharsets.UTF_8)
                                    .chars()
                                    .filter(c -> c == '*')
                                    .count();
                            String answer =
                                    "-ERR unknown command `AUTH`, with args beginning with: `alice`, `sesame`, \r\n";
                            client.getOutputStream()
                                    .write(answer.repeat((int) commands).getBytes(StandardCharsets.UTF_8));
                        }
                    } catch (IOException e) {
                        // The driver has hung up, or the test is over.
                    }
                }
            });
            RedisAddress address = new RedisAddress("127.0.0.1", listening.getLocalPort(), false, null, null, 0);
            DriverException e = assertThrows(
                    DriverException.class, () -> connect(address, () -> Credentials.of("alice", "sesame")));
            StringWriter everything = new StringWriter();
            e.printStackTrace(new PrintWriter(everything));
            assertFalse(everything.toString().contains("sesame"), everything.toString());
            assertEquals("ERR unknown command `AUTH`", e.getMessage());
        }
    }

    private static final class Sealed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Sealed() {
            super("the vault is sealed");
        }
    }

    /** A password that changes. */
    private static final class Rotated implements Supplier<Credentials> {
        final AtomicInteger asked = new AtomicInteger();
        volatile String now;
        volatile boolean failing;

        Rotated(String now) {
            this.now = now;
        }

        @Override
        public Credentials get() {
            asked.incrementAndGet();
            if (failing) {
                throw new Sealed();
            }
            return Credentials.ofPassword(now);
        }
    }
}
