package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The application that the build has made, in several processes over one server. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessesTest {
    private static final String LOCK = "samples/long";

    private record Application(ChildProcess child) implements AutoCloseable {
        static Application start(RedisServer server, String argument) {
            return new Application(ChildProcess.java(
                    "-Dlocks.url=redis://127.0.0.1:" + server.port(),
                    "-Dquarkus.http.port=0",
                    "-jar",
                    "target/quarkus-app/quarkus-run.jar",
                    argument));
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
        try (RedisServer server = RedisServer.start();
                Holdfast operator = Holdfast.connect("redis://127.0.0.1:" + server.port());
                Application first = Application.start(server, "begin")) {
            String ticket = first.child().read("ticket ");
            assertTrue(operator.lock(LOCK).tryAcquire().isEmpty());
            try (Application second = Application.start(server, "adopt")) {
                second.child().write(ticket);
                assertTrue(Long.parseLong(second.child().read("token ")) > 0);
                first.child().write("detach");
                first.child().read("detached");
                first.stop();
                assertTrue(operator.lock(LOCK).tryAcquire().isEmpty(), "the second process has it");
                second.stop();
                operator.lock(LOCK).tryAcquire().orElseThrow().release();
            }
            try (Application third = Application.start(server, "hold")) {
                third.child().read("ticket ");
                operator.admin().release(LOCK);
                assertEquals("REVOKED", third.child().read("lost: "));
                third.stop();
            }
        }
    }
}
