package io.holdfast.embedded;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisAddress;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A share in the server of one state folder, whichever server that is at the time.
 *
 * <p>An open connection is what makes it: the keeper counts them, and the system closes them with the process.
 */
final class Share implements EmbeddedServer {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    /** Joins the folder's server, or starts one. */
    @FunctionalInterface
    interface Joining {
        /** What was joined. */
        Joined join();
    }

    /** A server that was joined, and the connection to it. */
    record Joined(ServerRecord record, Wire wire) {}

    private final StateFolder folder;
    private final Joining joining;
    private final Presence presence;
    private final Set<String> presented = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock(); // one thread finds the server at a time
    private volatile Joined joined; // written under the lock
    private boolean closed; // guarded by lock

    Share(StateFolder folder, Joined joined, Joining joining) {
        this.folder = folder;
        this.joined = joined;
        this.joining = joining;
        this.presence = new Presence(folder);
    }

    @Override
    public RedisAddress address() {
        return address(joined.record());
    }

    private static RedisAddress address(ServerRecord record) {
        return new RedisAddress("127.0.0.1", record.port(), false, null, record.password(), 0);
    }

    /** Whether the server is the bundled program; false if that cannot be seen. */
    boolean isBundled() {
        return ProcessHandle.of(joined.record().pid())
                .flatMap(each -> each.info().command())
                .filter(ServerProgram::isBundled)
                .isPresent();
    }

    @Override
    public RedisAddress find() {
        lock.lock();
        try {
            if (closed) {
                throw DriverException.unknown("the share in the embedded server was closed", null);
            }
            ServerRecord mine = joined.record();
            if (!isCurrent(mine)) {
                Joined other = joining.join();
                close(joined.wire());
                joined = other;
                if (other.record().id() != mine.id()) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            () -> "the embedded server (" + mine + ") has ended, and with it its locks; joined "
                                    + other.record());
                }
            }
            return address();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a server lives and is the one that all join. Whether it answers, its connections will tell; and asking here
     * would be one more request to a server that is perhaps stuck.
     */
    private boolean isCurrent(ServerRecord mine) {
        try {
            ServerRecord current = ServerRecord.read(folder.file(StateFolder.ADDRESS));
            return current != null && current.id() == mine.id() && current.alive();
        } catch (IOException e) {
            throw DriverException.unknown("could not look for the embedded server: " + e.getMessage(), e);
        }
    }

    @Override
    public void present(String client, long... others) {
        try {
            presented.add(client);
            presence.tell(client, others);
        } catch (IOException e) {
            // As much as without: its locks expire at the end of their lease durations.
            LOG.log(
                    System.Logger.Level.DEBUG,
                    () -> "other processes will not see when this process has ended: " + e.getMessage());
        }
    }

    @Override
    public void conceal(String client) {
        presence.forget(client);
    }

    @Override
    public boolean hasEnded(String client) {
        return presence.hasEnded(client);
    }

    @Override
    public void close() {
        @Nullable Wire open = null;
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                open = joined.wire();
            }
        } finally {
            lock.unlock();
        }
        if (open == null) {
            return;
        }
        for (String client : presented) {
            try {
                presence.forget(client);
            } catch (DriverException e) {
                LOG.log(System.Logger.Level.DEBUG, String.valueOf(e.getMessage()));
            }
        }
        close(open);
    }

    private static void close(Wire wire) {
        try {
            wire.close();
        } catch (IOException e) {
            // The connection is gone all the same.
        }
    }
}
