package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.RedisServer;
import io.quarkus.test.junit.main.LaunchResult;
import io.quarkus.test.junit.main.QuarkusMainLauncher;
import io.quarkus.test.junit.main.QuarkusMainTest;
import org.junit.jupiter.api.Test;

@QuarkusMainTest
class StopTest {
    /** Its lease would last for 30 s more if Vert.x were closed first. */
    @Test
    void stop_leaseIsHeld_isReleasedBeforeVertxIsClosed(QuarkusMainLauncher launcher) throws Exception {
        try (RedisServer server = RedisServer.start()) {
            String url = "redis://127.0.0.1:" + server.port();
            System.setProperty("locks.url", url);
            LaunchResult result = launcher.launch("leave");
            assertEquals(0, result.exitCode(), result.getErrorOutput());
            assertTrue(result.getOutput().contains("ticket "), result.getOutput());
            try (Holdfast other = Holdfast.connect(url)) {
                assertTrue(other.lock("samples/long").tryAcquire().isPresent());
            }
        } finally {
            System.clearProperty("locks.url");
        }
    }
}
