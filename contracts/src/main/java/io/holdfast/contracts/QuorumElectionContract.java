package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Candidacy;
import io.holdfast.Holder;
import io.holdfast.Leadership;
import io.holdfast.LossReason;
import io.holdfast.Quorum;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Elections on a majority of independent real servers. */
public class QuorumElectionContract extends QuorumSuite {
    /** For the classes of the drivers. */
    protected QuorumElectionContract() {}

    private Candidacy campaign(Quorum quorum) {
        return closeLater(quorum.election("a").campaign(leadership -> new CountDownLatch(1).await()));
    }

    private static void awaitLeads(Candidacy candidacy) {
        await("it leads", candidacy::isLeader);
    }

    @Test
    void election_options_areThoseOfTheQuorumsLocks() {
        Quorum quorum = quorum(nodes(3));
        assertEquals(TERM, quorum.election("a").options().leaseDuration());
        assertThrows(IllegalArgumentException.class, () -> quorum.election("a", LOCK.withPriority(1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> quorum.election("a", LOCK.withLeaseDuration(Duration.ofMinutes(1))));
        assertThrows(IllegalArgumentException.class, () -> quorum.election("a", LOCK.withRenewal(false)));
    }

    @Test
    void resign_another_leadsNextAndWhoeverWatchesIsTold() throws Exception {
        List<RedisServer> nodes = nodes(3);
        BlockingQueue<Optional<Holder>> told = new LinkedBlockingQueue<>();
        Quorum watching = quorum(nodes);
        closeLater(watching.election("a").observe(told::add));
        assertEquals(Optional.empty(), told.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        Candidacy one = campaign(quorum(nodes));
        awaitLeads(one);
        Leadership first = one.leadership().orElseThrow();
        await(
                "it is told",
                () -> told.stream().anyMatch(each -> each.map(Holder::owner).equals(Optional.of(first.owner()))));
        assertEquals(
                first.owner(), watching.election("a").leader().orElseThrow().owner());
        Candidacy two = campaign(quorum(nodes));
        one.resign();
        assertFalse(one.isLeader());
        awaitLeads(two);
        Leadership second = two.leadership().orElseThrow();
        assertTrue(second.token() > first.token());
        await(
                "it is told",
                () -> told.stream().anyMatch(each -> each.map(Holder::owner).equals(Optional.of(second.owner()))));
        two.close();
        awaitLeads(one);
        assertTrue(one.leadership().orElseThrow().token() > second.token());
    }

    @Test
    void kill_aMinority_theLeaderGoesOnAndOfAMajorityItIsOver() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Candidacy one = campaign(quorum(nodes));
        awaitLeads(one);
        Leadership leadership = one.leadership().orElseThrow();
        Quorum other = quorum(nodes);
        nodes.get(0).kill();
        long end = System.nanoTime() + TERM.toNanos() * 3 / 2;
        await("one and a half terms pass", () -> System.nanoTime() - end > 0);
        assertTrue(leadership.isValid());
        HandLeader leader = new HandLeader();
        closeLater(other.election("a").withThreads(leader.threads).campaign(leader));
        closeLater(leader::endAll); // the last to be made is the first to be closed
        nodes.get(1).freeze();
        Optional<LossReason> reason =
                leadership.whenOver().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        // Its leader heeds the interrupt before that, and so it resigns.
        assertEquals(Optional.empty(), reason);
        leader.assertIdle();
        nodes.get(1).thaw();
        await("one leads again", () -> one.isLeader() || !leader.isIdle());
    }
}
