package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.RedisServer;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.runtime.server.EmbeddedServer;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The application, over a real server. */
class MicronautSampleTest {
    /** Work that lasts until its lock is lost. */
    @Singleton
    @Requires(property = "holdfast.lease-duration", value = "1s")
    static class Vigil {
        final CompletableFuture<Void> begun = new CompletableFuture<>();
        final CompletableFuture<Void> end = new CompletableFuture<>();

        @Locked("vigil")
        public String keep() {
            begun.complete(null);
            end.join();
            return "kept";
        }

        @Locked("vigil")
        public CompletableFuture<String> later() {
            return new CompletableFuture<>();
        }
    }

    private static EmbeddedServer start(RedisServer redis, String leaseDuration) {
        return ApplicationContext.run(
                EmbeddedServer.class,
                Map.of(
                        "redis.uri",
                        "redis://127.0.0.1:" + redis.port(),
                        "holdfast.lease-duration",
                        leaseDuration,
                        "micronaut.server.port",
                        -1));
    }

    private static <T> T bean(EmbeddedServer application, Class<T> type) {
        return application.getApplicationContext().getBean(type);
    }

    private static HttpResponse<String> send(EmbeddedServer application, String method, String path) throws Exception {
        URI address = application.getURI().resolve(path);
        HttpRequest request = HttpRequest.newBuilder(address)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void book_inTwoInstancesAtOnce_losesNoPiece() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (RedisServer redis = RedisServer.start();
                EmbeddedServer first = start(redis, "30s");
                EmbeddedServer second = start(redis, "30s")) {
            List<Callable<Integer>> bookings = new ArrayList<>();
            for (EmbeddedServer each : List.of(first, second)) {
                for (int i = 0; i < 25; i++) {
                    bookings.add(() -> bean(each, Stock.class).book("pen"));
                }
            }
            for (Future<Integer> each : threads.invokeAll(bookings)) {
                each.get();
            }
            assertEquals("pen, pieces: 51\n", send(first, "POST", "/stock/pen").body());
            assertFalse(bean(second, Holdfast.class).inspect().isLocked("stock/pen"));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void release_whileAnotherInstanceWaits_handsTheLockOver() throws Exception {
        try (RedisServer redis = RedisServer.start();
                EmbeddedServer first = start(redis, "30s");
                EmbeddedServer second = start(redis, "30s")) {
            Holdfast holding = bean(first, Holdfast.class);
            Holdfast waiting = bean(second, Holdfast.class);
            Lease lease = holding.lock("stock/pen").acquire();
            CompletableFuture<Lease> next = waiting.lock("stock/pen").acquireAsync();
            while (holding.lock("stock/pen").info().waiters() == 0) {
                Thread.onSpinWait();
            }
            assertFalse(next.isDone());
            lease.release();
            try (Lease other = next.get(10, TimeUnit.SECONDS)) {
                assertTrue(other.token() > lease.token());
                assertEquals("stock", waiting.options().application());
            }
        }
    }

    @Test
    void loss_keyIsDeleted_reachesTheCallerOfTheMethod() throws Exception {
        try (RedisServer redis = RedisServer.start();
                EmbeddedServer application = start(redis, "1s")) {
            Vigil vigil = bean(application, Vigil.class);
            CompletableFuture<String> call = CompletableFuture.supplyAsync(vigil::keep);
            vigil.begun.join();
            Holdfast holdfast = bean(application, Holdfast.class);
            redis.command("DEL", "hf:{vigil}");
            // Requests of one client stand in one line: the next is served when the client has noticed the loss.
            try (Lease next = holdfast.lock("vigil").acquire()) {
                assertTrue(next.isValid());
                vigil.end.complete(null);
                Throwable thrown = assertThrows(Exception.class, call::join).getCause();
                assertEquals(LossReason.NOT_ON_SERVER, ((LeaseLostException) thrown).reason());
            }
        }
    }

    @Test
    void locked_methodThatReturnsBeforeItsEnd_isRefused() {
        try (RedisServer redis = RedisServer.start();
                EmbeddedServer application = start(redis, "1s")) {
            assertThrows(IllegalStateException.class, bean(application, Vigil.class)::later);
        }
    }

    @Test
    void stop_lockIsHeld_isReleasedBeforeTheRedisClientEnds() throws Exception {
        try (RedisServer redis = RedisServer.start();
                EmbeddedServer second = start(redis, "30s")) {
            EmbeddedServer first = start(redis, "30s");
            Lease held = bean(first, Holdfast.class).lock("stock/pen").acquire();
            first.close();
            assertFalse(held.isValid());
            DistributedLock lock = bean(second, Holdfast.class).lock("stock/pen");
            assertTrue(lock.tryAcquire(Wait.none()).isPresent(), "nothing is left to expire");
        }
    }

    @Test
    void health_serverAnswersOrNot_isUpOrDown() throws Exception {
        RedisServer redis = RedisServer.start();
        try (EmbeddedServer application = start(redis, "30s")) {
            HttpResponse<String> up = send(application, "GET", "/health");
            assertEquals(200, up.statusCode(), up.body());
            assertTrue(up.body().contains("\"holdfast\":{\"name\":\"stock\",\"status\":\"UP\""), up.body());
            redis.close();
            HttpResponse<String> down = send(application, "GET", "/health");
            assertEquals(503, down.statusCode(), down.body());
            assertTrue(down.body().contains("\"holdfast\":{\"name\":\"stock\",\"status\":\"DOWN\""), down.body());
        } finally {
            redis.close();
        }
    }

    @Test
    void guide_itsJava_isThatOfTheSample() throws Exception {
        GuideExamples.quote("docs/guide/micronaut.md", 7, "src/main/java");
    }

    @Test
    void pages_nameTheVersionThatIsTested() throws Exception {
        GuideExamples.name(
                System.getProperty("tested", "Micronaut"), "docs/guide/micronaut.md", "docs/compatibility.md");
    }
}
