package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.lettuce.LettuceDriver;
import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.JedisPool;

/**
 * The page on compatibility says what was run here. Comes after the other tests of the module, and only if they passed.
 *
 * <p>What ran is written to {@code target/platform.md}.
 */
class PageTest {
    private static final Path PAGE = Path.of("../../docs/compatibility.md");
    private static final Path REPORTS = Path.of("target/surefire-reports");

    @Test
    void rowOfThisPlatform_versionsOnTheClassPath_isOnThePage() throws Exception {
        String row = "| "
                + String.join(
                        " | ",
                        System.getProperty("platform"),
                        version(RedisClient.class, ".RELEASE"),
                        version(ByteBuf.class, ".Final"),
                        version(JedisPool.class, ""),
                        version(MeterRegistry.class, ""),
                        version(Test.class, ""))
                + " |";
        Files.writeString(
                Path.of("target/platform.md"),
                row + "\n\nJDK " + Runtime.version() + ", " + count(tested("lettuce")) + " tests with Lettuce, "
                        + count(tested("jedis")) + " with Jedis\n");
        List<String> lines = Files.readAllLines(PAGE);
        assertTrue(lines.contains(row), () -> "docs/compatibility.md should have the line\n" + row);
    }

    @Test
    void contracts_thatRanHere_areOnThePage() throws Exception {
        String page = Files.readString(PAGE);
        TreeSet<String> missing = new TreeSet<>();
        for (String driver : List.of("lettuce", "jedis")) {
            for (Path report : tested(driver)) {
                String name = report.getFileName().toString().replaceAll("^TEST-|\\.xml$", "");
                Class<?> contract = Class.forName(name).getSuperclass();
                if (contract.getPackageName().equals("io.holdfast.testkit")
                        && !page.contains("`" + contract.getSimpleName() + "`")) {
                    missing.add(contract.getSimpleName());
                }
            }
        }
        assertEquals(new TreeSet<>(), missing);
    }

    /** Otherwise Maven has mediated something else than what is tested. */
    @Test
    void holdfast_isThatOfThisBuild() throws Exception {
        assertTrue(
                place(LettuceDriver.class).matches(".*(holdfast-lettuce-[^/]*\\.jar|lettuce/target/classes/?)"),
                place(LettuceDriver.class));
    }

    private static List<Path> tested(String driver) throws IOException {
        try (Stream<Path> files = Files.list(REPORTS)) {
            List<Path> reports = files.filter(file ->
                            file.getFileName().toString().startsWith("TEST-io.holdfast.platforms." + driver + "."))
                    .sorted()
                    .toList();
            assertTrue(!reports.isEmpty(), "no reports of the tests over " + driver);
            return reports;
        }
    }

    private static int count(List<Path> reports) throws IOException {
        int tests = 0;
        for (Path report : reports) {
            Matcher found =
                    Pattern.compile("<testsuite [^>]*? tests=\"(\\d+)\"").matcher(Files.readString(report));
            assertTrue(found.find(), report::toString);
            tests += Integer.parseInt(found.group(1));
        }
        return tests;
    }

    /** The version in the name of the jar that a class comes from. */
    private static String version(Class<?> type, String ending) throws URISyntaxException {
        Matcher found = Pattern.compile("-(\\d[^/]*)" + Pattern.quote(ending) + "\\.jar$")
                .matcher(place(type));
        assertTrue(found.find(), () -> type + " comes from no jar with a version");
        return found.group(1);
    }

    private static String place(Class<?> type) throws URISyntaxException {
        return type.getProtectionDomain().getCodeSource().getLocation().toURI().getPath();
    }
}
