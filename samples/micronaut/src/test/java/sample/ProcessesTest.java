package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** The application in two processes of its own, over one server. */
class ProcessesTest {
    private record Instance(ChildProcess child, URI address) implements AutoCloseable {
        static Instance start(RedisServer redis) throws Exception {
            int port = FreePort.find();
            ChildProcess child = ChildProcess.java(
                    Application.class,
                    "-redis.uri=redis://127.0.0.1:" + redis.port(),
                    "-micronaut.server.port=" + port);
            child.await("Server Running");
            return new Instance(child, URI.create("http://localhost:" + port));
        }

        String send(String method, String path, String body) throws Exception {
            HttpRequest request = HttpRequest.newBuilder(address.resolve(path))
                    .header("Content-Type", "text/plain")
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            assertEquals(200, response.statusCode(), response.body());
            return response.body();
        }

        void stop() throws InterruptedException {
            assertEquals(143, child.terminate());
        }

        @Override
        public void close() {
            child.kill();
        }
    }

    @Test
    void lease_ofTheApplication_isLostOnPurposeHandedOverAndReleasedAtTheStop() throws Exception {
        try (RedisServer redis = RedisServer.start();
                Holdfast operator = Holdfast.connect("redis://127.0.0.1:" + redis.port());
                Instance first = Instance.start(redis);
                Instance second = Instance.start(redis)) {
            first.send("POST", "/stocktaking", "");
            assertTrue(operator.lock("stocktaking").tryAcquire().isEmpty());
            operator.admin().release("stocktaking");
            while (first.send("GET", "/stocktaking", "").equals("begun")) {
                Thread.onSpinWait();
            }
            assertEquals("lost: REVOKED", first.send("GET", "/stocktaking", ""));

            String ticket = first.send("POST", "/stocktaking", "");
            assertTrue(second.send("POST", "/stocktaking/adopted", ticket).startsWith("token "));
            first.send("DELETE", "/stocktaking", "");
            first.stop();
            assertTrue(operator.lock("stocktaking").tryAcquire().isEmpty(), "the second process has it");

            second.stop();
            operator.lock("stocktaking").tryAcquire().orElseThrow().release();
        }
    }
}
