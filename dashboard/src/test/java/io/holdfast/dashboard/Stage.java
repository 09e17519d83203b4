package io.holdfast.dashboard;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.contracts.servers.RedisServer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** A server, clients that use its locks, and a dashboard that looks at them. */
final class Stage implements AutoCloseable {
    /** Each request stands in the server's queue itself, where it can be seen. */
    static final HoldfastOptions EACH_QUEUED =
            HoldfastOptions.defaults().withLockDefaults(LockOptions.defaults().withStrictOrder());

    final RedisServer server = RedisServer.start();
    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();

    Stage() {
        toClose.push(server);
    }

    /** An application of this name. */
    Holdfast application(String name) {
        return later(Holdfast.connect(server.url(), EACH_QUEUED.withApplication(name)));
    }

    DashboardServer dashboard(boolean changes) throws IOException {
        return dashboard(DashboardServer.Options.defaults().withChanges(changes));
    }

    DashboardServer dashboard(DashboardServer.Options options) throws IOException {
        Holdfast looking = application("holdfast");
        return later(DashboardServer.start(looking, options.withShown("redis://locks.example.com:6379")));
    }

    <T extends AutoCloseable> T later(T resource) {
        toClose.push(resource);
        return resource;
    }

    @Override
    public void close() throws Exception {
        while (!toClose.isEmpty()) {
            toClose.pop().close();
        }
    }
}
