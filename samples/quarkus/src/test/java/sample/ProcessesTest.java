package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The application that the build has made, in several processes over one server. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessesTest {
    private static final String LOCK = "samples/long";

    private record Application(ChildProcess child, BufferedReader output) implements AutoCloseable {
        static Application start(RedisServer server, String argument) {
            ChildProcess child = ChildProcess.start(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-Dlocks.url=redis://127.0.0.1:" + server.port(),
                            "-Dquarkus.http.port=0",
                            "-jar",
                            "target/quarkus-app/quarkus-run.jar",
                            argument)
                    .redirectError(ProcessBuilder.Redirect.INHERIT));
            return new Application(child, child.process().inputReader(StandardCharsets.UTF_8));
        }

        /** The rest of the next line that begins like this; lines of the log are between. */
        String read(String begin) throws IOException {
            String line = output.readLine();
            while (line != null && !line.startsWith(begin)) {
                line = output.readLine();
            }
            return line == null ? "the output ended before " + begin : line.substring(begin.length());
        }

        void write(String line) throws IOException {
            child.process().getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            child.process().getOutputStream().flush();
        }

        void stop() throws InterruptedException {
            child.process().toHandle().destroy(); // SIGTERM, and the streams stay open
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
        try (RedisServer server = RedisServer.start();
                Holdfast operator = Holdfast.connect("redis://127.0.0.1:" + server.port());
                Application first = Application.start(server, "begin")) {
            String ticket = first.read("ticket ");
            assertTrue(operator.lock(LOCK).tryAcquire().isEmpty());
            try (Application second = Application.start(server, "adopt")) {
                second.write(ticket);
                assertTrue(Long.parseLong(second.read("token ")) > 0);
                first.write("detach");
                first.read("detached");
                first.stop();
                assertTrue(operator.lock(LOCK).tryAcquire().isEmpty(), "the second process has it");
                second.stop();
                operator.lock(LOCK).tryAcquire().orElseThrow().release();
            }
            try (Application third = Application.start(server, "hold")) {
                third.read("ticket ");
                operator.admin().release(LOCK);
                assertEquals("REVOKED", third.read("lost: "));
                third.stop();
            }
        }
    }
}
