package io.holdfast.spring.integration;

import io.holdfast.contracts.GuideExamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpringIntegrationGuideTest {
    @Test
    void examples_ofTheGuide_compile(@TempDir Path folder) throws IOException {
        Path docs = Path.of("..", "docs", "guide", "spring-integration.md");
        // The modules that run these tests with Spring Integration 7 are one folder deeper.
        GuideExamples.compile(
                Files.exists(docs) ? docs : Path.of("..").resolve(docs),
                4,
                """
                import io.holdfast.*;
                import io.holdfast.spring.integration.HoldfastLockRegistry;
                import java.time.Duration;
                import org.springframework.context.annotation.*;
                import org.springframework.data.redis.connection.RedisConnectionFactory;
                import org.springframework.integration.leader.Candidate;
                import org.springframework.integration.redis.util.RedisLockRegistry;
                import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
                """,
                "Holdfast holdfast, Candidate candidate",
                folder);
    }
}
