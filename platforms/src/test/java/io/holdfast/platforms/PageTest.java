package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
                row + "\n\nJDK " + Runtime.version() + "; with Lettuce " + tested("lettuce") + "; with Jedis "
                        + tested("jedis") + "\n");
        List<String> lines = Files.readAllLines(PAGE);
        assertTrue(lines.contains(row), () -> "docs/compatibility.md should have the line\n" + row);
    }

    @Test
    void contracts_thatRanHere_areOnThePage() throws Exception {
        String page = Files.readString(PAGE);
        TreeSet<String> missing = new TreeSet<>();
        for (String driver : List.of("lettuce", "jedis")) {
            for (String name : tested(driver)) {
                Class<?> contract = Class.forName("io.holdfast.platforms." + driver + "." + name)
                        .getSuperclass();
                if (contract.getPackageName().equals("io.holdfast.contracts")
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

    /** The classes that have a report, without those of an earlier run that no longer exist. */
    private static List<String> tested(String driver) throws IOException {
        String begin = "TEST-io.holdfast.platforms." + driver + ".";
        try (Stream<Path> files = Files.list(REPORTS)) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(begin) && name.endsWith(".xml"))
                    .map(name -> name.substring(begin.length(), name.length() - ".xml".length()))
                    .filter(name ->
                            Files.exists(Path.of("target/test-classes/io/holdfast/platforms", driver, name + ".class")))
                    .sorted()
                    .toList();
            assertFalse(names.isEmpty(), "no reports of tests over " + driver);
            return names;
        }
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
