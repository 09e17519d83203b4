package io.holdfast.benchmarks;

import io.holdfast.contracts.servers.RedisServer;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * Where and with what a run took place.
 *
 * @param facts in words, by what they are of
 */
record Machine(Map<String, String> facts) {
    /** To be called while the machine does nothing else. */
    static Machine look(Scale scale, @Nullable Path newJdk, boolean awake) throws InterruptedException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "run",
                scale.name() + ", " + scale.rounds() + " rounds, begun "
                        + Instant.now().truncatedTo(ChronoUnit.SECONDS));
        facts.put(
                "machine",
                Runtime.getRuntime().availableProcessors() + " cores of " + processor() + ", "
                        + System.getProperty("os.name") + " " + System.getProperty("os.version"));
        if (awake) {
            facts.put("cores", "kept awake by loops of idle priority");
        }
        facts.put("load at the start", firstOf(Path.of("/proc/loadavg")));
        facts.put("JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        if (newJdk != null) {
            facts.put("JVM for virtual threads", releaseOf(newJdk));
        }
        try (RedisServer server = RedisServer.start()) {
            Map<String, String> info = ServerCounts.info(server, "everything");
            facts.put(
                    "server",
                    "Redis " + info.getOrDefault("redis_version", "?") + ", allocator "
                            + info.getOrDefault("mem_allocator", "?"));
            facts.putAll(MachineTerms.measure(server).facts());
        }
        facts.put(
                "libraries",
                String.join(
                        ", ",
                        List.of(
                                "Redisson " + versionOf(Redisson.class),
                                "Spring Integration " + versionOf(RedisLockRegistry.class),
                                "Lettuce " + versionOf(RedisClient.class),
                                "Jedis " + versionOf(redis.clients.jedis.RedisClient.class))));
        return new Machine(facts);
    }

    /** The same, and that some scenarios were measured in a later run, which had these facts. */
    Machine with(Machine later, Set<String> scenarios) {
        Map<String, String> both = new LinkedHashMap<>(facts);
        both.put("by itself: " + String.join(", ", scenarios), String.join("; ", later.facts.values()));
        return new Machine(both);
    }

    private static String versionOf(Class<?> type) {
        String version = type.getPackage().getImplementationVersion();
        if (version != null) {
            return version;
        }
        // Some jars do not say; their names do.
        String file = Path.of(
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .getFileName()
                .toString();
        return file.replaceAll("^[^0-9]*|\\.jar$", "");
    }

    private static String processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    private static String releaseOf(Path jdk) {
        try {
            return Files.readAllLines(jdk.resolve("release")).stream()
                    .filter(line -> line.startsWith("JAVA_RUNTIME_VERSION=") || line.startsWith("IMPLEMENTOR_VERSION="))
                    .map(line -> line.substring(line.indexOf('=') + 1).replace("\"", ""))
                    .findFirst()
                    .orElse("?");
        } catch (IOException e) {
            return "?";
        }
    }

    private static String firstOf(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "?";
        }
    }
}
