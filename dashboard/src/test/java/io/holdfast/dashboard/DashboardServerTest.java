package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.holdfast.Holdfast;
import io.holdfast.dashboard.DashboardServer.Options;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Who may see the page. */
final class DashboardServerTest {
    private Stage stage;

    @BeforeEach
    void start() {
        stage = new Stage();
    }

    @AfterEach
    void stop() throws Exception {
        stage.close();
    }

    @Test
    void address_works_onceAndTheNextIsTold() throws Exception {
        LinkedBlockingQueue<String> next = new LinkedBlockingQueue<>();
        DashboardServer server = stage.dashboard(Options.defaults().withOnUsed(next::add));
        String address = server.address();
        assertTrue(address.startsWith("http://127.0.0.1:"), address);
        Page nobody = Page.at(address.substring(0, address.indexOf('?')));
        assertEquals(401, nobody.get("").statusCode(), "without a token");
        assertEquals(401, nobody.get("app.js").statusCode());
        assertEquals(401, nobody.get("api/session").statusCode());
        assertEquals(401, nobody.get("api/stream").statusCode());
        assertEquals(401, nobody.get("?token=guessed").statusCode());
        HttpResponse<String> used = nobody.ask("GET", address, "");
        assertEquals(303, used.statusCode());
        assertEquals("/", used.headers().firstValue("Location").orElseThrow(), "the token stays in no history");
        String cookie = used.headers().firstValue("Set-Cookie").orElseThrow();
        assertTrue(cookie.contains("HttpOnly") && cookie.contains("SameSite="), cookie);
        assertEquals(401, nobody.ask("GET", address, "").statusCode(), "a second time");
        assertEquals(303, nobody.ask("GET", next.poll(20, TimeUnit.SECONDS), "").statusCode());
    }

    @Test
    void host_ofAnotherName_isRefused() throws Exception {
        int port = port(stage.dashboard(false));
        assertEquals(421, statusFor(port, "evil.example.com:" + port), "a name that leads here");
        assertEquals(421, statusFor(port, "localhost.example.com"));
        for (String ours : List.of("localhost:" + port, "LOCALHOST", "127.0.0.1:7400", "[::1]:" + port, "[::1]")) {
            assertEquals(401, statusFor(port, ours), ours); // known, and without a session
        }
    }

    @Test
    void host_thatItListensOn_isKnown() throws Exception {
        InetSocketAddress other = new InetSocketAddress("127.0.0.2", 0);
        DashboardServer server = stage.dashboard(Options.defaults().withListen(other));
        assertTrue(server.address().startsWith("http://127.0.0.2:"), server.address());
        assertEquals(200, Page.open(server).get("api/session").statusCode());
    }

    private static int port(DashboardServer server) {
        String address = server.address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1, address.indexOf("/?")));
    }

    /** By hand: the JDK's client does not let a test say where it is. */
    private static int statusFor(int port, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(("GET /app.js HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            return Integer.parseInt(in.readLine().split(" ", 3)[1]);
        }
    }

    /** Whoever only begins requests has threads wait for the rest of them, but never the one that lets others in. */
    @Test
    void requests_thatNeverEnd_areNotWaitedForByThoseThatComeLater() throws Exception {
        DashboardServer server = stage.dashboard(false);
        int port = port(server);
        List<Socket> begun = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * DashboardServer.THREADS; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                begun.add(socket);
                socket.setSoTimeout(50);
                socket.getOutputStream().write('G');
            }
            long end = System.nanoTime() + Page.PATIENCE.toNanos();
            int waiting = begun.size();
            while (waiting > DashboardServer.THREADS) {
                assertTrue(System.nanoTime() < end, waiting + " are neither served nor sent away");
                waiting = 0;
                for (Socket socket : begun) {
                    waiting += isOpen(socket) ? 1 : 0;
                }
            }
        } finally {
            for (Socket socket : begun) {
                socket.close();
            }
        }
    }

    @Test
    void requests_aHundredThatDoNotEnd_keepNoPageOut() throws Exception {
        DashboardServer server = stage.dashboard(false);
        Page page = Page.open(server);
        List<Socket> begun = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server));
                begun.add(socket);
                socket.getOutputStream().write('G');
            }
            assertEquals(200, page.get("api/session").statusCode());
        } finally {
            for (Socket socket : begun) {
                socket.close();
            }
        }
    }

    /** Whether the other side has not ended the connection. */
    private static boolean isOpen(Socket socket) {
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void password_wrongOrRight_isAskedForAndCompared() throws Exception {
        DashboardServer server = stage.dashboard(Options.defaults().withPassword("correct horse"));
        Page page = Page.at(server.address());
        assertFalse(server.address().contains("token"));
        HttpResponse<String> asked = page.get("");
        assertEquals(401, asked.statusCode());
        assertTrue(asked.body().contains("type=\"password\""), asked.body());
        assertEquals(200, page.get("app.css").statusCode());
        assertEquals(401, page.get("app.js").statusCode());
        String login = page.root + "login";
        assertEquals(401, page.ask("POST", login, "password=wrong").statusCode());
        assertEquals(
                403,
                page.ask("POST", login, "password=correct+horse", "Sec-Fetch-Site", "cross-site")
                        .statusCode());
        // One try a second from one address: until it is over the right one is refused too.
        HttpResponse<String> right = page.ask("POST", login, "password=correct+horse");
        long end = System.nanoTime() + Page.PATIENCE.toNanos();
        while (right.statusCode() == 401 && System.nanoTime() < end) {
            LockSupport.parkNanos(100_000_000);
            right = page.ask("POST", login, "password=correct+horse");
        }
        assertEquals(303, right.statusCode());
        assertTrue(right.headers().firstValue("Set-Cookie").isPresent());
    }

    @Test
    void password_othersGuess_isAcceptedAtOnce() throws Exception {
        DashboardServer server =
                stage.dashboard(Options.defaults().withPassword("correct horse").withBehindProxy(true));
        Page page = Page.at(server.address());
        String login = page.root + "login";
        for (int i = 0; i < 20; i++) {
            HttpResponse<String> guess = page.ask("POST", login, "password=" + i, "X-Forwarded-For", "10.0.0.1");
            assertEquals(401, guess.statusCode());
        }
        String ours = "10.0.0.1, 10.0.0.2"; // the proxy's own word is the last
        HttpResponse<String> right = page.ask("POST", login, "password=correct+horse", "X-Forwarded-For", ours);
        assertEquals(303, right.statusCode());
    }

    @Test
    void network_ofAnAddress_isWhatOneMachineCanHave() {
        assertEquals("192.0.2.7", Sessions.network("192.0.2.7"));
        assertEquals("2001:db8:1:2", Sessions.network("2001:db8:1:2:3:4:5:6"));
        assertEquals("2001:db8:0:0", Sessions.network("2001:db8::5:6"));
        assertEquals("2001:db8:0:0", Sessions.network("2001:db8:0:0:9:9:9:9"));
        assertEquals(":0:0:0", Sessions.network("::1"));
    }

    @Test
    void head_asksForHeadersOnly() throws Exception {
        Page page = Page.open(stage.dashboard(false));
        HttpResponse<String> head = page.ask("HEAD", page.root + "app.js", "");
        assertEquals(200, head.statusCode());
        assertEquals("", head.body());
        assertEquals(
                page.get("app.js").headers().firstValue("Content-Length"),
                head.headers().firstValue("Content-Length"));
        assertEquals(405, page.ask("HEAD", page.root + "api/stream", "").statusCode());
    }

    @Test
    void options_whatOthersCanReach_needsAPasswordAndTls() throws Exception {
        InetSocketAddress open = new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0);
        assertRefused("a password, and TLS", () -> Options.defaults().withListen(open));
        assertRefused(
                "TLS, its own or", () -> Options.defaults().withPassword("x").withListen(open));
        assertRefused(
                "a password", () -> Options.defaults().withBehindProxy(true).withListen(open));
        assertEquals(
                open,
                Options.defaults()
                        .withPassword("x")
                        .withBehindProxy(true)
                        .withListen(open)
                        .listen());
        assertThrows(IllegalArgumentException.class, () -> Options.defaults().withPassword(""));
    }

    private static void assertRefused(String words, Executable making) {
        String message = String.valueOf(
                assertThrows(IllegalArgumentException.class, making).getMessage());
        assertTrue(message.contains(words), message);
    }

    @Test
    void start_portIsTaken_isSaid() throws Exception {
        DashboardServer server = stage.dashboard(false);
        InetSocketAddress same = new InetSocketAddress(InetAddress.getLoopbackAddress(), port(server));
        assertThrows(IOException.class, () -> stage.dashboard(Options.defaults().withListen(same)));
    }

    /** Until the first look is over, nothing is known: that is not the same as nothing being held. */
    @Test
    void stream_whileTheFirstLookTakesLong_tellsNothing() throws Exception {
        Holdfast patient =
                stage.later(Holdfast.connect(stage.server.url(), Stage.EACH_QUEUED.withCommandTimeout(Page.PATIENCE)));
        stage.server.freeze();
        Page page = Page.open(stage.later(DashboardServer.start(patient, Options.defaults())));
        try (Page.Stream stream = page.new Stream()) {
            String line = stream.line();
            while (!line.equals(":")) { // somebody is there
                assertFalse(line.startsWith("event"), line);
                line = stream.line();
            }
            stage.server.thaw();
            JsonObject first = stream.next();
            assertEquals("all", first.get("event").getAsString());
            assertTrue(first.getAsJsonObject("server").get("reachable").getAsBoolean(), first.toString());
        }
    }
}
