package io.holdfast.faults.campaign;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
            Path library = ClockLibrary.build(folder);
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
            return new ServerClock(null, String.valueOf(e.getMessage()));
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
        ClockLibrary.shift(Objects.requireNonNull(offset), micros);
    }
}
