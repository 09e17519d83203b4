package io.holdfast.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.holdfast.LockEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the code opens by name, or looks for by name, stands in the metadata for native images: in one file as it is from
 * GraalVM for JDK 23 on, and in others as it was before.
 */
final class NativeMetadataTest {
    /** For tests, which run on a JVM; and what has hints of its own, for Spring. */
    private static final Set<String> WITHOUT = Set.of("testkit", "spring-boot-starter");

    private static final String NEW = "reachability-metadata.json";

    private static final Pattern OPENED = Pattern.compile("\\bgetResource(?:AsStream)?\\(\\s*([^;]*?)\\)(?:\\)|;)");
    private static final Pattern CLASS_NAME = Pattern.compile("\"((?:[a-z]\\w*\\.){2,}[A-Z]\\w*)\"");

    /** By what stands in the parentheses: names of resources that it may mean. */
    private static final Map<String, List<String>> MEANT = Map.of(
            "\"/io/holdfast/lua/\" + file", List.of("io/holdfast/lua/acquire.lua"),
            "\"/META-INF/maven/redis.clients/jedis/pom.properties\"",
                    List.of("META-INF/maven/redis.clients/jedis/pom.properties"),
            "name", List.of("redis-server-7.0.15-linux-amd64"),
            "\"page/\" + name", List.of("io/holdfast/dashboard/page/index.html"),
            "LICENCE", List.of("io/holdfast/embedded/REDIS-LICENSE.txt"),
            "type.getSimpleName() + \".class\"",
                    Stream.of("Keeper", "ServerRecord", "Wire", "ProcessBirth", "FolderLock")
                            .map(type -> "io/holdfast/embedded/" + type + ".class")
                            .toList());

    static List<BuildModule> modules() throws Exception {
        return PublicSurfaceTest.libraries().stream()
                .filter(module -> !WITHOUT.contains(module.toString()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void resources_ofTheModule_areNamed(BuildModule module) throws Exception {
        for (Path file : module.files("src/main/resources")) {
            if (!file.startsWith("META-INF")) {
                assertKept(module, file.toString());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modules")
    void resources_thatTheCodeOpens_areNamed(BuildModule module) throws Exception {
        for (Path file : module.files("src/main/java")) {
            Matcher opened = OPENED.matcher(source(module, file));
            while (opened.find()) {
                if (!opened.group(1).isEmpty()) { // a pool of connections has a method of that name
                    List<String> meant = MEANT.get(opened.group(1));
                    assertTrue(meant != null, file + ": what is meant by " + opened.group() + " is to be said here");
                    for (String resource : meant) {
                        assertKept(module, resource);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modules")
    void classes_thatTheCodeLooksForByName_areNamed(BuildModule module) throws Exception {
        TreeSet<String> wanted = new TreeSet<>();
        for (Path file : module.files("src/main/java")) {
            String source = source(module, file);
            if (source.contains("Class.forName(")) {
                CLASS_NAME.matcher(source).results().forEach(name -> wanted.add(name.group(1)));
            }
        }
        wanted.remove("redis.clients.jedis.JedisSentinelPool"); // compared, and not looked for
        Set<String> before = types(module, "reflect-config.json", "name");
        Set<String> present = types(module, NEW, "type");
        assertEquals(before, present);
        wanted.removeAll(present);
        assertEquals(Set.of(), wanted);
    }

    @Test
    void events_whichLogLinesAreMadeOfByReflection_areNamed() throws Exception {
        BuildModule core = modules().stream()
                .filter(module -> module.toString().equals("core"))
                .findFirst()
                .orElseThrow();
        Set<String> present = types(core, NEW, "type");
        for (Class<?> event : LockEvent.class.getPermittedSubclasses()) {
            assertTrue(present.contains(event.getName()), event.getName());
        }
    }

    private static String source(BuildModule module, Path file) throws IOException {
        return Files.readString(module.folder().resolve("src/main/java").resolve(file));
    }

    private static void assertKept(BuildModule module, String resource) throws Exception {
        assertTrue(
                patterns(module, "resource-config.json").stream()
                        .anyMatch(pattern -> resource.matches(
                                pattern.getAsJsonObject().get("pattern").getAsString())),
                module + ", resource-config.json: " + resource);
        assertTrue(
                patterns(module, NEW).stream()
                        .map(glob -> glob.getAsJsonObject().get("glob").getAsString())
                        .map(NativeMetadataTest::matcher)
                        .anyMatch(glob -> glob.test(resource)),
                module + ", " + NEW + ": " + resource);
    }

    /** A star is within one folder. */
    private static Predicate<String> matcher(String glob) {
        return Pattern.compile(Pattern.quote(glob).replace("*", "\\E[^/]*\\Q")).asMatchPredicate();
    }

    private static List<JsonElement> patterns(BuildModule module, String file) throws Exception {
        JsonElement resources = read(module, file).getAsJsonObject().get("resources");
        JsonElement list = resources instanceof JsonObject old ? old.get("includes") : resources;
        return list == null ? List.of() : ((JsonArray) list).asList();
    }

    private static Set<String> types(BuildModule module, String file, String key) throws Exception {
        JsonElement all = read(module, file);
        JsonElement list = all instanceof JsonObject now ? now.get("reflection") : all;
        List<String> types = new ArrayList<>();
        if (list != null) {
            for (JsonElement type : (JsonArray) list) {
                JsonElement name = type.getAsJsonObject().get(key);
                if (name.isJsonPrimitive()) { // else a proxy
                    types.add(name.getAsString());
                }
            }
        }
        return Set.copyOf(types);
    }

    /** Empty if there is no such file. */
    private static JsonElement read(BuildModule module, String file) throws Exception {
        Path path = module.folder()
                .resolve("src/main/resources/META-INF/native-image/io.holdfast")
                .resolve(module.artifact())
                .resolve(file);
        return Files.exists(path) ? JsonParser.parseString(Files.readString(path)) : new JsonObject();
    }
}
