package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code holdfast dashboard}. */
final class ShowDashboardTest {
    private static HttpResponse<String> get(String address, String cookie) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(address))
                                .header("Cookie", cookie)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void dashboard_itsAddressUsed_opensThePageAndPrintsTheNext() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched dashboard = Launched.holdfast("dashboard", "--url", server.url(), "--allow-changes")) {
            dashboard.awaitOut("/?token=");
            dashboard.awaitOut("\n");
            String address = dashboard.out().strip();
            HttpResponse<String> opened = get(address, "none=1");
            assertEquals(303, opened.statusCode(), opened.body());
            String cookie = opened.headers().firstValue("Set-Cookie").orElseThrow();
            String root = address.substring(0, address.indexOf('?'));
            String session = get(root + "api/session", cookie.substring(0, cookie.indexOf(';')))
                    .body();
            assertTrue(session.contains("\"changes\":true"), session);
            assertTrue(session.contains("\"server\":\"" + server.url()), session);
            Launched.await("the next address", () -> dashboard.out().lines().count() == 2);
            assertFalse(dashboard.out().endsWith(address + "\n"), "an address works once");
            dashboard.signal("INT");
            assertEquals(0, dashboard.status());
        }
    }

    @Test
    void dashboard_portIsTaken_saysWhatToGive() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            Said said = Said.by(server, "dashboard", "--listen", Integer.toString(server.port()));
            assertEquals(ExitStatus.UNREACHABLE, said.status());
            assertTrue(said.err().contains("--listen"), said.err());
            assertEquals("", said.out());
        }
    }

    @Test
    void dashboard_whereOthersCanReachIt_wantsAPasswordAndTls(@TempDir Path folder) throws Exception {
        Said open = Said.by("dashboard", "--url", "redis://127.0.0.1:1", "--listen", "0.0.0.0:0");
        assertEquals(ExitStatus.USAGE, open.status());
        assertTrue(open.err().contains("needs a password, and TLS"), open.err());
        Path password = Files.writeString(folder.resolve("password"), "secret\n");
        Said plain = Said.by(
                "dashboard",
                "--url",
                "redis://127.0.0.1:1",
                "--listen",
                "0.0.0.0:0",
                "--page-password-file",
                password.toString());
        assertEquals(ExitStatus.USAGE, plain.status());
        assertTrue(plain.err().contains("needs TLS"), plain.err());
        Said half = Said.by("dashboard", "--url", "redis://127.0.0.1:1", "--page-cert", "cert.pem");
        assertTrue(half.err().contains("belong together"), half.err());
    }

    @ParameterizedTest
    @CsvSource({"7400,127.0.0.1,7400", "127.0.0.1:0,127.0.0.1,0", "[::1]:7400,::1,7400"})
    void place_ofHostAndPort_isThat(String text, String host, int port) throws Exception {
        assertEquals(InetAddress.getByName(host), ShowDashboard.address(text).getAddress());
        assertEquals(port, ShowDashboard.address(text).getPort());
    }

    @ParameterizedTest
    @CsvSource({"host", "127.0.0.1:x", "127.0.0.1:70000", "no-such-host.invalid:1"})
    void place_thatIsNone_isRefused(String text) {
        assertThrows(UsageException.class, () -> ShowDashboard.address(text));
    }
}
