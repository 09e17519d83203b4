package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.OnceResult;
import io.holdfast.contracts.servers.RedisServer;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;

/** The Java of the guide compiles against each Spring Boot: all its blocks together, as one file. Work that is done once is run. */
final class SpringGuideTest {
    private static final Path GUIDE = Path.of("../../docs/guide/spring-boot.md");

    private static final Path RECEIPTS = Path.of("../src/test/kotlin/io/holdfast/spring/platforms/Receipts.kt");

    private static final String IMPORTS = """
            import static org.junit.jupiter.api.Assertions.*;
            import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
            import com.tngtech.archunit.core.importer.ClassFileImporter;
            import com.tngtech.archunit.library.ProxyRules;
            import io.holdfast.*;
            import io.holdfast.spring.*;
            import io.holdfast.testkit.LeaseControl;
            import org.junit.jupiter.api.Test;
            import org.springframework.beans.factory.annotation.Autowired;
            import org.springframework.boot.test.context.SpringBootTest;
            import org.springframework.cache.annotation.Cacheable;
            import org.springframework.scheduling.annotation.Scheduled;
            import org.springframework.stereotype.Service;
            import org.springframework.transaction.annotation.Transactional;
            """;

    @TempDir
    private Path folder;

    private void compile() throws Exception {
        StringBuilder source = new StringBuilder(IMPORTS);
        boolean java = false;
        int blocks = 0;
        for (String line : Files.readAllLines(GUIDE)) {
            if (line.startsWith("```")) {
                java = line.equals("```java");
                blocks += java ? 1 : 0;
            } else if (java) {
                source.append(line).append('\n');
            }
        }
        assertEquals(7, blocks, "blocks of Java");
        assertEquals(List.of(), Compiler.errors("Guide", source, folder));
    }

    @Test
    void blocksOfJava_ofTheGuide_compile() throws Exception {
        compile();
    }

    /** The class as the guide has it, in two instances of an application. */
    @Test
    void receipts_ofTheGuide_areSentOnceAndPricesAreShared() throws Exception {
        compile();
        try (RedisServer server = RedisServer.start();
                URLClassLoader classes =
                        new URLClassLoader(new URL[] {folder.toUri().toURL()}, Apps.class.getClassLoader())) {
            Class<?> receipts = classes.loadClass("Receipts");
            try (ConfigurableApplicationContext first = instance(server, receipts);
                    ConfigurableApplicationContext second = instance(server, receipts)) {
                assertEquals("sent 7", call(first, receipts, "send", "7"));
                OnceResult.Done done = second.getBean(Holdfast.class)
                        .once("receipt/7")
                        .result()
                        .orElseThrow();
                assertEquals("sent 7", call(second, receipts, "send", "7"));
                assertEquals(
                        done.token(),
                        second.getBean(Holdfast.class)
                                .once("receipt/7")
                                .result()
                                .orElseThrow()
                                .token(),
                        "sent once");
                assertEquals("apples costs 7", call(first, receipts, "price", "apples"));
                assertEquals(
                        "apples costs 7",
                        second.getBean(CacheManager.class)
                                .getCache("prices")
                                .get("apples")
                                .get());
                assertEquals("apples costs 7", call(second, receipts, "price", "apples"));
            }
        }
    }

    private static ConfigurableApplicationContext instance(RedisServer server, Class<?> receipts) {
        return Apps.start(
                receipts.getClassLoader(),
                Apps.Plain.class,
                Map.of("receipts", receipts, "caching", DoneOnceTest.Caching.class),
                "spring.data.redis.port=" + server.port(),
                "holdfast.cache.single-flight=true");
    }

    private static Object call(ConfigurableApplicationContext instance, Class<?> type, String name, String argument)
            throws Exception {
        Method method = type.getMethod(name, String.class);
        method.setAccessible(true);
        return method.invoke(instance.getBean(type), argument);
    }

    @Test
    void blockOfKotlin_ofTheGuide_isCompiledAndCalled() throws Exception {
        String guide = Files.readString(GUIDE);
        String begin = "```kotlin\n";
        int from = guide.indexOf(begin) + begin.length();
        String block = guide.substring(from, guide.indexOf("```", from));
        assertEquals(from, guide.lastIndexOf(begin) + begin.length(), "one block");
        assertTrue(Files.readString(RECEIPTS).endsWith(block), block);
    }
}
