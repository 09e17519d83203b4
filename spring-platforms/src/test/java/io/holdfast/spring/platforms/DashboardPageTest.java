package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.servers.RedisServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.CookieManager;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.session.MapSession;
import org.springframework.session.MapSessionRepository;
import org.springframework.session.config.annotation.web.http.EnableSpringHttpSession;

/** The page that shows locks live, in the application's own web server. */
@Timeout(60)
final class DashboardPageTest {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ConfigurableApplicationContext app(String... more) {
        String[] properties = new String[more.length + 2];
        System.arraycopy(more, 0, properties, 2, more.length);
        properties[0] = "spring.data.redis.port=" + server.port();
        properties[1] = "server.port=0";
        return Apps.web(Apps.Plain.class, properties);
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
        return Apps.answer(Apps.request(context, path));
    }

    @Test
    void property_set_mountsThePageAndItsStream() throws Exception {
        try (ConfigurableApplicationContext context = app("holdfast.dashboard.enabled=true")) {
            assertTrue(get(context, "/holdfast/").body().contains("<title>Holdfast"));
            assertEquals(
                    "./holdfast/",
                    get(context, "/holdfast").headers().firstValue("Location").orElseThrow());
            assertEquals(404, get(context, "/holdfast/nothing").statusCode());
            try (Lease lease = context.getBean(Holdfast.class).lock("invoice/7").acquire()) {
                HttpResponse<InputStream> stream = HttpClient.newHttpClient()
                        .send(Apps.request(context, "/holdfast/api/stream").build(), BodyHandlers.ofInputStream());
                try (BufferedReader lines =
                        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
                    String line = lines.readLine();
                    while (!line.contains("invoice/7")) { // in the first event, or when it is seen
                        line = lines.readLine();
                    }
                    assertTrue(line.contains("\"held\":1"), line);
                }
                assertTrue(lease.isValid());
                String session = get(context, "/holdfast/api/session").body();
                assertTrue(
                        session.contains("\"server\":\"127.0.0.1:" + server.port())
                                || session.contains("\"server\":\"localhost:"),
                        session);
                HttpResponse<String> refused = HttpClient.newHttpClient()
                        .send(
                                Apps.request(context, "/holdfast/api/act")
                                        .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                        .build(),
                                BodyHandlers.ofString());
                assertEquals(403, refused.statusCode());
            }
        }
    }

    @Test
    void changes_allowed_areMadeWithWhatTheSessionSays() throws Exception {
        try (ConfigurableApplicationContext context = app(
                "holdfast.dashboard.enabled=true",
                "holdfast.dashboard.path=/ops/locks",
                "holdfast.dashboard.allow-changes=true")) {
            Lease lease = context.getBean(Holdfast.class).lock("invoice/7").acquire();
            Matcher token = Pattern.compile("\"X-Holdfast-Act\":\"(\\w+)\"")
                    .matcher(get(context, "/ops/locks/api/session").body());
            assertTrue(token.find());
            HttpResponse<String> done = HttpClient.newHttpClient()
                    .send(
                            Apps.request(context, "/ops/locks/api/act")
                                    .header("Content-Type", "application/json")
                                    .header("X-Holdfast-Act", token.group(1))
                                    .POST(HttpRequest.BodyPublishers.ofString(
                                            "{\"act\":\"release\",\"kind\":\"lock\",\"name\":\"invoice/7\",\"owner\":\""
                                                    + lease.owner() + "\",\"token\":\"" + lease.token() + "\"}"))
                                    .build(),
                            BodyHandlers.ofString());
            assertTrue(done.body().startsWith("{\"done\":true,"), done.body());
        }
    }

    /** The web server waits for what is under way when it ends, and the stream of a page is never over by itself. */
    @Test
    void close_aPageIsOpen_isNotWaitedFor() throws Exception {
        ConfigurableApplicationContext context = app(
                "holdfast.dashboard.enabled=true",
                "server.shutdown=graceful",
                "spring.lifecycle.timeout-per-shutdown-phase=10m");
        HttpResponse<InputStream> stream = HttpClient.newHttpClient()
                .send(Apps.request(context, "/holdfast/api/stream").build(), BodyHandlers.ofInputStream());
        assertEquals(200, stream.statusCode());
        context.close();
        stream.body().close();
    }

    /** What puts somebody in, and out. */
    static class Login extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            if (request.getServletPath().equals("/login")) {
                request.getSession();
            } else {
                request.getSession().invalidate();
            }
        }
    }

    static class LoginPaths extends ServletRegistrationBean<Login> {
        LoginPaths() {
            super(new Login(), "/login", "/logout");
        }
    }

    /** Sessions that the web server knows nothing of. */
    @Configuration(proxyBeanMethods = false)
    @EnableSpringHttpSession
    @Import(LoginPaths.class)
    static class StoredSessions {
        static final AtomicInteger ASKED = new AtomicInteger();

        @Bean
        static MapSessionRepository sessions(@Value("${app.idle:30m}") Duration idle) {
            MapSessionRepository sessions = new MapSessionRepository(new ConcurrentHashMap<>()) {
                @Override
                public MapSession findById(String id) {
                    ASKED.incrementAndGet();
                    return super.findById(id);
                }
            };
            sessions.setDefaultMaxInactiveInterval(idle);
            return sessions;
        }
    }

    private static ConfigurableApplicationContext app(Class<?> source, String idle) {
        return Apps.web(
                source,
                "app.idle=" + idle,
                "spring.data.redis.port=" + server.port(),
                "server.port=0",
                "holdfast.dashboard.enabled=true");
    }

    private static HttpClient loggedIn(ConfigurableApplicationContext context) throws Exception {
        HttpClient browser =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        browser.send(Apps.request(context, "/login").build(), BodyHandlers.discarding());
        return browser;
    }

    private static HttpResponse<InputStream> stream(ConfigurableApplicationContext context, HttpClient browser)
            throws Exception {
        HttpResponse<InputStream> stream =
                browser.send(Apps.request(context, "/holdfast/api/stream").build(), BodyHandlers.ofInputStream());
        assertEquals(200, stream.statusCode());
        assertTrue(stream.body().read() >= 0);
        return stream;
    }

    /** Returns when there is nothing more to read. */
    private static void awaitEnd(HttpResponse<InputStream> stream) throws Exception {
        CompletableFuture.runAsync(() -> {
                    try {
                        while (stream.body().read() >= 0) { // as long as it goes on
                            assertEquals(200, stream.statusCode());
                        }
                    } catch (IOException e) {
                        assertEquals(200, stream.statusCode()); // cut off, which is an end, too
                    }
                })
                .get(30, TimeUnit.SECONDS); // to be interrupted, which reading cannot
    }

    @Test
    void stream_ofASessionThatEnds_endsToo() throws Exception {
        try (ConfigurableApplicationContext context = app(LoginPaths.class, "30m")) {
            HttpClient browser = loggedIn(context);
            HttpResponse<InputStream> stream = stream(context, browser);
            browser.send(Apps.request(context, "/logout").build(), BodyHandlers.discarding());
            awaitEnd(stream);
        }
    }

    @Test
    void stream_ofASessionOfSpringSession_endsWithItAndNotBefore() throws Exception {
        try (ConfigurableApplicationContext context = app(StoredSessions.class, "30m")) {
            HttpClient browser = loggedIn(context);
            HttpResponse<InputStream> stream = stream(context, browser);
            int asked = StoredSessions.ASKED.get();
            DistributedLock changes = context.getBean(Holdfast.class).lock("invoice/7");
            while (StoredSessions.ASKED.get() < asked + 2) {
                changes.acquire().release(); // for the page to hear of
                assertTrue(stream.body().read() >= 0);
            }
            browser.send(Apps.request(context, "/logout").build(), BodyHandlers.discarding());
            awaitEnd(stream);
        }
    }

    @Test
    void stream_ofASessionOfSpringSession_doesNotKeepItAlive() throws Exception {
        try (ConfigurableApplicationContext context = app(StoredSessions.class, "8s")) {
            awaitEnd(stream(context, loggedIn(context)));
        }
    }

    @Test
    void property_notSetOrWrong_mountsNothing() throws Exception {
        try (ConfigurableApplicationContext context = app()) {
            assertEquals(404, get(context, "/holdfast/").statusCode());
        }
        Throwable refused = assertThrows(
                RuntimeException.class, () -> app("holdfast.dashboard.enabled=true", "holdfast.dashboard.path=locks"));
        while (refused.getCause() != null) {
            refused = refused.getCause();
        }
        assertTrue(String.valueOf(refused.getMessage()).contains("begins with a slash"), refused.toString());
    }
}
