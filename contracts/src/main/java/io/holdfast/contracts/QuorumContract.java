package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt.Reason;
import io.holdfast.Backoff;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LossReason;
import io.holdfast.NodeInfo;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Credentials;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Locks on a majority of independent real servers: taking, waiting, giving back and looking. */
public class QuorumContract extends QuorumSuite {
    // ---- taking and giving back

    @Test
    final void acquire_freeLock_isHeldOnAMajorityAndLeavesNothing() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Quorum quorum = quorum(nodes);
        DistributedLock lock = quorum.lock("a");
        long last = 0;
        for (int i = 0; i < 50; i++) {
            Lease lease = lock.acquire();
            assertTrue(lease.isHeldOnServer());
            assertTrue(lock.isLocked());
            assertTrue(lock.remaining().compareTo(Duration.ZERO) > 0
                    && lock.remaining().compareTo(TERM) <= 0);
            assertTrue(lease.token() > last);
            last = lease.token();
            assertEquals(ReleaseResult.RELEASED, lease.release());
            assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        }
        assertFalse(lock.isLocked());
        nodes.forEach(node -> awaitNothingLeft(node, QuorumSuite::isNoTombstone));
        nodes.forEach(LockSuite::assertEveryKeyExpires);
    }

    @Test
    final void acquire_fiveNodesByAddressAndByDriver_works() throws Exception {
        List<RedisServer> servers = nodes(5);
        List<QuorumNode> mixed = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            mixed.add(
                    i % 2 == 0
                            ? QuorumNode.at(servers.get(i).url())
                            : QuorumNode.over(driver(servers.get(i).address())));
        }
        servers.get(0).kill();
        servers.get(2).kill();
        Quorum quorum = closeLater(Quorum.connect(mixed, OPTIONS));
        try (Lease lease = quorum.lock("a").acquire()) {
            assertEquals(
                    2, lease.nodeFailures().size(), () -> lease.nodeFailures().toString());
            lease.nodeFailures().forEach(each -> assertInstanceOf(ServerUnreachableException.class, each.error()));
        }
        // One that was away when the quorum connected votes as soon as it is there.
        servers.get(0).restart();
        servers.get(0).admit();
        await(
                "the node is connected",
                () -> quorum.inspect("a").get(0).failure().isEmpty());
        servers.get(1).kill();
        try (Lease lease = quorum.lock("a").acquire(Wait.upTo(PATIENCE))) {
            assertTrue(lease.isHeldOnServer());
        }
    }

    @Test
    final void maxAttempts_reached_endsTheWait() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Lease lease = quorum(nodes).lock("a").acquire();
        List<Integer> asked = new ArrayList<>();
        Quorum patient = quorum(nodes, OPTIONS.withMaxAttempts(3).withBackoff(Backoff.of(attempt -> {
            asked.add(attempt);
            return Duration.ofMillis(5);
        })));
        assertNotObtained(Reason.TRIES_EXHAUSTED, patient.lock("a").attempt(Wait.forever()));
        assertEquals(List.of(1, 2), asked);
        lease.release();
    }

    @Test
    final void extend_lease_lastsLongerAndOnlyWhileItIsHeld() throws Exception {
        List<RedisServer> nodes = nodes(3);
        QuorumOptions longer = OPTIONS.withMaxLeaseDuration(Duration.ofMinutes(1));
        Quorum quorum = quorum(nodes, longer);
        Lease lease = quorum.lock("a", LOCK.withRenewal(false)).acquire();
        lease.extend(Duration.ofSeconds(40));
        assertTrue(lease.remaining().compareTo(Duration.ofSeconds(35)) > 0);
        lease.release();
        assertThrows(LeaseLostException.class, () -> lease.extend(TERM));
        assertFalse(quorum.lock("a").isLocked());
        assertFalse(quorum.lock("a", LOCK).extendOrReacquire(lease, Wait.none()).continuous());
    }

    @Test
    final void term_withRenewal_outlivesItWhileAMinorityIsAwayAndJoinsItAgain() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Lease lease = quorum(nodes).lock("a").acquire();
        nodes.get(0).kill();
        long end = System.nanoTime() + TERM.toNanos() * 3 / 2;
        await("one and a half terms pass", () -> System.nanoTime() - end > 0);
        assertTrue(lease.isValid());
        assertFalse(lease.nodeFailures().isEmpty());
        nodes.get(0).restart();
        nodes.get(0).admit();
        await(
                "the node stands behind the lease again",
                () -> nodes.get(0).command("EXISTS", "hf:{a}").asLong() == 1);
        await("no failure is told", () -> lease.nodeFailures().isEmpty());
        lease.release();
        nodes.forEach(node -> awaitNothingLeft(node, QuorumSuite::isNoTombstone));
    }

    @Test
    final void lost_majorityGone_isToldAtTheDeadlineAtTheLatest() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Lease lease = quorum(nodes).lock("a").acquire();
        CompletableFuture<LossReason> lost = lease.whenLost().toCompletableFuture();
        nodes.get(0).freeze();
        nodes.get(1).kill();
        LossReason reason = lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertEquals(LossReason.EXPIRED, reason);
        nodes.get(0).thaw();
    }

    // ---- waiting

    @Test
    final void release_whileAnotherClientWaits_wakesItBeforeItsBackoff() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Lease lease = quorum(nodes).lock("a").acquire();
        // Without the message it would sleep for an hour.
        AtomicInteger sleeps = new AtomicInteger();
        Quorum sleeper = quorum(nodes, OPTIONS.withBackoff(Backoff.of(attempt -> {
            sleeps.incrementAndGet();
            return Duration.ofHours(1);
        })));
        CompletableFuture<Lease> waiting = sleeper.lock("a").acquireAsync(Wait.forever());
        await("it sleeps", () -> sleeps.get() > 0);
        for (RedisServer node : nodes) {
            await("it listens", () -> listeners(node, "hf:free:{a}") == 1);
        }
        lease.release();
        waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
        for (RedisServer node : nodes) {
            await("it listens no more", () -> listeners(node, "hf:free:{a}") == 0);
        }
    }

    @Test
    final void acquire_manyClientsAtOnce_areAllServedInTheEnd() throws Exception {
        List<RedisServer> nodes = nodes(3);
        int clients = 12;
        ExecutorService threads = closeLater(new Threads(clients)).executor();
        List<Quorum> quorums =
                Stream.generate(() -> quorum(nodes)).limit(clients).toList();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (Quorum each : quorums) {
            all.add(threads.submit(() -> {
                for (int i = 0; i < 5; i++) {
                    try (Lease lease = each.lock("a").acquire(Wait.forever())) {
                        overlaps.addAndGet(inside.incrementAndGet() > 1 && lease.isValid() ? 1 : 0);
                        inside.decrementAndGet();
                    }
                }
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(60, TimeUnit.SECONDS);
        }
        assertEquals(0, overlaps.get());
        nodes.forEach(node -> awaitNothingLeft(node, QuorumSuite::isNoTombstone));
    }

    @Test
    final void connect_majorityDeadOrUnfit_isToldWithTheReasonOfEach() {
        List<RedisServer> nodes = nodes(3);
        List<QuorumNode> twins = Stream.of(nodes.get(0), nodes.get(1), nodes.get(0))
                .map(node -> QuorumNode.over(driver(node.address())))
                .toList();
        ServerRefusedException same = assertThrows(ServerRefusedException.class, () -> Quorum.connect(twins, OPTIONS));
        assertTrue(String.valueOf(same.getMessage()).contains("are the same server"), same.toString());
        RedisServer replica = startServer(
                "--replicaof", "127.0.0.1", Integer.toString(nodes.get(0).port()));
        List<RedisServer> withReplica = List.of(nodes.get(0), nodes.get(1), replica);
        assertThrows(ServerRefusedException.class, () -> quorum(withReplica));
        RedisServer member = startServer("--cluster-enabled", "yes");
        List<RedisServer> withMember = List.of(nodes.get(0), nodes.get(1), member);
        assertThrows(ServerRefusedException.class, () -> quorum(withMember));
        nodes.get(1).kill();
        nodes.get(2).kill();
        String[] addresses = nodes.stream().map(RedisServer::url).toArray(String[]::new);
        ServerUnreachableException away =
                assertThrows(ServerUnreachableException.class, () -> Quorum.connect(addresses));
        assertEquals(2, away.nodeFailures().size());
    }

    @Test
    final void connect_clientsThatDisagree_areRefusedWithTheDifference() throws Exception {
        List<RedisServer> nodes = nodes(5);
        Quorum three = quorum(nodes.subList(0, 3));
        three.lock("a").acquire().release();
        // A majority of its nodes shares no node with a majority of the others' nodes.
        assertDisagrees(() -> quorum(List.of(nodes.get(0), nodes.get(3), nodes.get(4))), "3 nodes");
        assertDisagrees(() -> quorum(nodes), "5 nodes");
        assertDisagrees(
                () -> quorum(nodes.subList(0, 3), OPTIONS.withMaxLeaseDuration(TERM.multipliedBy(2))),
                "at most " + TERM.multipliedBy(2).toMillis() + " ms");
        assertDisagrees(() -> quorum(nodes.subList(0, 3), OPTIONS.withDurableNodes(true)), "durable");
        // In another order they are the same nodes.
        List<RedisServer> turned = List.of(nodes.get(2), nodes.get(0), nodes.get(1));
        quorum(turned).lock("a").acquire().release();
    }

    private static void assertDisagrees(Executable connect, String difference) {
        ServerRefusedException refused = assertThrows(ServerRefusedException.class, connect);
        String told = String.valueOf(refused.getMessage());
        assertTrue(told.contains("do not agree") && told.contains("this client: ") && told.contains(difference), told);
    }

    @Test
    final void node_givenToOtherClientsWhileThisOneIsConnected_votesNoMore() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Quorum quorum = quorum(nodes);
        quorum.lock("a").acquire().release();
        for (RedisServer node : nodes.subList(1, 3)) {
            node.command("SET", "hf:node", "0 " + node.runId() + " 5/1000/volatile/0", "EX", "1000");
        }
        ServerRefusedException refused = assertThrows(
                ServerRefusedException.class, () -> quorum.lock("a").acquire(Wait.upTo(PATIENCE)));
        assertTrue(String.valueOf(refused.getMessage()).contains("do not agree"), refused.toString());
        nodes.forEach(node -> awaitNothingLeft(node, QuorumSuite::isNoTombstone));
    }

    @Test
    final void name_otherAddressesOfTheSameNodes_standsForThem() throws Exception {
        List<RedisServer> nodes = nodes(3);
        QuorumOptions named = OPTIONS.withName("the three");
        quorum(nodes, named).lock("a").acquire().release();
        List<QuorumNode> byOtherNames = nodes.stream()
                .map(node -> QuorumNode.at("redis://localhost:" + node.port()))
                .toList();
        Quorum other = closeLater(Quorum.connect(byOtherNames, named));
        other.lock("a").acquire().release();
        assertDisagrees(() -> Quorum.connect(byOtherNames, OPTIONS), "3 nodes");
    }

    // ---- looking

    @Test
    final void inspect_oneNodeDead_tellsOfEach() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Quorum quorum = quorum(nodes);
        Lease lease = quorum.lock("a").acquire();
        nodes.get(1).kill();
        List<NodeInfo> told = quorum.inspect("a");
        assertEquals(3, told.size());
        assertTrue(told.get(1).failure().isPresent() && told.get(1).lock().isEmpty());
        assertEquals(
                lease.owner(),
                told.get(0).lock().orElseThrow().holder().orElseThrow().owner());
        assertTrue(quorum.lock("a").isLocked());
        lease.release();
        await("it is free", () -> !quorum.lock("a").isLocked());
    }

    @Test
    final void listing_atEachNode_hasWhatTheQuorumHoldsAndItsCallers() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Quorum quorum = quorum(nodes);
        Quorum other = quorum(nodes);
        Lease lease = quorum.lock("a").acquire();
        CompletableFuture<Lease> waiting = other.lock("a").acquireAsync(Wait.upTo(PATIENCE));
        for (RedisServer node : nodes) {
            Holdfast looking = client(node.address(), HoldfastOptions.defaults());
            await("it is listed", () -> looking.inspect().heldNames().toList().equals(List.of("a")));
            await("the caller is counted", () -> looking.inspect().locks().allMatch(info -> info.callers() == 1));
            assertEquals(Optional.of(true), looking.inspect().isListening(quorum.id()));
            assertEquals(List.of(), searches(node));
        }
        lease.release();
        assertEquals(
                ReleaseResult.RELEASED,
                waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release());
        Holdfast looking = client(nodes.get(0).address(), HoldfastOptions.defaults());
        assertEquals(
                1,
                looking.inspect().overview(10).figures().stream()
                        .filter(each -> each.client().equals(other.id()))
                        .mapToLong(each -> each.total().waits().count())
                        .sum());
        quorum.close();
        other.close();
        nodes.forEach(node -> awaitNothingLeft(node, QuorumSuite::isNoTombstone));
    }

    private static List<String> searches(RedisServer node) {
        return node.command("INFO", "commandstats")
                .asString()
                .lines()
                .filter(line -> line.startsWith("cmdstat_scan:"))
                .toList();
    }

    @Test
    void connect_credentialsFromSuppliers_nodesMayHaveTheirOwn() throws Exception {
        List<QuorumNode> nodes = new ArrayList<>();
        for (String password : new String[] {"shared", "shared", "own"}) {
            RedisServer server = startServer("--requirepass", password);
            server.admit();
            QuorumNode node = QuorumNode.at(server.url());
            nodes.add(password.equals("own") ? node.withCredentials(() -> Credentials.ofPassword("own")) : node);
        }
        QuorumOptions options = OPTIONS.withClient(
                OPTIONS.client().withConnectTimeout(PATIENCE).withCredentials(() -> Credentials.ofPassword("shared")));
        Quorum quorum = closeLater(Quorum.connect(nodes, options));
        quorum.lock("a").acquire().release();
        await(
                "all nodes vote",
                () -> quorum.inspect("a").stream()
                        .noneMatch(node -> node.failure().isPresent()));
    }
}
