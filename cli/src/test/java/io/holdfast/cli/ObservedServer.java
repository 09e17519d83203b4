package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** What tests of commands stand on: one server for the class, and a client that sees from outside what a command has done. */
abstract class ObservedServer {
    static RedisServer server;
    static Holdfast observer;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        observer = Holdfast.connect(server.url());
    }

    @AfterAll
    static void stop() {
        observer.close();
        server.close();
    }
}
