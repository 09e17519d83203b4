package io.holdfast.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The process that ends a server when it is not used any more: one for each server, in a virtual machine of its own,
 * because whoever uses the server last may be killed.
 *
 * <p>Used means connected: whoever joins keeps a connection open. The server counts those that are there and those that
 * ever were, so that a short visit between two looks is not missed.
 *
 * <p>The keeper does these things, and only these:
 *
 * <ol>
 *   <li>At the start it locks the byte of the keeper file whose position is the server's id, and goes if another has
 *       it. By this lock those who join see whether the server has a keeper.
 *   <li>When nobody has been connected for the idle time, it takes the folder's lock, which all take who join; looks
 *       again; ends the server; and removes the record.
 *   <li>When the record is gone or is another server's, it ends its own server at once, without the lock. Nobody can
 *       find it any more, and while some still use it others may get the same locks from its successor.
 *   <li>When the server's process is gone, it goes. It leaves the record to the next who joins.
 *   <li>When the server does not answer, it waits.
 * </ol>
 *
 * <p>It runs from a copy of the classes named in {@link #CLASSES}, alone: these may use no other class of Holdfast and
 * none of a library, have no nested classes, and no lambdas, which double the time to start.
 */
final class Keeper {
    /** The classes that a keeper consists of. */
    static final List<Class<?>> CLASSES =
            List.of(Keeper.class, ServerRecord.class, Wire.class, ProcessBirth.class, FolderLock.class);

    private static final long LONGEST_PAUSE_MILLIS = 3_000;
    private static final long SHORTEST_PAUSE_MILLIS = 20;
    private static final int ANSWER_PATIENCE_MILLIS = 5_000;
    /** A server whose record has no process after this time, and which does not answer, was never started. */
    private static final long START_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** 1 if there is a key of a hold, which ends with a brace, or one with an expiry that is none of Holdfast's other keys: a plain lock. */
    private static final String HELD = "for _, key in ipairs(redis.call('KEYS', '*')) do"
            + " if string.sub(key, -1) == '}' or not string.find(key, ':{', 1, true) and redis.call('PTTL', key) > 0 then"
            + " return 1 end end return 0";

    private final Path folder;
    private final long idleNanos;
    private final long pauseMillis;
    private final long start = System.nanoTime();

    /** The server, as complete as it is known. */
    private ServerRecord record;

    private @Nullable Wire wire;
    private long visits = -1;
    private long lastUse = start;

    private Keeper(Path folder, ServerRecord record, long idleMillis) {
        this.folder = folder;
        this.record = record;
        this.idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMillis);
        this.pauseMillis = Math.max(SHORTEST_PAUSE_MILLIS, Math.min(LONGEST_PAUSE_MILLIS, idleMillis / 10));
    }

    /**
     * Runs until the server is gone. The standard input has the server's password, in as many bytes as there are: not
     * from the file, which may have changed, and not from the command line, which everybody can read.
     *
     * @param args the state folder, the server's id, its port, and the idle time in milliseconds
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path folder = Path.of(args[0]);
        String password = new String(System.in.readAllBytes(), StandardCharsets.US_ASCII);
        if (password.isEmpty()) {
            return; // its starter died before it had started the server
        }
        ServerRecord record = new ServerRecord(Long.parseLong(args[1]), Integer.parseInt(args[2]), password, 0, "");
        try (FileChannel channel = FolderLock.open(folder.resolve(StateFolder.KEEPER))) {
            boolean first = FolderLock.lock(channel, record.id(), 1);
            System.out.write('+');
            System.out.close();
            if (first) {
                new Keeper(folder, record, Long.parseLong(args[3])).run();
            }
        }
    }

    private void run() throws IOException, InterruptedException {
        while (!look()) {
            TimeUnit.MILLISECONDS.sleep(pauseMillis);
        }
    }

    /** One look at the server; true when there is nothing more to do. */
    private boolean look() throws IOException, InterruptedException {
        try {
            ServerRecord current = ServerRecord.read(folder.resolve(StateFolder.ADDRESS));
            boolean ours = false;
            if (current != null && current.id() == record.id()) {
                ours = true;
                record = current;
            }
            Wire open = connect();
            if (!ours) {
                open.shutdown();
                return true;
            }
            if (isUsed(open)) {
                lastUse = System.nanoTime();
            }
            return System.nanoTime() - lastUse >= idleNanos && !isHeld(open) && end(open);
        } catch (IOException e) {
            disconnect();
            if (isGone()) {
                return true;
            }
            // It starts, is stopped, or is busy: it may well be in use.
            lastUse = System.nanoTime();
            return false;
        }
    }

    private Wire connect() throws IOException {
        Wire open = wire;
        if (open == null) {
            open = Wire.open(record.port(), record.password(), "holdfast-keeper", ANSWER_PATIENCE_MILLIS);
            wire = open;
            if (record.complete() && !record.alive()) {
                throw new IOException("another process has the port by now");
            }
        }
        return open;
    }

    private boolean isGone() throws IOException {
        if (record.complete()) {
            return !record.alive();
        }
        return System.nanoTime() - start >= START_PATIENCE_NANOS;
    }

    /** Whether somebody is connected, or was since the last look. */
    private boolean isUsed(Wire open) throws IOException {
        long before = visits;
        visits = number(open.command("INFO", "stats"), "total_connections_received:");
        // One is the keeper itself.
        return visits != before || number(open.command("INFO", "clients"), "connected_clients:") > 1;
    }

    /**
     * Whether a lock is held, perhaps without a connected client: it rests until its minimum hold time is over, was left to its lease duration,
     * or its holder was killed. Every hold expires.
     */
    private static boolean isHeld(Wire open) throws IOException {
        return open.command("EVAL", HELD, "0").equals("1");
    }

    private static long number(String info, String name) throws IOException {
        int from = info.indexOf(name);
        int to = from < 0 ? -1 : info.indexOf('\r', from);
        if (to < 0) {
            throw new IOException("the server does not tell its " + name);
        }
        return Long.parseLong(info.substring(from + name.length(), to));
    }

    /** Ends the server if it is still unused under the folder's lock. */
    private boolean end(Wire open) throws IOException, InterruptedException {
        FolderLock lock;
        try {
            lock = FolderLock.take(folder.resolve(StateFolder.LOCK), 0);
        } catch (NoSuchFileException e) {
            return false; // the folder was removed: the next look will see it
        }
        if (lock == null) {
            return false; // somebody is joining
        }
        try {
            ServerRecord current = ServerRecord.read(folder.resolve(StateFolder.ADDRESS));
            if (current == null || current.id() != record.id()) {
                return false;
            }
            if (isUsed(open) || isHeld(open)) {
                lastUse = System.nanoTime();
                return false;
            }
            // In this order: were the record removed first and the keeper killed then, nobody would end the server.
            open.shutdown();
            Files.deleteIfExists(folder.resolve(StateFolder.ADDRESS));
            return true;
        } finally {
            lock.close();
        }
    }

    private void disconnect() {
        Wire open = wire;
        wire = null;
        visits = -1;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // It is gone all the same.
            }
        }
    }
}
