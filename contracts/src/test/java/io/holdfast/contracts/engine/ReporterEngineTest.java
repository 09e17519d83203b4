package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.HoldfastOptions;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.report.Hearing;
import io.holdfast.internal.report.Reporter;
import io.holdfast.internal.wire.Keys;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client reports of itself at its end. */
class ReporterEngineTest {
    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final Client client =
            new Client(server.driver(), HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));

    /** A request begins in another thread just when the client is closed: it is about to find that, and still counts as one that waits. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report_requestPendsAndTheClientIsClosed_isNotWritten(boolean closed) {
        String lock = Keys.of("hf", Keys.Kind.LOCK, "a").hold();
        Reporter reporter = new Reporter(
                client.kit, client.server, Hearing.onOneServer(client.kit, client.server), to -> to.accept(lock, 0));
        if (closed) {
            client.kit.close();
        }
        boolean[] told = new boolean[1];
        reporter.report(() -> told[0] = true);
        assertEquals(true, told[0]);
        assertEquals(closed ? 0 : 2, server.command("KEYS", "*").asList().size());
    }
}
