package io.holdfast.dashboard;

import io.holdfast.contracts.GuideExamples;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DashboardGuideTest {
    @Test
    void examples_ofTheGuide_compile(@TempDir Path folder) throws IOException {
        GuideExamples.compile(Path.of("../docs/guide/dashboard.md"), 1, """
                import com.sun.net.httpserver.HttpServer;
                import io.holdfast.*;
                import io.holdfast.dashboard.*;
                import java.net.InetSocketAddress;
                """, "Holdfast holdfast", folder);
    }
}
