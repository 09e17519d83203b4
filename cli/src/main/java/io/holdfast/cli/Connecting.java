package io.holdfast.cli;

import io.holdfast.Holdfast;
import org.jspecify.annotations.Nullable;

/** Connects on a thread of its own, while the main thread still reads the command line. */
final class Connecting extends Thread {
    private final Server server;
    private final String application;
    private final boolean quiet;
    // Written by this thread before it ends, read by those who have joined it.
    private @Nullable Holdfast client;
    private @Nullable Throwable failure;

    Connecting(Server server, String application, boolean quiet) {
        super("holdfast-connect");
        this.server = server;
        this.application = application;
        this.quiet = quiet;
        setDaemon(true);
    }

    @Override
    public void run() {
        try {
            client = server.connect(application, quiet);
        } catch (Throwable e) {
            failure = e;
        }
    }

    /** The client, when it is there; or what went wrong. */
    Holdfast await() throws InterruptedException {
        join();
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        if (client == null) {
            throw new IllegalStateException("connecting ended with nothing");
        }
        return client;
    }
}
