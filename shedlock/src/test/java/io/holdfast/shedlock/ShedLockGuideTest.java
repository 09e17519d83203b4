package io.holdfast.shedlock;

import io.holdfast.contracts.GuideExamples;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShedLockGuideTest {
    @Test
    void examples_ofTheGuide_compile(@TempDir Path folder) throws IOException {
        GuideExamples.compile(Path.of("../docs/guide/shedlock.md"), 3, """
                import io.holdfast.*;
                import io.holdfast.shedlock.HoldfastLockProvider;
                import net.javacrumbs.shedlock.core.LockProvider;
                import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
                import org.springframework.context.annotation.*;
                import org.springframework.data.redis.connection.RedisConnectionFactory;
                """, "Holdfast holdfast", folder);
    }
}
