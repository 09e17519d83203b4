package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.HoldfastOptions;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.report.Hearing;
import io.holdfast.internal.report.Reporter;
import io.holdfast.internal.wire.Keys;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a client reports what it has, and what it reports at its end. */
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

    /** To look at what a client has takes as long as there is much of it, and a long report is written seldom. */
    @Test
    void tick_longReportWritten_looksAgainOnlyWhenTheNextMayBeWritten() {
        long began = client.kit.nanoTime();
        int[] locks = {9_000};
        int[] looks = new int[1];
        Reporter reporter =
                new Reporter(client.kit, client.server, Hearing.onOneServer(client.kit, client.server), to -> {
                    looks[0]++;
                    for (int i = 0; i < locks[0]; i++) {
                        to.accept(lock(i), began);
                    }
                });
        reporter.begins();
        time.advance(Duration.ofSeconds(3));
        assertEquals(1, looks[0]);
        assertEquals(true, report().length() > 200_000, "a report that long is written every ten seconds at most");
        locks[0]++;
        time.advance(Duration.ofSeconds(9));
        assertEquals(1, looks[0]);
        time.advance(Duration.ofMinutes(1));
        assertEquals(true, report().contains(lock(9_000)));
    }

    private static String lock(int number) {
        return Keys.of("hf", Keys.Kind.LOCK, "a lock with a number: " + number).hold();
    }

    private String report() {
        return server.command("GET", Keys.report("hf", client.kit.ids.client())).asString();
    }
}
