package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.RedisServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The first hour of a new application, which has the starter, {@code spring-boot-starter-data-redis} and, to be looked at,
 * the actuator and a web server: it locks by annotation, is seen by others, loses the lock, and ends.
 */
@Timeout(120)
final class NewApplicationTest {
    /** What these tests have and such an application has not. */
    private static final Pattern NOT_THERE = Pattern.compile(
            ".*/(holdfast-)?(jedis|fencing|embedded|testkit|contracts|cli)/target/classes/?$|.*/(holdfast-(jedis|fencing|embedded|testkit|contracts)"
                    + "|jedis|commons-pool2|embedded-redis|h2|HikariCP|spring-jdbc|spring-boot-jdbc|spring-boot-sql"
                    + "|spring-boot-test|spring-test|spring-retry|micrometer-observation-test|assertj-core|picocli"
                    + "|junit-[a-z-]+|opentest4j|apiguardian-api)-[0-9][^/]*\\.jar$");

    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));

    @Test
    void locksByAnnotation_isSeen_losesItAndEnds() throws Exception {
        String classPath = String.join(
                File.pathSeparator,
                Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                        .filter(each -> !NOT_THERE.matcher(each).matches())
                        .toList());
        try (RedisServer server = RedisServer.start();
                Holdfast other = Apps.connect(server.url())) {
            Process application = java(
                    classPath,
                    NewApplication.class.getName(),
                    "--spring.data.redis.port=" + server.port(),
                    "--server.port=0",
                    "--spring.main.banner-mode=off",
                    "--spring.application.name=shop",
                    "--management.endpoints.web.exposure.include=locks");
            try (BufferedReader out = reader(application)) {
                String port = said(out, "port ");
                assertEquals("", said(out, "booking"));

                String seen = get("http://localhost:" + port + "/actuator/locks/order/7");
                assertTrue(seen.contains("\"locked\":true") && seen.contains("\"application\":\"shop\""), seen);
                String listed = command("ls", "--url", server.url());
                assertTrue(listed.contains("order/7") && listed.contains("shop"), listed);

                other.admin().release("order/7", Admin.Waiters.HAND_OFF);
                assertEquals("", said(out, "rolled back"));
                assertEquals("order/7", said(out, "lost "));

                assertEquals("kept", said(out, "holds "));
                assertTrue(other.inspect().isLocked("kept"));
                application.getOutputStream().write('\n');
                application.getOutputStream().flush();
                String took = said(out, "closed after ");
                assertFalse(other.inspect().isLocked("kept"), "released, and not left to its term");
                assertTrue(Long.parseLong(took.replace(" ms", "")) < 1_000, "it took " + took);
                assertEquals(0, application.waitFor());
            } finally {
                application.destroyForcibly();
            }
        }
    }

    /** What follows the words in the next line that the application says; other words fail. */
    private static String said(BufferedReader out, String words) throws IOException {
        List<String> before = new ArrayList<>();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("> ")) {
                assertTrue(line.startsWith("> " + words), () -> "said '" + before + "' and not " + words);
                return line.substring(2 + words.length());
            }
            before.add(line);
        }
        throw new AssertionError("ended before it said '" + words + "': " + String.join("\n", before));
    }

    private static String get(String address) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Runs the command line. */
    private static String command(String... words) throws Exception {
        String cli =
                Path.of("../../cli/target/classes").toAbsolutePath().normalize().toString();
        Process process = java(cli + File.pathSeparator + CLASS_PATH, "io.holdfast.cli.Main", words);
        try (BufferedReader out = reader(process)) {
            String all = String.join("\n", out.lines().toList());
            assertEquals(0, process.waitFor(), all);
            return all;
        }
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static Process java(String classPath, String main, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                main));
        line.addAll(List.of(arguments));
        return new ProcessBuilder(line).redirectErrorStream(true).start();
    }
}
