package io.holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.RedisServer;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The code of the guide is that of an application, of which two processes do what the guide says. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RedissonGuideTest {
    @Test
    void examples_ofTheGuide_areOfTheApplication() throws IOException {
        GuideExamples.quote("docs/guide/redisson.md", 7, "src/test/java");
    }

    @Test
    void pages_nameTheVersionThatIsTested() throws IOException {
        GuideExamples.name(System.getProperty("tested", "Redisson"), "docs/guide/redisson.md", "docs/compatibility.md");
    }

    @Test
    void guide_doneByTwoProcesses_losesHandsOverAndStopsClean() throws Exception {
        try (RedisServer server = RedisServer.start();
                ChildProcess first = ChildProcess.java(GuideApplication.class, server.url());
                ChildProcess second = ChildProcess.java(GuideApplication.class, server.url());
                Holdfast others = Holdfast.connect(server.url())) {
            // Take a lock, and lose it on purpose.
            tell(first, "work");
            tell(first, "hold");
            assertTrue(others.lock("invoice/42").tryAcquire().isEmpty());
            second.write("release");
            assertEquals("REVOKED", first.read("lost: "));
            second.read("done");
            long newer = written(second, "work");
            first.write("write");
            assertEquals("false", first.read("valid: "));
            assertTrue(token(first) < newer, "the store would take a late write for a new one");

            // Hand it over.
            first.write("give");
            String ticket = first.read("ticket ");
            long given = written(second, "adopt " + ticket);
            assertTrue(given > newer);
            first.read("done");
            tell(first, "detach");
            assertTrue(written(second, "work") > given);

            // Stop, with a lock that is held.
            tell(first, "hold");
            assertTrue(others.lock("invoice/42").tryAcquire().isEmpty());
            assertEquals(143, first.terminate());
            others.lock("invoice/42").tryAcquire().orElseThrow().release();
            assertEquals(143, second.terminate());
        }
    }

    private static void tell(ChildProcess process, String line) {
        process.write(line);
        process.read("done");
    }

    private static long written(ChildProcess process, String line) {
        process.write(line);
        return token(process);
    }

    private static long token(ChildProcess process) {
        long token = Long.parseLong(process.read("written: invoice/42 "));
        process.read("done");
        return token;
    }
}
