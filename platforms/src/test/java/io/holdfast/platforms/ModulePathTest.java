package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.module.FindException;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program made of modules, for each driver, compiled and run with the versions of the platform. */
class ModulePathTest {
    private static final Path SOURCES = Path.of("../src/modules");

    /** Modules that only the tests need, or the other things on their class path. */
    private static final List<String> OF_TESTS = List.of(
            "org.junit.",
            "org.opentest4j",
            "org.apiguardian",
            "io.holdfast.testkit",
            "holdfast.contracts",
            "embedded.redis",
            "ch.qos.logback");

    private static final List<String> OF_METRICS =
            List.of("io.holdfast.micrometer", "micrometer.", "org.hdrhistogram", "HdrHistogram", "LatencyUtils");
    private static final List<String> OF_LETTUCE =
            List.of("io.holdfast.lettuce", "lettuce.", "io.netty", "reactor.", "org.reactivestreams", "redis.authx");
    private static final List<String> OF_JEDIS = List.of(
            "io.holdfast.jedis", "redis.clients.jedis", "com.google.gson", "org.json", "org.apache.commons.pool2");

    @TempDir
    Path folder;

    @Test
    void program_lettuce_runs() throws Exception {
        compileAndRun("lettuce", OF_JEDIS);
    }

    @Test
    void program_jedis_runs() throws Exception {
        compileAndRun("jedis", OF_LETTUCE);
    }

    private void compileAndRun(String driver, List<String> without) throws Exception {
        String modulePath = modulePathWithout(without);
        assertTrue(modulePath.contains(driver), modulePath);
        compile(driver, modulePath);
        Path output = folder.resolve("output");
        try (RedisServer server = RedisServer.start()) {
            Process process = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "--module-path",
                            folder.resolve("classes") + File.pathSeparator + modulePath,
                            "--module",
                            "app/app.Main",
                            server.url())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            String said = Files.readString(output);
            assertTrue(ended, "not ended within 60 s: " + said);
            assertEquals(0, process.exitValue(), said);
            assertTrue(said.contains("done in module app"), said);
        }
    }

    private void compile(String driver, String modulePath) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> sources = Files.walk(SOURCES.resolve(driver))) {
            List<Path> all =
                    sources.filter(file -> file.toString().endsWith(".java")).toList();
            boolean compiled = compiler.getTask(
                            said,
                            files,
                            null,
                            List.of(
                                    "--release",
                                    "17",
                                    "--module-path",
                                    modulePath,
                                    "-d",
                                    folder.resolve("classes").toString()),
                            null,
                            files.getJavaFileObjectsFromPaths(all))
                    .call();
            assertTrue(compiled, said.toString());
        }
    }

    /** What is on the class path here, without some modules, and without what cannot be a module. */
    private static String modulePathWithout(List<String> other) {
        List<String> kept = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name;
            try {
                name = ModuleFinder.of(Path.of(entry)).findAll().stream()
                        .map(found -> found.descriptor().name())
                        .findFirst()
                        .orElse(null);
            } catch (FindException e) {
                continue;
            }
            if (name != null
                    && Stream.of(OF_TESTS, OF_METRICS, other)
                            .flatMap(List::stream)
                            .noneMatch(name::startsWith)) {
                kept.add(entry);
            }
        }
        return String.join(File.pathSeparator, kept);
    }
}
