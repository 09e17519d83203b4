package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.RedisServer;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The library example of the README and of the quick start, as it stands there: it compiles, runs, and leaves nothing held. */
class ReadmeExampleTest {
    private static final String ADDRESS = "redis://localhost:6379";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"../README.md", "../docs/guide/quick-start.md"})
    void libraryExample_compiledAndRun_works(String document) throws Exception {
        String readme = Files.readString(Path.of(document));
        int begin = readme.indexOf("```java\n") + "```java\n".length();
        String example = readme.substring(begin, readme.indexOf("```", begin));
        assertTrue(example.contains(ADDRESS), "the example connects to " + ADDRESS);

        try (RedisServer server = RedisServer.start()) {
            String source = """
                    import io.holdfast.*;
                    import java.time.Duration;
                    import java.util.Optional;

                    public class Example {
                        public static void main(String[] args) throws Exception {
                    """ + example.replace(ADDRESS, server.url()) + "}\n}\n";
            GuideExamples.compile("Example", source, folder);
            URL[] classes = {folder.toUri().toURL()};
            try (URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
                loader.loadClass("Example").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            }
            assertEquals(List.of(), server.command("KEYS", "hf:{invoice/42}").asList());
        }
    }
}
