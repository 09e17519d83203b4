package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Candidacy;
import io.holdfast.Election;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.contracts.HandLeader;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is told of a leader, and when, over the very scripts and in virtual time. */
final class ElectionWatchEngineTest {
    private static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(Duration.ofMillis(50));
    private static final Duration REFRESH = OPTIONS.refreshInterval();

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final List<Holdfast> clients = new ArrayList<>();
    private final List<HandLeader.Term> terms = new ArrayList<>();
    private final List<Long> told = new ArrayList<>();
    private boolean silent; // nothing is published
    private int refusals; // of subscriptions to come

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        terms.forEach(HandLeader.Term::end);
        server.close();
    }

    private Holdfast client() {
        ForwardingDriver driver = new ForwardingDriver(server.driver()) {
            @Override
            public CompletionStage<Reply> send(Command command) {
                return silent && command.name().equals("PUBLISH")
                        ? CompletableFuture.completedFuture(Reply.of(0))
                        : super.send(command);
            }

            @Override
            public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
                return channel.startsWith("hf:led:") && refusals-- > 0
                        ? CompletableFuture.failedFuture(DriverException.rejected("NOPERM no such channel"))
                        : super.subscribe(channel, onMessage);
            }
        };
        Holdfast client = Holdfast.over(driver, OPTIONS, time.environment(clients.size() + 1));
        clients.add(client);
        return client;
    }

    private Election election(String application) {
        return client().election("a", LockOptions.defaults().withMetadata(Map.of("node", application)));
    }

    private Candidacy campaign(Election election, HandLeader leader) {
        return election.withThreads(leader.threads).campaign(leader);
    }

    private HandLeader.Term leads(HandLeader leader) {
        HandLeader.Term term = leader.next();
        terms.add(term);
        return term;
    }

    private void tell(Optional<Holder> leader) {
        told.add(leader.map(Holder::token).orElse(0L));
    }

    private long listeners() {
        return server.command("PUBSUB", "NUMSUB", "hf:led:{%lead:a}")
                .asList()
                .get(1)
                .asLong();
    }

    @Test
    void observe_nobodyLeads_isToldAtOnceAndOnce() {
        election("one").observe(this::tell);
        time.advance(Duration.ofMinutes(1));
        assertEquals(List.of(0L), told);
        assertEquals(1, listeners());
    }

    @Test
    void observe_newLeader_isToldByMessage() {
        HandLeader leader = new HandLeader();
        HandLeader other = new HandLeader();
        election("watching").observe(this::tell);
        Candidacy me = campaign(election("one"), leader);
        HandLeader.Term first = leads(leader);
        assertEquals(List.of(0L, first.leadership.token()), told);
        assertEquals(
                Map.of("node", "one"), election("asking").leader().orElseThrow().metadata());
        campaign(election("two"), other);
        me.resign();
        time.runDue();
        HandLeader.Term second = leads(other);
        assertEquals(List.of(0L, first.leadership.token(), second.leadership.token()), told);
        assertEquals(Duration.ZERO, time.elapsed());
    }

    @Test
    void observe_messageIsLost_isToldWithTheNextLook() {
        silent = true;
        HandLeader leader = new HandLeader();
        election("watching").observe(this::tell);
        campaign(election("one"), leader);
        HandLeader.Term term = leads(leader);
        time.advance(REFRESH.minusNanos(1));
        assertEquals(List.of(0L), told);
        time.advance(Duration.ofNanos(1));
        assertEquals(List.of(0L, term.leadership.token()), told);
    }

    @Test
    void observe_leaderEndsWithoutANext_isToldWithTheNextLook() {
        HandLeader leader = new HandLeader();
        Candidacy me = campaign(election("one"), leader);
        HandLeader.Term term = leads(leader);
        election("watching").observe(this::tell);
        me.close();
        time.advance(REFRESH);
        assertEquals(List.of(term.leadership.token(), 0L), told);
    }

    @Test
    void observe_leadershipRests_isTakenForNone() {
        HandLeader leader = new HandLeader();
        LockOptions resting = LockOptions.defaults().withMinHold(Duration.ofMinutes(1));
        Candidacy me = campaign(client().election("a", resting), leader);
        HandLeader.Term term = leads(leader);
        election("watching").observe(this::tell);
        me.close();
        time.advance(REFRESH);
        assertEquals(List.of(term.leadership.token(), 0L), told);
        assertEquals(Optional.empty(), election("asking").leader());
    }

    @Test
    void observe_subscriptionRefused_isTriedAgain() {
        refusals = 3;
        election("watching").observe(this::tell);
        time.advance(REFRESH.multipliedBy(2));
        assertEquals(0, listeners());
        time.advance(REFRESH);
        assertEquals(1, listeners());
        HandLeader leader = new HandLeader();
        campaign(election("one"), leader);
        assertEquals(List.of(0L, leads(leader).leadership.token()), told);
    }

    @Test
    void observe_serverAway_isToldWhenItIsBack() {
        HandLeader leader = new HandLeader();
        Candidacy me = campaign(election("one"), leader);
        HandLeader.Term term = leads(leader);
        election("watching").observe(this::tell);
        server.disconnect();
        time.advance(Duration.ofMinutes(1));
        assertEquals(List.of(term.leadership.token()), told, "nothing is known");
        me.close();
        server.connect();
        time.advance(Duration.ofSeconds(10));
        assertEquals(List.of(term.leadership.token(), 0L), told);
    }

    @Test
    void observe_closed_isToldNoMoreAndTheOthersAre() {
        Election election = election("watching");
        List<Optional<Holder>> others = new ArrayList<>();
        Election.Observation mine = election.observe(this::tell);
        Election.Observation theirs = election.observe(others::add);
        mine.close();
        mine.close();
        assertEquals(1, listeners());
        HandLeader leader = new HandLeader();
        campaign(election("one"), leader);
        leads(leader);
        assertEquals(List.of(0L), told);
        assertEquals(2, others.size());
        theirs.close();
        assertEquals(0, listeners());
    }

    @Test
    void observe_listenerFails_isToldTheNext() {
        election("watching").observe(leader -> {
            tell(leader);
            throw new IllegalStateException("thrown on purpose");
        });
        HandLeader leader = new HandLeader();
        campaign(election("one"), leader);
        assertEquals(List.of(0L, leads(leader).leadership.token()), told);
    }

    @Test
    void observe_clientClosed_ends() {
        Election election = election("watching");
        election.observe(this::tell);
        clients.get(0).close();
        HandLeader leader = new HandLeader();
        campaign(election("one"), leader);
        leads(leader);
        time.advance(Duration.ofMinutes(1));
        assertEquals(List.of(0L), told);
    }

    @Test
    void election_andLockOfOneName_shareNothing() {
        HandLeader leader = new HandLeader();
        Holdfast client = client();
        campaign(client.election("a"), leader);
        HandLeader.Term term = leads(leader);
        assertEquals(false, client.lock("a").isLocked());
        client.lock("a").acquireAsync().join();
        assertEquals(List.of("a"), client.inspect().heldNames().toList());
        assertEquals(
                List.of("a"),
                client.inspect().of(LockInfo.Kind.ELECTION).heldNames().toList());
        assertEquals(
                term.leadership.token(),
                client.inspect()
                        .of(LockInfo.Kind.ELECTION)
                        .lock("a")
                        .holder()
                        .orElseThrow()
                        .token());
        assertEquals(1, client.admin().releaseMine().released());
        assertEquals(true, term.leadership.isValid(), "a lock's release is not an election's");
        assertEquals(1, client.admin().of(LockInfo.Kind.ELECTION).releaseMine().released());
        assertEquals(false, term.leadership.isValid());
    }
}
