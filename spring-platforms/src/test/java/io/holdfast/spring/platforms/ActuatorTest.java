package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.servers.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** What an application with the actuator shows over HTTP, as its own Jackson writes it. */
@Timeout(60)
final class ActuatorTest {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ConfigurableApplicationContext app(int port, String... more) {
        String[] properties = new String[more.length + 4];
        System.arraycopy(more, 0, properties, 4, more.length);
        properties[0] = "spring.data.redis.port=" + port;
        properties[1] = "server.port=0";
        properties[2] = "management.endpoints.web.exposure.include=locks,health";
        properties[3] = "management.endpoint.health.show-details=always";
        return Apps.web(Apps.Plain.class, properties);
    }

    private static HttpResponse<String> ask(ConfigurableApplicationContext context, String method, String path)
            throws Exception {
        return Apps.answer(
                Apps.request(context, "/actuator/" + path).method(method, HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void locks_read_tellsHolderAndQueue() throws Exception {
        try (ConfigurableApplicationContext context = app(server.port())) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            try (Lease lease = holdfast.lock("invoice/7").acquire()) {
                String all = ask(context, "GET", "locks").body();
                assertTrue(all.contains("\"name\":\"invoice/7\"") && all.contains("\"holding\":1"), all);
                String one = ask(context, "GET", "locks/invoice/7").body();
                assertTrue(
                        one.startsWith("{\"name\":\"invoice/7\",\"locked\":true,\"holder\":{\"application\":\"shop\","),
                        one);
                assertTrue(one.contains("\"token\":" + lease.token() + ",\"since\":\"" + lease.since() + "\""), one);
                assertTrue(one.endsWith("\"waiters\":0,\"callers\":0,\"queue\":[]}"), one);
            }
            String free = ask(context, "GET", "locks/invoice/7").body();
            assertTrue(free.contains("\"locked\":false"), free);
        }
    }

    @Test
    void locks_delete_isRefusedUnlessAccessIsUnrestricted() throws Exception {
        try (ConfigurableApplicationContext context = app(server.port())) {
            Lease lease = context.getBean(Holdfast.class).lock("kept").acquire();
            int status =
                    ask(context, "DELETE", "locks/kept?token=" + lease.token()).statusCode();
            assertTrue(status >= 400 && status < 500, "status " + status);
            assertTrue(lease.isHeldOnServer());
        }
        try (ConfigurableApplicationContext context =
                app(server.port(), "management.endpoint.locks.access=unrestricted")) {
            Lease lease = context.getBean(Holdfast.class).lock("a/b").acquire();
            HttpResponse<String> other = ask(context, "DELETE", "locks/a/b?token=1");
            assertTrue(other.body().contains("\"outcome\":\"left_alone\""), other.body());
            assertEquals(409, other.statusCode());
            assertTrue(lease.isHeldOnServer());
            assertEquals(400, ask(context, "DELETE", "locks/a/b").statusCode(), "by name alone");
            HttpResponse<String> released = ask(context, "DELETE", "locks/a/b?token=" + lease.token());
            assertTrue(released.body().contains("\"outcome\":\"released\""), released.body());
            assertEquals(200, released.statusCode());
            assertFalse(lease.isHeldOnServer());
            HttpResponse<String> again = ask(context, "DELETE", "locks/a/b?token=" + lease.token());
            assertEquals(404, again.statusCode(), again.body());
            assertEquals(400, ask(context, "DELETE", "locks/a/b?token=0").statusCode());
        }
    }

    @Test
    void locks_serverAway_isUnavailable() throws Exception {
        RedisServer mortal = RedisServer.start();
        try (mortal;
                ConfigurableApplicationContext context =
                        app(mortal.port(), "holdfast.command-timeout=300ms", "holdfast.close-timeout=0")) {
            mortal.kill();
            HttpResponse<String> none = ask(context, "GET", "locks/a");
            assertEquals(503, none.statusCode());
            assertTrue(none.body().contains("\"code\":\"HF-UNREACHABLE\""), none.body());
        }
    }

    @Test
    void health_serverAnswersOrNot_isUpOrDown() throws Exception {
        RedisServer mortal = RedisServer.start();
        try (mortal;
                ConfigurableApplicationContext context = app(
                        mortal.port(),
                        "holdfast.command-timeout=300ms",
                        "management.health.redis.enabled=false",
                        "holdfast.close-timeout=0")) {
            Lease lease = context.getBean(Holdfast.class).lock("taken").acquire();
            assertTrue(lease.isValid());
            HttpResponse<String> up = ask(context, "GET", "health/holdfast");
            assertEquals(200, up.statusCode(), up.body());
            assertTrue(up.body().contains("\"holding\":1"), up.body());
            mortal.kill();
            assertEquals(503, ask(context, "GET", "health/holdfast").statusCode());
        }
        try (ConfigurableApplicationContext context = app(server.port(), "management.health.holdfast.enabled=false")) {
            assertEquals(404, ask(context, "GET", "health/holdfast").statusCode());
        }
    }

    @Test
    void meters_countWhatHappens() throws Exception {
        try (ConfigurableApplicationContext context = app(server.port(), "holdfast.metrics.lock-tag=first-segment")) {
            Holdfast holdfast = context.getBean(Holdfast.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            Lease lease = holdfast.lock("invoice/9").acquire();
            assertEquals(1.0, registry.get("holdfast.held").gauge().value());
            lease.release();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (registry.find("holdfast.hold").tag("lock", "invoice").timer() == null) {
                assertTrue(System.nanoTime() < end, "not counted");
                Thread.onSpinWait();
            }
            assertEquals(
                    1.0,
                    registry.get("holdfast.obtained")
                            .tag("lock", "invoice")
                            .counter()
                            .count());
        }
    }
}
