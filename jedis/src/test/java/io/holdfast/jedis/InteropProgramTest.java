package io.holdfast.jedis;

import io.holdfast.contracts.GuideExamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of {@code interop/run}, which no module contains, compiles: the run itself needs a registry of other packages. */
class InteropProgramTest {
    @Test
    void program_compiles(@TempDir Path folder) throws IOException {
        GuideExamples.compile("Interop", Files.readString(Path.of("../interop/Interop.java")), folder);
    }
}
