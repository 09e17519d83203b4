package io.holdfast.embedded;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A provider of one real Redis or Valkey server that all processes of this user on this machine share. The first process to
 * {@linkplain #join() join} starts the server. It listens on 127.0.0.1 only, asks for a password that only this user can read,
 * keeps nothing on disk, and outlives the process that started it. If it ends, processes that are connected join again. About
 * 30 seconds after the last process has closed its clients or ended, in whatever way, the server ends by itself, and with it
 * every lock.
 *
 * <p>The program is a {@code valkey-server} or {@code redis-server} on the search path if that is not older than the bundled
 * Redis 7.0.15, else the bundled one. On a platform for which no program is bundled, 6.2 on the search path is new enough.
 *
 * <p>System properties, or else environment variables, change this:
 *
 * <ul>
 *   <li>{@code holdfast.embedded.home}, {@code HOLDFAST_HOME}: the folder through which the processes find each other.
 *       Those with different folders have different servers. By default below {@code ~/.cache/holdfast}, on macOS
 *       {@code ~/Library/Caches/holdfast}; for a user without a home, {@code $XDG_RUNTIME_DIR/holdfast}.
 *   <li>{@code holdfast.embedded.server}, {@code HOLDFAST_SERVER}: the program to start, as a path or a name, or
 *       {@code bundled}.
 *   <li>{@code holdfast.embedded.idleMillis}, {@code HOLDFAST_IDLE_MILLIS}: how long an unused server stays; 30,000 by
 *       default, at least 100.
 * </ul>
 */
public final class SharedServerProvider implements EmbeddedServerProvider {
    /** Enough for another process to start the server. */
    private static final long LOCK_PATIENCE_SECONDS = 10;

    /** A server that says nothing for so long is stuck, or its machine is of no use at the moment. */
    private static final int ANSWER_PATIENCE_MILLIS = 2_000;

    private static final String CONNECTION_NAME = "holdfast-share";

    private final @Nullable Settings settings;

    /** For {@link java.util.ServiceLoader}. */
    public SharedServerProvider() {
        this(null);
    }

    SharedServerProvider(@Nullable Settings settings) {
        this.settings = settings;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Takes a few milliseconds if the server runs, and some tenths of a second if it must be started. Every wait is
     * limited: two seconds for a running server that does not answer, ten for another process that joins, ten for each
     * step of starting a server.
     *
     * @throws DriverException {@code UNKNOWN} if there is no server program for this platform, if it could not be
     *     started, if the folder is not safe from other users, if a running server does not answer, or if the thread is
     *     interrupted, whose interrupt status stays set; the message says what to do
     */
    @Override
    public EmbeddedServer join() {
        Settings chosen = settings == null ? Settings.read() : settings;
        try {
            StateFolder folder = StateFolder.open(chosen);
            return new Share(folder, join(chosen, folder), () -> join(chosen, folder));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Returns whether the server of a share is the bundled program, and not one of this machine, which its distribution keeps
     * free of known vulnerabilities. Returns false if this cannot be determined.
     */
    public static boolean isBundled(EmbeddedServer share) {
        return share instanceof Share ours && ours.isBundled();
    }

    private static DriverException failed(IOException e) {
        return DriverException.unknown("could not join the embedded server: " + reason(e), e);
    }

    /** In words: of many failures of the file system the message is the path, and the class says what was wrong. */
    static String reason(IOException e) {
        String message = String.valueOf(e.getMessage());
        if (!(e instanceof FileSystemException failure) || failure.getReason() != null) {
            return message;
        }
        String what = e instanceof NoSuchFileException
                ? "there is no such file or folder, and none can be made"
                : e instanceof AccessDeniedException
                        ? "permission denied"
                        : e instanceof FileAlreadyExistsException
                                ? "something else is there"
                                : e.getClass().getSimpleName();
        return message + " (" + what + ")";
    }

    private static Share.Joined join(Settings settings, StateFolder folder) {
        try {
            folder.ensure();
            try (FolderLock lock =
                    FolderLock.take(folder.file(StateFolder.LOCK), TimeUnit.SECONDS.toNanos(LOCK_PATIENCE_SECONDS))) {
                if (lock == null) {
                    throw DriverException.unknown(
                            "another process has kept the lock file " + folder.file(StateFolder.LOCK) + " for "
                                    + LOCK_PATIENCE_SECONDS
                                    + " seconds: if that process is stopped, let it go on, or end it",
                            null);
                }
                return joinLocked(settings, folder);
            }
        } catch (InterruptedException | ClosedByInterruptException e) {
            Thread.currentThread().interrupt();
            throw DriverException.unknown("interrupted while joining the embedded server", e);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static Share.Joined joinLocked(Settings settings, StateFolder folder)
            throws IOException, InterruptedException {
        ServerRecord record = ServerRecord.read(folder.file(StateFolder.ADDRESS));
        Wire wire = record == null ? null : reach(record);
        ServerLauncher launcher = new ServerLauncher(settings, folder);
        if (record == null || wire == null) {
            new Presence(folder).sweep();
            record = launcher.start();
            wire = Wire.open(record.port(), record.password(), CONNECTION_NAME, ANSWER_PATIENCE_MILLIS);
        } else if (!folder.isKept(record.id())) {
            try {
                launcher.keep(record);
            } catch (IOException e) {
                wire.close();
                throw e;
            }
        }
        return new Share.Joined(record, wire);
    }

    /** Connects to a server; null if there is none any more. */
    private static @Nullable Wire reach(ServerRecord record) throws IOException {
        if (!record.complete()) {
            ServerLauncher.discard(record);
            return null;
        }
        Wire wire;
        try {
            wire = Wire.open(record.port(), record.password(), CONNECTION_NAME, ANSWER_PATIENCE_MILLIS);
        } catch (IOException e) {
            if (!record.alive()) {
                return null;
            }
            throw DriverException.unknown(
                    "the embedded server (" + record + ") is there but " + whyNot(record, e)
                            + ". If this does not change, end the server with kill -9 " + record.pid()
                            + "; the processes that use it then lose their locks, are told so, and get another server",
                    e);
        }
        // Only after the connection is this worth anything: as long as the server lives, nobody else has its port. When
        // it is dead, another user may have taken the port and say yes to every password.
        if (record.alive()) {
            return wire;
        }
        wire.close();
        return null;
    }

    private static String whyNot(ServerRecord record, IOException e) throws IOException {
        if (e instanceof ProtocolException) {
            return "refused this process (" + e.getMessage() + ")";
        }
        // It is not ended here: it may have its locks still when it goes on, and their holders rely on it.
        return "did not answer for " + ANSWER_PATIENCE_MILLIS / 1000 + " seconds"
                + (ProcessBirth.isStopped(record.pid())
                        ? " because somebody has stopped it: let it go on with kill -CONT " + record.pid()
                        : "");
    }
}
