package io.holdfast.contracts;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of work that is done once have in common: a server for each test, and its clients. */
public abstract class OnceSuite extends LockSuite {
    TestServer server;

    OnceSuite() {}

    @BeforeEach
    final void start() {
        server = startLockServer();
    }

    /** A client whose requests take up a handoff in time, also on a machine that is busy. */
    final Holdfast patient() {
        LockOptions options = LockOptions.defaults().withHandoffTimeout(Duration.ofSeconds(10));
        return client(server.address(), HoldfastOptions.defaults().withLockDefaults(options));
    }

    /** A client whose events tell of what it did not obtain. */
    final Holdfast telling(List<LockEvent.NotObtained> told) {
        return client(server.address(), HoldfastOptions.defaults().withListener(event -> {
            if (event instanceof LockEvent.NotObtained not) {
                told.add(not);
            }
        }));
    }
}
