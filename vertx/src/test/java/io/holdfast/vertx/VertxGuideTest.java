package io.holdfast.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.RedisAddress;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The code of the guide is that of an application, of which two processes do what the guide says. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // set before each test
final class VertxGuideTest {
    private RedisServer server;
    private String endpoint;
    private Vertx vertx;
    private Holdfast holdfast;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        endpoint = "redis://127.0.0.1:" + server.port();
        vertx = Vertx.vertx();
        holdfast = Holdfast.over(VertxDriver.over(vertx, new RedisOptions().setConnectionString(endpoint)));
    }

    @AfterEach
    void stop() throws Exception {
        holdfast.close();
        get(vertx.close().toCompletionStage());
        server.close();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(15, TimeUnit.SECONDS);
    }

    @Test
    void examples_ofTheGuide_areOfTheApplication() throws IOException {
        GuideExamples.quote("docs/guide/vertx.md", 8, "src/test/java");
    }

    @Test
    void lock_inAVerticle_leadsBackToItsContextAndExcludesTheNext() throws Exception {
        CompletableFuture<String> trace = new CompletableFuture<>();
        Context context = vertx.getOrCreateContext();
        context.runOnContext(nothing -> {
            StringBuilder steps = new StringBuilder();
            CompletableFuture<String> work = new CompletableFuture<>();
            Future<String> first = Future.fromCompletionStage(
                    holdfast.lock("invoice/42").callAsync(lease -> {
                        vertx.setTimer(
                                20,
                                id -> context.runOnContext(later -> {
                                    steps.append("first ");
                                    work.complete("done");
                                }));
                        return work;
                    }),
                    context);
            Future<Lease> second =
                    Future.fromCompletionStage(holdfast.lock("invoice/42").acquireAsync(), context);
            Thread here = Thread.currentThread();
            second.compose(lease -> {
                        steps.append("second ").append(Thread.currentThread() == here);
                        return Future.fromCompletionStage(lease.releaseAsync(), context);
                    })
                    .compose(released -> first)
                    .onComplete(all -> trace.complete(steps.toString()));
        });
        assertEquals("first second true", get(trace));
    }

    @Test
    void guide_doneByTwoProcesses_losesHandsOverAndStopsClean() throws Exception {
        try (ChildProcess first = ChildProcess.java(GuideApplication.class, endpoint);
                ChildProcess second = ChildProcess.java(GuideApplication.class, endpoint)) {
            // Take a lock, and lose it on purpose.
            first.write("invoice");
            long token = Long.parseLong(first.read("invoice under token "));
            CompletableFuture<Lease> next = holdfast.lock("invoice/42").acquireAsync();
            second.write("release");
            assertEquals("REVOKED", first.read("lost: "));
            assertEquals("LeaseLostException", first.read("here: "));
            assertTrue(get(next).token() > token);
            get(get(next).releaseAsync());

            // Hand it over.
            first.write("give");
            second.write("adopt " + first.read("ticket "));
            assertEquals(first.read("here: token "), second.read("here: token "));
            first.write("detach");
            assertEquals("detached", first.read("here: "));

            // Stop, with a lock that is held: by a signal, and from the verticle.
            assertStops(second::terminate, 143);
            first.write("give");
            first.read("ticket ");
            assertStops(
                    () -> {
                        first.write("stop");
                        first.process().getOutputStream().close();
                        return first.status();
                    },
                    0);
        }
    }

    @Test
    void guide_overACluster_takesALockAndReleasesItAtTheStop() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(3, 0)) {
            String address = cluster.addresses().stream()
                    .map(RedisAddress::hostAndPort)
                    .collect(Collectors.joining(",", "redis-cluster://", ""));
            try (ChildProcess application = ChildProcess.java(GuideApplication.class, address);
                    Holdfast others = Holdfast.connect(address)) {
                application.write("invoice");
                application.read("invoice under token ");
                assertTrue(others.lock("invoice/42").tryAcquire().isEmpty());
                assertEquals(143, application.terminate());
                assertTrue(others.lock("invoice/42").tryAcquire().isPresent());
            }
        }
    }

    private void assertStops(Callable<Integer> stop, int status) throws Exception {
        CompletableFuture<Lease> next = holdfast.lock("invoice/42").acquireAsync();
        assertTrue(holdfast.lock("invoice/42").tryAcquire().isEmpty());
        assertEquals(status, stop.call());
        get(get(next).releaseAsync());
    }
}
