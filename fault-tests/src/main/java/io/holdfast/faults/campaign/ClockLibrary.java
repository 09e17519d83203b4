package io.holdfast.faults.campaign;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A library that a program loads before its own, and that shifts its wall clock; see clock.c. It needs a C compiler. */
final class ClockLibrary {
    private ClockLibrary() {}

    /**
     * Compiles it.
     *
     * @throws IOException with the reason, if that cannot be done here
     */
    static Path build(Path folder) throws IOException {
        Path library = folder.resolve("clock.so");
        Path source = folder.resolve("clock.c");
        try (InputStream in = Objects.requireNonNull(ClockLibrary.class.getResourceAsStream("clock.c"))) {
            Files.write(source, in.readAllBytes());
        }
        Process cc;
        try {
            cc = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("clock.log").toFile())
                    .start();
        } catch (IOException e) {
            throw new IOException("there is no C compiler: " + e.getMessage(), e);
        }
        try {
            if (!cc.waitFor(60, TimeUnit.SECONDS) || cc.exitValue() != 0) {
                throw new IOException("the C compiler failed, see clock.log");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return library;
    }

    /** Sets what a program that was started with this file is shifted by. */
    static void shift(Path offset, long micros) {
        // In place: programs have it mapped, and a file that is shorter for a moment would end them.
        try (FileChannel file = FileChannel.open(offset, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            file.write(bytes.putLong(0, micros), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
