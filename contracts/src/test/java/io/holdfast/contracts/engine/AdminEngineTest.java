package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An operator's act hands the lock to a waiter of the very client that acts: it takes it up at once. In virtual time. */
final class AdminEngineTest {
    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final Holdfast other = server.client();
    private final Holdfast ours = server.client();

    @AfterEach
    void close() {
        ours.close();
        other.close();
    }

    private void assertTakenUp(Consumer<Admin> act) {
        other.lock("a").acquireAsync(Wait.none()).join();
        CompletableFuture<Lease> waiting = ours.lock("a").acquireAsync(Wait.forever());
        assertFalse(waiting.isDone());
        server.command("DEL", other.lock("a").key()); // as if its term had ended
        act.accept(ours.admin());
        assertTrue(waiting.isDone(), "it was granted the lock, and nobody told it");
        assertTrue(waiting.join().isValid());
        assertEquals(ReleaseResult.RELEASED, waiting.join().release());
    }

    @Test
    void clean_byTheClientThatWaits_takesUpItsGrant() {
        assertTakenUp(admin -> admin.clean("a"));
    }

    @Test
    void cleanAll_byTheClientThatWaits_takesUpItsGrant() {
        assertTakenUp(Admin::cleanAll);
    }

    @Test
    void release_byTheClientThatWaits_takesUpItsGrant() {
        assertTakenUp(admin -> admin.release("a", Admin.Waiters.HAND_OFF));
    }
}
