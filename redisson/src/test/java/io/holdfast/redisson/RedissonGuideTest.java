package io.holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin.Waiters;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.contracts.servers.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The guide compiles, and two processes do what it says. */
@Timeout(120)
final class RedissonGuideTest {
    /** What the blocks expect; each may declare anew what another one has. */
    private static final String CAST = """
            import io.holdfast.*;
            import io.holdfast.Admin.Waiters;
            import io.holdfast.redisson.RedissonDriver;
            import org.redisson.Redisson;
            import org.redisson.api.RedissonClient;
            import org.redisson.config.Config;

            abstract class Examples {
                Config config;
                RedissonClient redisson;
                Holdfast holdfast;
                String ticket;

                abstract void write(String what, long token);
            """;

    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void examples_ofTheGuide_compile(@TempDir Path folder) throws IOException {
        StringBuilder source = new StringBuilder(CAST);
        Matcher block = BLOCK.matcher(Files.readString(Path.of("..", "docs", "guide", "redisson.md")));
        int blocks = 0;
        while (block.find()) {
            source.append("void block").append(blocks++).append("() throws Exception {\n");
            source.append(block.group(1)).append("}\n");
        }
        assertEquals(7, blocks, "the blocks are no longer found");
        GuideExamples.compile("Examples", source.append("}\n").toString(), folder);
    }

    @Test
    void guide_doneByTwoProcesses_losesHandsOverAndStopsClean() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            Config config = new Config();
            config.useSingleServer().setAddress(server.url());
            RedissonClient redisson = Redisson.create(config);
            ChildProcess other = ChildProcess.start(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            SecondProcess.class.getName(),
                            server.url())
                    .redirectError(ProcessBuilder.Redirect.DISCARD));
            try (Holdfast holdfast = Holdfast.over(RedissonDriver.over(redisson));
                    BufferedReader said = other.process().inputReader(StandardCharsets.UTF_8)) {
                // The other process has it, and loses it on purpose.
                assertEquals("held", said.readLine());
                assertTrue(holdfast.lock("invoice/42").tryAcquire().isEmpty());
                holdfast.admin().release("invoice/42", Waiters.HAND_OFF);
                String lost = said.readLine();
                assertTrue(lost != null && lost.startsWith("lost: "), "it said " + lost);

                // Then it hands another hold over.
                String ticket = said.readLine();
                Lease adopted = holdfast.adopt(LeaseTicket.decode(String.valueOf(ticket)));
                assertTrue(adopted.isValid());
                assertEquals("token " + adopted.token(), said.readLine());
                adopted.release();

                // It stops clean by itself, with a lock that it still holds.
                other.process().getOutputStream().write('\n');
                other.process().getOutputStream().flush();
                assertEquals("closed", said.readLine());
                assertTrue(other.process().waitFor(60, TimeUnit.SECONDS));
                assertEquals(0, other.process().exitValue());
                Lease last = holdfast.lock("invoice/43").tryAcquire().orElseThrow();
                last.release();
            } finally {
                other.kill();
                redisson.shutdown();
            }
        }
    }
}
