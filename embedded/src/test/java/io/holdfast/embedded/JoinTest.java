package io.holdfast.embedded;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisAddress;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JoinTest {
    @TempDir
    Path temporary;

    @Test
    void provider_isFound() {
        assertEquals(
                SharedServerProvider.class,
                ServiceLoader.load(EmbeddedServerProvider.class)
                        .findFirst()
                        .orElseThrow()
                        .getClass());
    }

    @Test
    @SuppressWarnings("try") // closing twice is what is tested
    void join_twiceInOneProcess_sameAddress() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer first = sandbox.join();
                EmbeddedServer second = sandbox.join()) {
            RedisAddress address = first.address();
            assertEquals(address, second.address());
            assertEquals("127.0.0.1", address.host());
            second.close();
            second.close();
            try (RawClient client = new RawClient(address.port())) {
                assertEquals("+OK", client.ask("AUTH " + address.password()));
                assertEquals("+PONG", client.ask("PING"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void join_processesAtTheSameInstant_oneServer(int count) throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS)) {
            List<Child> children = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                children.add(sandbox.child());
            }
            for (Child child : children) {
                child.awaitReady();
            }
            for (Child child : children) {
                child.sendJoin();
            }
            Set<String> joined = new HashSet<>();
            for (Child child : children) {
                joined.add(requireNonNull(child.joined()));
            }
            ServerRecord record = sandbox.record();
            assertEquals(Set.of(record.port() + " " + record.password()), joined);
            assertEquals(List.of(sandbox.server()), sandbox.running("/redis-server-"));
            assertTrue(sandbox.keeper().isAlive());
        }
    }

    @Test
    void join_threadsAtTheSameInstant_oneServer() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS)) {
            List<RedisAddress> addresses = Stream.generate(() -> sandbox)
                    .limit(8)
                    .parallel()
                    .map(it -> {
                        try (EmbeddedServer server = it.join()) {
                            return server.address();
                        }
                    })
                    .toList();
            assertEquals(1, Set.copyOf(addresses).size());
        }
    }

    @Test
    void join_interrupted_errorAndStillInterrupted() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS)) {
            Thread.currentThread().interrupt();
            DriverException error = assertThrows(DriverException.class, sandbox::join);
            assertTrue(Thread.interrupted());
            assertTrue(String.valueOf(error.getMessage()).contains("interrupted"), error::toString);
        }
    }

    @Test
    void files_ofRunningServer_private() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer server = sandbox.join();
                Stream<Path> files = Files.walk(sandbox.folder())) {
            assertEquals(sandbox.record().port(), server.address().port());
            for (Path file : files.toList()) {
                boolean executable =
                        Files.isDirectory(file) || file.getFileName().toString().startsWith("redis-server-");
                assertEquals(
                        executable ? "rwx------" : "rw-------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                        file::toString);
            }
            assertTrue(Files.exists(sandbox.folder().resolve(StateFolder.ADDRESS)));
        }
    }

    @Test
    void server_withoutPassword_refuses() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer server = sandbox.join();
                RawClient client = new RawClient(server.address().port())) {
            assertEquals("-NOAUTH Authentication required.", client.ask("PING"));
            assertTrue(String.valueOf(client.ask("AUTH wrong")).startsWith("-WRONGPASS"));
        }
    }

    @Test
    void server_otherAddressesOfThisMachine_notListening() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer server = sandbox.join()) {
            List<InetAddress> others = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.getHostAddress().equals("127.0.0.1"))
                    .toList();
            for (InetAddress other : others) {
                assertThrows(
                        ConnectException.class,
                        () -> new Socket(other, server.address().port()).close(),
                        other::toString);
            }
        }
    }

    @Test
    void password_random_longAndOnNoCommandLine() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer server = sandbox.join()) {
            String password = requireNonNull(server.address().password());
            assertTrue(password.length() >= 32, "128 bits");
            Process ps = new ProcessBuilder("ps", "-e", "-o", "args").start();
            String shown = new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, ps.waitFor());
            assertTrue(shown.contains(Keeper.class.getName()), shown);
            assertTrue(!shown.contains(password));
            assertTrue(
                    !Files.readString(sandbox.folder().resolve(StateFolder.LOG)).contains(password));
        }
    }

    @Test
    void server_settings_nothingOnDiskNothingEvicted() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer server = sandbox.join();
                RawClient client = RawClient.of(sandbox.record())) {
            assertEquals(sandbox.record().port(), server.address().port());
            assertEquals("+OK", client.ask("SET key value"));
            String policy = "";
            client.ask("CONFIG GET maxmemory-policy");
            for (int line = 0; line < 4; line++) {
                policy = String.valueOf(client.readLine());
            }
            assertEquals("noeviction", policy);
        }
        try (Stream<Path> files = Files.list(temporary.resolve("home"))) {
            assertTrue(files.noneMatch(file -> file.toString().endsWith(".rdb")));
        }
    }

    @Test
    void join_folderWithSpacesAndQuotes_works() throws Exception {
        Path parent = Files.createDirectory(temporary.resolve("a \"b\" c\\d 'e'"));
        try (Sandbox sandbox = Sandbox.in(parent, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer server = sandbox.join()) {
            assertEquals(sandbox.record().port(), server.address().port());
        }
    }

    @Test
    void join_socksProxyConfigured_goesStraightToTheServer() throws Exception {
        System.setProperty("socksProxyHost", "192.0.2.1");
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer server = sandbox.join()) {
            assertEquals(sandbox.record().port(), server.address().port());
        } finally {
            System.clearProperty("socksProxyHost");
        }
    }
}
