package io.holdfast.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.RedisServer;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Does what the guide says. */
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

    /** Where the root of the repository is, from this module and from those that run its tests. */
    private static Path guide() {
        Path here = Path.of("../docs/guide/vertx.md");
        return Files.exists(here) ? here : Path.of("../../docs/guide/vertx.md");
    }

    @Test
    void examples_ofTheGuide_compile(@TempDir Path folder) throws IOException {
        GuideExamples.compile(guide(), 6, """
                import static io.holdfast.vertx.GuideApplication.*;
                import io.holdfast.*;
                import io.holdfast.routing.Location;
                import io.holdfast.spi.*;
                import io.holdfast.vertx.*;
                import io.vertx.core.Future;
                import io.vertx.redis.client.RedisOptions;
                """, "", folder);
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
    void lease_takenAwayOnPurpose_isLostAtOnceAndTheNextHasAGreaterToken() throws Exception {
        Lease lease = get(holdfast.lock("invoice/42").acquireAsync());
        CompletableFuture<Lease> next = holdfast.lock("invoice/42").acquireAsync();
        get(vertx.executeBlocking(() -> holdfast.admin().release("invoice/42")).toCompletionStage());
        assertEquals(LossReason.REVOKED, get(lease.whenLost()));
        assertFalse(lease.isValid());
        assertTrue(get(next).token() > lease.token());
    }

    @Test
    void lease_handedToAnotherProcess_goesOnThereAndIsFreeWhenThatStops() throws Exception {
        Lease lease = get(holdfast.lock("invoice/42").acquireAsync());
        ChildProcess child = ChildProcess.start(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GuideApplication.class.getName(),
                        endpoint)
                .redirectError(ProcessBuilder.Redirect.INHERIT));
        try (BufferedReader out = child.process().inputReader(StandardCharsets.UTF_8);
                BufferedWriter in = child.process().outputWriter(StandardCharsets.UTF_8)) {
            in.write(lease.ticket().encoded() + "\n");
            in.flush();
            assertEquals(Long.toString(lease.token()), out.readLine());
            lease.detach();
            CompletableFuture<Lease> next = holdfast.lock("invoice/42").acquireAsync();
            assertTrue(holdfast.lock("invoice/42").tryAcquire().isEmpty());
            in.write("stop\n");
            in.flush();
            assertTrue(get(next).token() > lease.token());
            assertEquals(0, child.process().waitFor());
        } finally {
            child.kill();
        }
    }

    @Test
    void stop_inTheOrderOfTheGuide_releasesWhatIsHeld() throws Exception {
        Vertx other = Vertx.vertx();
        Holdfast closing = Holdfast.over(VertxDriver.over(other, new RedisOptions().setConnectionString(endpoint)));
        Lease held = closing.lock("invoice/42").acquire();
        CompletableFuture<Lease> next = holdfast.lock("invoice/42").acquireAsync();
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        var unused = other.executeBlocking(() -> {
                    closing.close();
                    return true;
                })
                .eventually(() -> other.close().onComplete(all -> closed.complete(all.succeeded())));
        assertTrue(get(closed));
        assertTrue(get(next).token() > held.token());
    }
}
