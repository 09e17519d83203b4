package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TestAuthority;
import io.holdfast.contracts.servers.TestAuthority.Issued;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates on the command line, with a server that wants one of the client. */
final class CertificatesTest {
    private static TestAuthority authority;
    private static Issued client;
    private static RedisServer server;
    private static int port;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        authority = TestAuthority.create(folder, "Our Authority");
        client = authority.issue("client", "dns:client.example");
        Issued shown = authority.issue("server", "dns:localhost,ip:127.0.0.1");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        server = RedisServer.start(authority.serverArgs(port, shown, true));
    }

    @AfterAll
    static void close() {
        server.close();
    }

    private static Said ls(String... more) {
        List<String> words = new ArrayList<>(List.of("ls", "--url", "rediss://127.0.0.1:" + port));
        words.addAll(List.of(more));
        return Said.by(words.toArray(String[]::new));
    }

    private static String authorities() {
        return authority.certificate().toString();
    }

    @Test
    void ls_authorityAndCertificate_areUsed() {
        Said said = ls(
                "--cacert",
                authorities(),
                "--cert",
                client.certificate().toString(),
                "--key",
                client.key().toString());
        assertEquals(0, said.status(), said.err());
    }

    @Test
    void ls_certificateAndKeyInOneFile_isUsed(@TempDir Path folder) throws IOException {
        Path both = Files.writeString(
                folder.resolve("both.pem"), Files.readString(client.certificate()) + Files.readString(client.key()));
        Said said = ls("--cacert", authorities(), "--cert", both.toString());
        assertEquals(0, said.status(), said.err());
    }

    @Test
    void ls_authorityNotGiven_saysHow() {
        Said said = ls();
        assertEquals(69, said.status());
        assertTrue(said.err().contains("CN=Our Authority") && said.err().contains("--cacert"), said.err());
    }

    @Test
    void ls_certificateNotGiven_saysHow() {
        Said said = ls("--cacert", authorities());
        assertEquals(69, said.status());
        assertTrue(said.err().contains("asks for a client's certificate"), said.err());
        assertTrue(said.err().contains("--cert and --key"), said.err());
    }

    @Test
    void ls_filesAreNoGood_endsWith64AndNamesThem(@TempDir Path folder) {
        String missing = folder.resolve("missing.pem").toString();
        String certificate = client.certificate().toString();
        for (String[] each : new String[][] {
            {"--cacert", missing},
            {"--cacert", client.key().toString()},
            {"--cert", certificate, "--key", missing},
            {"--cert", certificate, "--key", authority.certificate().toString()},
            {"--cert", certificate},
        }) {
            Said said = ls(each);
            assertEquals(64, said.status(), said.err());
            assertTrue(said.err().contains(each[each.length - 1]), said.err());
        }
        assertEquals(64, ls("--key", client.key().toString()).status());
        assertEquals(64, ls("--cacert", "").status());
    }

    @Test
    void ls_optionForTlsAndAnAddressWithout_endsWith64() {
        Said said = Said.by("ls", "--url", server.url(), "--cacert", authorities());
        assertEquals(64, said.status());
        assertTrue(said.err().contains("rediss"), said.err());
        assertEquals(
                64, Said.by("ls", "--url", "local", "--cacert", authorities()).status());
    }

    @Test
    void run_variables_areUsedForAddressesWithTlsOnly() throws Exception {
        Map<String, String> variables = Map.of(
                "HOLDFAST_CACERT", authorities(),
                "HOLDFAST_CERT", client.certificate().toString(),
                "HOLDFAST_KEY", client.key().toString());
        for (String url : List.of("rediss://localhost:" + port, server.url())) {
            try (Launched command = Launched.holdfast(variables, "run", "a", "--url", url, "--", "echo", "done")) {
                assertEquals(0, command.status(), command.err());
                assertEquals("done\n", command.out());
            }
        }
    }

    @Test
    void doctor_overTls_works() {
        Said said = Said.by(
                "doctor",
                "--url",
                "rediss://127.0.0.1:" + port,
                "--cacert",
                authorities(),
                "--cert",
                client.certificate().toString(),
                "--key",
                client.key().toString());
        assertEquals(0, said.status(), said.out() + said.err());
    }
}
