package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spring.Locked;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What callers of an application are told of a lock that is not to be had. */
@Timeout(60)
final class ProblemsTest {
    @RestController
    static class Invoices {
        @GetMapping("/invoice")
        @Locked(value = "invoice", waitLimit = "0", leaseDuration = "20s")
        public String invoice() {
            return "booked";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Invoices.class)
    static class Controllers {}

    private static HttpResponse<String> get(ConfigurableApplicationContext context) throws Exception {
        return Apps.answer(Apps.request(context, "/invoice"));
    }

    private static ConfigurableApplicationContext app(RedisServer server, boolean problems) {
        return Apps.web(
                Controllers.class,
                "spring.data.redis.port=" + server.port(),
                "server.port=0",
                "holdfast.command-timeout=300ms",
                "holdfast.close-timeout=0",
                "spring.mvc.problemdetails.enabled=" + problems);
    }

    @Test
    void problems_lockIsTakenOrServerAway_areToldWithAStatusAndACode() throws Exception {
        RedisServer server = RedisServer.start();
        try (server;
                ConfigurableApplicationContext context = app(server, true)) {
            assertEquals("booked", get(context).body());
            try (Lease taken = context.getBean(Holdfast.class).lock("invoice").acquire()) {
                HttpResponse<String> conflict = get(context);
                assertEquals(409, conflict.statusCode());
                assertEquals(
                        Optional.of("application/problem+json"),
                        conflict.headers().firstValue("Content-Type"));
                long after = conflict.headers().firstValueAsLong("Retry-After").orElseThrow();
                assertTrue(after >= 1 && after <= 30, "seconds: " + after);
                assertTrue(conflict.body().contains("\"code\":\"HF-TAKEN\""), conflict.body());
                assertFalse(conflict.body().contains("shop"), "nothing of the holder: " + conflict.body());
            }
            server.command("CONFIG", "SET", "maxmemory", "1");
            HttpResponse<String> full = get(context);
            assertEquals(503, full.statusCode());
            assertTrue(full.body().contains("\"code\":\"HF-SERVER-REFUSED\""), full.body());
            server.kill();
            HttpResponse<String> away = get(context);
            assertEquals(503, away.statusCode());
            assertTrue(away.body().contains("\"code\":\"HF-UNREACHABLE\""), away.body());
        }
    }

    @Test
    void problems_notAskedFor_areNotTold() throws Exception {
        try (RedisServer server = RedisServer.start();
                ConfigurableApplicationContext context = app(server, false);
                Lease taken = context.getBean(Holdfast.class).lock("invoice").acquire()) {
            assertEquals(500, get(context).statusCode());
        }
    }
}
