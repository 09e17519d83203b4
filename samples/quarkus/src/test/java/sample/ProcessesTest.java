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

    private static ChildProcess start(RedisServer server, String argument) {
        return ChildProcess.java(
                "-Dlocks.url=redis://127.0.0.1:" + server.port(),
                "-Dquarkus.http.port=0",
                "-jar",
                "target/quarkus-app/quarkus-run.jar",
                argument);
    }

    @Test
    void lease_ofTheApplication_isLostOnPurposeHandedOverAndReleasedAtTheStop() throws Exception {
        try (RedisServer server = RedisServer.start();
                Holdfast operator = Holdfast.connect("redis://127.0.0.1:" + server.port());
                ChildProcess first = start(server, "begin")) {
            String ticket = first.read("ticket ");
            assertTrue(operator.lock(LOCK).tryAcquire().isEmpty());
            try (ChildProcess second = start(server, "adopt")) {
                second.write(ticket);
                assertTrue(Long.parseLong(second.read("token ")) > 0);
                first.write("detach");
                first.read("detached");
                assertEquals(143, first.terminate());
                assertTrue(operator.lock(LOCK).tryAcquire().isEmpty(), "the second process has it");
                assertEquals(143, second.terminate());
                operator.lock(LOCK).tryAcquire().orElseThrow().release();
            }
            try (ChildProcess third = start(server, "hold")) {
                third.read("ticket ");
                operator.admin().release(LOCK);
                assertEquals("REVOKED", third.read("lost: "));
                assertEquals(143, third.terminate());
            }
        }
    }
}
