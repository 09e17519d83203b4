package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisServer;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The application in two processes of its own, over one server. */
class ProcessesTest {
    private record Instance(ChildProcess child, URI address) implements AutoCloseable {
        static Instance start(RedisServer redis) throws Exception {
            int port = FreePort.find();
            ChildProcess child = ChildProcess.start(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Application.class.getName(),
                            "-redis.uri=redis://127.0.0.1:" + redis.port(),
                            "-micronaut.server.port=" + port)
                    .redirectErrorStream(true));
            BufferedReader output = child.process().inputReader(StandardCharsets.UTF_8);
            String line = output.readLine();
            while (line != null && !line.contains("Server Running")) {
                line = output.readLine();
            }
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
            child.process().destroy(); // SIGTERM
            assertTrue(child.process().waitFor(20, TimeUnit.SECONDS), "a thread keeps the process");
            assertEquals(143, child.process().exitValue());
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
