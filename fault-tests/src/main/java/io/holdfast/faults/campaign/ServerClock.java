package io.holdfast.faults.campaign;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock of the servers, which a library that is loaded before theirs shifts while they run. It needs a C compiler
 * and a server program that is linked dynamically; the one that comes with the tests is not.
 */
final class ServerClock {
    private static final String PROGRAM = "holdfast.test.server"; // what ServerBinary looks at

    private final @Nullable Path offset;
    private final String reason;
    private long micros;

    private ServerClock(@Nullable Path offset, String reason) {
        this.offset = offset;
        this.reason = reason;
    }

    /** A clock that cannot be set. */
    static ServerClock none() {
        return new ServerClock(null, "not asked for");
    }

    /** Lets servers that are started from now on have a clock that can be set, if that is possible here. */
    static ServerClock install(Path folder) {
        String program = System.getProperty(PROGRAM, "");
        if (program.isEmpty()) {
            return new ServerClock(null, "the server program of the tests is linked statically: name another one");
        }
        try {
            Path library = folder.resolve("clock.so");
            Path source = folder.resolve("clock.c");
            try (InputStream in = Objects.requireNonNull(ServerClock.class.getResourceAsStream("clock.c"))) {
                Files.write(source, in.readAllBytes());
            }
            Process cc = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("clock.log").toFile())
                    .start();
            if (!cc.waitFor(60, TimeUnit.SECONDS) || cc.exitValue() != 0) {
                return new ServerClock(null, "the C compiler failed, see clock.log");
            }
            Path offset = folder.resolve("clock.offset");
            Path wrapper = folder.resolve("server-with-clock");
            Files.writeString(
                    wrapper,
                    "#!/bin/sh\nHOLDFAST_CLOCK='" + offset + "' LD_PRELOAD='" + library + "' exec '" + program
                            + "' \"$@\"\n");
            Files.setPosixFilePermissions(wrapper, PosixFilePermissions.fromString("rwx------"));
            ServerClock clock = new ServerClock(offset, "");
            clock.write();
            System.setProperty(PROGRAM, wrapper.toString());
            return clock.works()
                    ? clock
                    : clock.giveUp(program, "the server program is linked statically: name another one");
        } catch (IOException e) {
            return new ServerClock(null, "there is no C compiler: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private ServerClock giveUp(String program, String why) {
        System.setProperty(PROGRAM, program);
        return new ServerClock(null, why);
    }

    private boolean works() {
        try (RedisServer server = RedisServer.start()) {
            long before = seconds(server);
            step(Duration.ofHours(1));
            boolean moved = seconds(server) - before > 3_000;
            step(Duration.ofHours(-1));
            return moved;
        }
    }

    private static long seconds(RedisServer server) {
        List<Reply> time = server.command("TIME").asList();
        return time.get(0).asLong();
    }

    /** Why the clock cannot be set here; empty if it can. */
    Optional<String> problem() {
        return offset == null ? Optional.of(reason) : Optional.empty();
    }

    /** Sets the clocks of all servers forward, or back. */
    void step(Duration by) {
        micros += by.toNanos() / ChronoUnit.MICROS.getDuration().toNanos();
        write();
    }

    /** Sets them right again. */
    void reset() {
        micros = 0;
        if (offset != null) {
            write();
        }
    }

    private void write() {
        // In place: servers have it mapped, and a file that is shorter for a moment would end them.
        try (FileChannel file =
                FileChannel.open(Objects.requireNonNull(offset), StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            file.write(bytes.putLong(0, micros), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
