package io.holdfast.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lock on a state folder: at most one thread among all processes of the user has it. It ends with its process, also
 * when that is killed.
 *
 * <p>The keeper uses this class too: see {@link Keeper} for what that forbids.
 */
final class FolderLock implements AutoCloseable {
    /** The operating system's lock is the process's, so threads of one process need another in front of it. */
    private static final ReentrantLock WITHIN_PROCESS = new ReentrantLock();

    private static final long FIRST_PAUSE_NANOS = 500_000;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000;

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock.
     *
     * @param patienceNanos how long to wait if another has it; 0 does not wait
     * @return the lock, or null if the time was not enough
     * @throws java.nio.file.NoSuchFileException if the folder is gone
     * @throws InterruptedException if the thread is interrupted; the lock is not taken
     */
    static @Nullable FolderLock take(Path file, long patienceNanos) throws IOException, InterruptedException {
        long start = System.nanoTime();
        if (!WITHIN_PROCESS.tryLock(patienceNanos, TimeUnit.NANOSECONDS)) {
            return null;
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = open(file);
            // Not the blocking FileChannel.lock(), which knows no bound: its holder may be frozen.
            long pause = FIRST_PAUSE_NANOS;
            while (!lock(channel, 0, Long.MAX_VALUE)) {
                if (System.nanoTime() - start >= patienceNanos) {
                    return null;
                }
                TimeUnit.NANOSECONDS.sleep(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
            taken = true;
            return new FolderLock(channel);
        } finally {
            if (!taken) {
                try {
                    if (channel != null) {
                        channel.close();
                    }
                } finally {
                    WITHIN_PROCESS.unlock();
                }
            }
        }
    }

    /** Opens a file for locking, and creates it if there is none. */
    static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /** Locks a range of a file until the channel is closed; false if another has it. */
    @SuppressWarnings("resource") // the lock ends with the channel
    static boolean lock(FileChannel channel, long position, long size) throws IOException {
        try {
            FileLock lock = channel.tryLock(position, size, false);
            return lock != null;
        } catch (OverlappingFileLockException e) {
            // Another copy of this class in this JVM, from another class loader.
            return false;
        }
    }

    /** Gives the lock back. Only by the thread that took it. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            WITHIN_PROCESS.unlock();
        }
    }
}
