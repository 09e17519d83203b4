package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts two instances as a user does. */
@Timeout(300)
class JobTest {
    private static final Pattern REPORT =
            Pattern.compile("(first|second) makes the report, lease since (\\S+), token (\\d+)");
    private static final Duration AT_LEAST = Duration.ofSeconds(4);
    private static final String ENDED = "ended";

    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final List<Process> instances = new ArrayList<>();

    @Test
    void job_onTwoInstances_runsOnceAtEachTick() throws Exception {
        try {
            start("first");
            start("second");
            List<String> lines = new ArrayList<>();
            TreeMap<Long, Instant> begins = new TreeMap<>();
            int there = 0;
            for (int runs = 0; runs < 3; ) {
                String line = said.take();
                lines.add(line);
                assertTrue(!line.equals(ENDED), () -> String.join("\n", lines));
                Matcher report = REPORT.matcher(line);
                if (report.matches()) {
                    begins.put(Long.valueOf(report.group(3)), Instant.parse(report.group(2)));
                    runs += there == 2 ? 1 : 0;
                } else if (line.endsWith(" is there")) {
                    there++;
                }
            }
            Instant before = Instant.MIN;
            for (Instant begin : begins.values()) {
                assertTrue(before.plus(AT_LEAST).compareTo(begin) <= 0, begins + ": a tick has run twice");
                before = begin;
            }
            for (Process instance : instances) {
                instance.toHandle().destroy(); // that of Process would close the streams
                assertEquals(143, instance.waitFor(), "ends when asked to");
            }
        } finally {
            for (Process instance : instances) {
                instance.destroyForcibly().waitFor();
            }
        }
    }

    private void start(String name) throws IOException {
        Process instance = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dholdfast.embedded.home=" + Path.of("target/embedded").toAbsolutePath(),
                        "-Dholdfast.embedded.idleMillis=1000",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Job.class.getName(),
                        "--holdfast.command-timeout=30s",
                        "--instance=" + name)
                .redirectErrorStream(true)
                .start();
        instances.add(instance);
        Thread reader = new Thread(
                () -> {
                    try (BufferedReader output = instance.inputReader()) {
                        output.lines().forEach(said::add);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } finally {
                        said.add(ENDED);
                    }
                },
                name);
        reader.setDaemon(true);
        reader.start();
    }
}
