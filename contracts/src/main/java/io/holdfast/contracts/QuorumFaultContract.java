package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.NodeFailure;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Locks on a majority of independent real servers, of which a minority is killed, frozen, or restarted empty. */
public class QuorumFaultContract extends QuorumSuite {
    // ---- faults

    @Test
    final void acquire_minorityFrozen_doesNotWaitForIt() throws Exception {
        List<RedisServer> nodes = nodes(3);
        DistributedLock lock =
                quorum(nodes, OPTIONS.withNodeTimeout(Duration.ofSeconds(10))).lock("a", LOCK.withRenewal(false));
        lock.acquire().release();
        // A majority has confirmed that; what has not could be the one that is left beside the frozen one.
        for (RedisServer node : nodes) {
            awaitNothingLeft(node, QuorumSuite::isNoTombstone);
        }
        nodes.get(2).freeze();
        // Had it waited for the node timeout, which is longer than the term, the lease would be over.
        for (int i = 0; i < 20; i++) {
            try (Lease lease = lock.acquire(Wait.none())) {
                assertTrue(lease.isValid());
            }
        }
        nodes.get(2).thaw();
        awaitNothingLeft(nodes.get(2), QuorumSuite::isNoTombstone);
    }

    @Test
    final void attempt_majorityDead_isUnknownWithTheFailureOfEachNode() throws Exception {
        List<RedisServer> nodes = nodes(3);
        DistributedLock lock = quorum(nodes).lock("a");
        lock.acquire().release();
        nodes.get(0).kill();
        nodes.get(1).freeze();
        Attempt.Unknown<?> unknown = assertInstanceOf(Attempt.Unknown.class, lock.attempt(Wait.none()));
        List<String> failed =
                unknown.cause().nodeFailures().stream().map(NodeFailure::node).toList();
        assertEquals(2, failed.size(), failed::toString);
        assertTrue(failed.get(0).contains(Integer.toString(nodes.get(0).port())), failed::toString);
        assertInstanceOf(Attempt.Unknown.class, lock.attempt(Wait.upTo(Duration.ofMillis(300))));
        assertThrows(ServerUnreachableException.class, lock::isLocked);
        nodes.get(1).thaw();
        try (Lease lease = lock.acquire(Wait.upTo(PATIENCE))) {
            assertTrue(lease.isValid());
        }
    }

    @Test
    final void restart_nodeWithoutItsMemory_votesOnlyAfterTheQuarantine() throws Exception {
        assertTrue(
                overlapsAfterRestarts(OPTIONS, false, UnaryOperator.identity()).isEmpty());
    }

    @Test
    final void restart_withoutTheQuarantine_twoLeasesAreValid() throws Exception {
        assertFalse(overlapsAfterRestarts(OPTIONS, false, RewritingDriver.replacingRule("quarantine", ""))
                .isEmpty());
    }

    @Test
    final void restart_nodeWithAnOlderSnapshot_votesOnlyAfterTheQuarantine() throws Exception {
        assertTrue(
                overlapsAfterRestarts(OPTIONS, true, UnaryOperator.identity()).isEmpty());
    }

    @Test
    final void restart_markerOfAnotherProcessCounts_twoLeasesAreValid() throws Exception {
        assertFalse(overlapsAfterRestarts(OPTIONS, true, RewritingDriver.replacingRule("samerun", ""))
                .isEmpty());
    }

    /**
     * A lease stands on two nodes of three; one of the two is killed and restarted, empty or with what it had before the
     * lease. What others then get at once.
     */
    private List<Lease> overlapsAfterRestarts(QuorumOptions options, boolean snapshot, UnaryOperator<String> rewrite)
            throws Exception {
        List<RedisServer> nodes = nodes(3);
        QuorumOptions unrenewed = options.withMaxLeaseDuration(Duration.ofMinutes(1));
        LockOptions lasting = LOCK.withLeaseDuration(Duration.ofMinutes(1)).withRenewal(false);
        if (snapshot) {
            nodes.get(0).command("SAVE");
        }
        // The frozen node would be granted to it later; that copy is never executed here.
        Quorum quorum = quorum(nodes, rewrite, unrenewed);
        nodes.get(2).freeze();
        Lease first = quorum.lock("a", lasting).acquire();
        nodes.get(2).kill();
        nodes.get(2).restart();
        nodes.get(2).admit();
        nodes.get(0).kill();
        nodes.get(0).restart();
        assertEquals(0, nodes.get(0).command("EXISTS", "hf:{a}").asLong());
        Attempt<Lease> second =
                quorum(nodes, rewrite, unrenewed).lock("a", lasting).attempt(Wait.none());
        assertTrue(first.isValid());
        if (second instanceof Attempt.Obtained<Lease> obtained) {
            return List.of(first, obtained.lease());
        }
        return List.of();
    }

    @Test
    final void restart_durableNode_votesAtOnceAndKnowsItsGrants() throws Exception {
        List<RedisServer> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(startServer("--appendonly", "yes", "--appendfsync", "always"));
            nodes.get(i).admit();
        }
        QuorumOptions durable = OPTIONS.withDurableNodes(true).withMaxLeaseDuration(Duration.ofMinutes(1));
        LockOptions lasting = LOCK.withLeaseDuration(Duration.ofMinutes(1)).withRenewal(false);
        Lease lease = quorum(nodes, durable).lock("a", lasting).acquire();
        for (RedisServer node : nodes) {
            node.kill();
            node.restart();
        }
        Quorum later = quorum(nodes, durable);
        assertNotObtained(Reason.TAKEN, later.lock("a", lasting).attempt(Wait.none()));
        assertTrue(lease.isValid());
        assertObtained(later.lock("b", lasting).attempt(Wait.none()));
    }

    @Test
    final void quarantine_over_nodesVoteAgain() throws Exception {
        List<RedisServer> nodes = List.of(startServer(), startServer(), startServer());
        QuorumOptions brief = OPTIONS.withMaxLeaseDuration(Duration.ofMillis(500));
        LockOptions lock = LOCK.withLeaseDuration(Duration.ofMillis(500));
        Quorum quorum = quorum(nodes, brief.withClient(brief.client().withLockDefaults(lock)));
        Attempt.Unknown<?> early =
                assertInstanceOf(Attempt.Unknown.class, quorum.lock("a").attempt(Wait.none()));
        // Two are enough to know it.
        assertTrue(early.cause().nodeFailures().size() >= 2);
        early.cause().nodeFailures().forEach(each -> assertInstanceOf(ServerRefusedException.class, each.error()));
        try (Lease lease = quorum.lock("a").acquire(Wait.upTo(PATIENCE))) {
            assertTrue(lease.isValid());
        }
        nodes.forEach(LockSuite::assertEveryKeyExpires);
    }

    @Test
    final void call_manyThreadsOfManyClientsWhileAMinorityFails_neverOverlapAndTokensRise() throws Exception {
        List<RedisServer> nodes = nodes(3);
        int clients = 4;
        int threadsEach = 3;
        int rounds = 2_000;
        int mostFaults = 9; // three of each kind, one on each node
        AtomicInteger faultsMade = new AtomicInteger();
        LockOptions brief = LOCK.withLeaseDuration(BRIEF);
        QuorumOptions options =
                OPTIONS.withMaxLeaseDuration(BRIEF).withClient(OPTIONS.client().withLockDefaults(brief));
        ExecutorService threads =
                closeLater(new Threads(clients * threadsEach + 1)).executor();
        AtomicReference<Lease> holder = new AtomicReference<>();
        AtomicLong last = new AtomicLong();
        AtomicInteger done = new AtomicInteger();
        List<String> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
        List<Future<?>> all = new ArrayList<>();
        for (int c = 0; c < clients; c++) {
            Quorum quorum = quorum(nodes, options);
            for (int t = 0; t < threadsEach; t++) {
                all.add(threads.submit(() -> {
                    while (done.get() < rounds || faultsMade.get() < mostFaults) {
                        Lease lease = quorum.lock("a").acquire(Wait.forever());
                        Lease before = holder.getAndSet(lease);
                        boolean wasValid = before != null && before.isValid();
                        if (wasValid && lease.isValid()) {
                            wrong.add("two are valid: " + before + " and " + lease);
                        }
                        long seen = last.getAndAccumulate(lease.token(), Math::max);
                        if (lease.token() <= seen && lease.isValid()) {
                            wrong.add("token " + lease.token() + " after " + seen);
                        }
                        lease.release();
                        done.incrementAndGet();
                    }
                    return null;
                }));
            }
        }
        AtomicBoolean over = new AtomicBoolean();
        Future<?> faults = threads.submit(() -> {
            int i = 0;
            while (!over.get()) {
                RedisServer node = nodes.get(i % 3);
                int until = done.get() + rounds / 20;
                switch (i++ / 3 % 3) {
                    case 0 -> {
                        node.freeze();
                        await("some rounds pass", () -> over.get() || done.get() >= until);
                        node.thaw();
                    }
                    case 1 -> {
                        node.kill();
                        await("some rounds pass", () -> over.get() || done.get() >= until);
                        node.restart();
                    }
                    default -> node.command("FLUSHALL");
                }
                // Only a minority fails at a time: the node has to vote again before the next fails.
                await("the node votes", () -> over.get() || votes(node));
                faultsMade.incrementAndGet();
            }
            return null;
        });
        for (Future<?> one : all) {
            one.get(150, TimeUnit.SECONDS);
        }
        over.set(true);
        faults.get(60, TimeUnit.SECONDS);
        assertEquals(List.of(), wrong);
        assertTrue(done.get() >= rounds && faultsMade.get() >= mostFaults);
    }

    private static boolean votes(RedisServer node) {
        List<String> time = node.command("TIME").asList().stream()
                .map(part -> part.asString())
                .toList();
        long now = Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
        var marker = node.command("GET", "hf:node");
        return !marker.isNull()
                && now > Long.parseLong(marker.asString().split(" ", -1)[0]) / 1_000 + BRIEF.toMillis() + 1_100;
    }

    // ---- tokens

    @Test
    final void token_oneNodesClockIsAhead_risesWhicheverMajorityGrants() throws Exception {
        List<Long> tokens = tokensOfTwoMajorities(UnaryOperator.identity());
        assertTrue(tokens.get(1) > tokens.get(0), tokens::toString);
    }

    @Test
    final void token_withoutTheWriteBack_falls() throws Exception {
        List<Long> tokens = tokensOfTwoMajorities(RewritingDriver.replacingRule("writeback", ""));
        assertTrue(tokens.get(1) < tokens.get(0), tokens::toString);
    }

    /** A lease of the first and the third node, whose clock is ahead; then another client's of the first and the second. */
    private List<Long> tokensOfTwoMajorities(UnaryOperator<String> rewrite) throws Exception {
        List<RedisServer> nodes = nodes(3);
        UnaryOperator<String> ahead = RewritingDriver.clockAhead(Duration.ofSeconds(20));
        QuorumOptions options = OPTIONS.withMaxLeaseDuration(Duration.ofMinutes(1));
        List<DistributedLock> locks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<QuorumNode> drivers = new ArrayList<>();
            for (RedisServer node : nodes) {
                drivers.add(QuorumNode.over(new RewritingDriver(
                        driver(node.address()),
                        node == nodes.get(2) ? text -> ahead.apply(rewrite.apply(text)) : rewrite)));
            }
            locks.add(closeLater(Quorum.connect(drivers, options)).lock("a"));
        }
        List<Long> tokens = new ArrayList<>();
        nodes.get(1).freeze();
        Lease first = locks.get(0).acquire();
        tokens.add(first.token());
        first.release();
        nodes.get(1).thaw();
        nodes.get(2).freeze();
        Lease second = locks.get(1).acquire(Wait.upTo(PATIENCE));
        tokens.add(second.token());
        second.release();
        nodes.get(2).thaw();
        return tokens;
    }
}
