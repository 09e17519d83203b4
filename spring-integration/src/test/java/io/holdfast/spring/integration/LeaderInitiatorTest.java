package io.holdfast.spring.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's election of a leader, over this registry. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
class LeaderInitiatorTest extends LockSuite {
    private RedisServer server;
    private Holdfast operator;

    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }

    @BeforeEach
    void start() {
        server = startServer();
        operator = client(server);
    }

    /** A process that campaigns. */
    private final class Node implements AutoCloseable {
        private final AtomicInteger granted = new AtomicInteger();
        private final AtomicInteger revoked = new AtomicInteger();
        private final Holdfast client = client(server);
        private final LockRegistryLeaderInitiator initiator;

        Node(String id) {
            initiator = new LockRegistryLeaderInitiator(
                    HoldfastLockRegistry.of(client, "leaders")
                            .withOptions(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3))),
                    new AbstractCandidate(id, "poller") {
                        @Override
                        public void onGranted(Context context) {
                            granted.incrementAndGet();
                        }

                        @Override
                        public void onRevoked(Context context) {
                            revoked.incrementAndGet();
                        }
                    });
            initiator.setApplicationEventPublisher(event -> {});
            initiator.setHeartBeatMillis(20);
            initiator.setBusyWaitMillis(20);
            initiator.start();
        }

        boolean leads() {
            return initiator.getContext().isLeader();
        }

        @Override
        public void close() {
            initiator.stop();
        }
    }

    @Test
    void initiators_oneLeads_andAnotherWhenItStops() {
        Node one = closeLater(new Node("one"));
        await("one leads", one::leads);
        Node two = closeLater(new Node("two"));
        await("two is a candidate", () -> two.initiator.isRunning());
        assertFalse(two.leads());

        one.initiator.stop();
        await("two leads", two::leads);
        await("one is told", () -> one.revoked.get() == 1);
        assertFalse(one.leads());
        one.initiator.start();
        two.initiator.stop();
        await("one leads again", one::leads);
        assertEquals(2, one.granted.get());
    }

    @Test
    void initiator_whoseLockIsTakenAway_isRevokedAndMayLeadAgain() {
        Node one = closeLater(new Node("one"));
        await("one leads", one::leads);
        operator.admin().release("leaders:poller", Admin.Waiters.HAND_OFF);
        await("one is told", () -> one.revoked.get() == 1);
        await("one leads again", () -> one.granted.get() == 2);
        assertTrue(one.leads());
    }

    @Test
    void initiator_whoseClientIsClosed_isRevokedAndAnotherLeads() {
        Node one = closeLater(new Node("one"));
        await("one leads", one::leads);
        Node two = closeLater(new Node("two"));
        one.client.close();
        await("two leads", two::leads);
        await("one is told", () -> one.revoked.get() == 1);
    }
}
