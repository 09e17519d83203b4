package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java of the guide compiles against each Spring Boot: all its blocks together, as one file. */
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

    @Test
    void blocksOfJava_ofTheGuide_compile() throws Exception {
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
    void blockOfKotlin_ofTheGuide_isCompiledAndCalled() throws Exception {
        String guide = Files.readString(GUIDE);
        String begin = "```kotlin\n";
        int from = guide.indexOf(begin) + begin.length();
        String block = guide.substring(from, guide.indexOf("```", from));
        assertEquals(from, guide.lastIndexOf(begin) + begin.length(), "one block");
        assertTrue(Files.readString(RECEIPTS).endsWith(block), block);
    }
}
