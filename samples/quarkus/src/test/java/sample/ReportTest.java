package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.holdfast.LossReason;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;
import jakarta.inject.Inject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the guide says of Quarkus. */
@QuarkusTest
@QuarkusTestResource(LocksServer.class)
class ReportTest {
    @Inject
    Report report;

    @Inject
    Holdfast holdfast;

    @Inject
    Vertx vertx;

    @Inject
    @Readiness
    LocksReady ready;

    @ConfigProperty(name = "locks.url")
    String url;

    /** A client of another process, as far as the server can tell: with a Vert.x of its own. */
    private Holdfast other;

    @BeforeEach
    void connect() {
        other = Holdfast.connect(url);
    }

    @AfterEach
    void close() {
        other.close();
    }

    @Test
    void report_otherProcessHasTheLock_isMadeWhenItIsReleased() throws Exception {
        Lease lease = other.lock("samples/report").acquire();
        CompletableFuture<Integer> made = CompletableFuture.supplyAsync(() -> report.make(() -> {}));
        while (other.inspect().queue("samples/report").isEmpty()) {
            Thread.onSpinWait();
        }
        assertFalse(made.isDone());
        lease.release();
        assertTrue(made.get(15, TimeUnit.SECONDS) > 0);
    }

    @Test
    void report_whileItIsMade_isLockedForOthers() {
        report.make(() -> assertTrue(isTakenForOthers()));
        assertFalse(isTakenForOthers());
    }

    private boolean isTakenForOthers() {
        try {
            return other.lock("samples/report").tryCall(lease -> "free").isEmpty();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void report_onAnEventLoop_isRefused() {
        CompletableFuture<Integer> made = new CompletableFuture<>();
        vertx.runOnContext(nothing -> {
            try {
                made.complete(report.make(() -> {}));
            } catch (RuntimeException e) {
                made.completeExceptionally(e);
            }
        });
        ExecutionException e = assertThrows(ExecutionException.class, () -> made.get(15, TimeUnit.SECONDS));
        assertInstanceOf(IllegalStateException.class, e.getCause());
    }

    @Test
    void lease_takenAwayOnPurpose_isLost() throws Exception {
        Lease lease = holdfast.lock("lost").acquire();
        other.admin().release("lost");
        assertEquals(LossReason.REVOKED, lease.whenLost().toCompletableFuture().get(15, TimeUnit.SECONDS));
    }

    @Test
    void lease_handedOver_goesOnInTheOtherProcess() throws Exception {
        Lease given = holdfast.lock("handed").acquire();
        Lease adopted = other.adopt(LeaseTicket.decode(given.ticket().encoded()));
        given.detach();
        assertEquals(given.token(), adopted.token());
        assertTrue(holdfast.lock("handed").tryAcquire().isEmpty());
        adopted.release();
        holdfast.lock("handed").acquire().release();
    }

    @Test
    void health_serverAnswers_isUp() {
        assertEquals(HealthCheckResponse.Status.UP, ready.call().getStatus());
    }
}
