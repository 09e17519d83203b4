package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Candidacy;
import io.holdfast.Election;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Leader;
import io.holdfast.Leadership;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ServerUnreachableException;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an election promises to several clients and processes, also when leaders die, freeze or are cut off. */
public class ElectionContract extends TakerSuite {
    /** For the classes of the drivers. */
    protected ElectionContract() {}

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(15));

    /** Ends in the time of a test if nobody renews it, and leaves a leader time on a slow machine. */
    private static final LockOptions BRIEF = LockOptions.defaults()
            .withLeaseDuration(Duration.ofSeconds(3))
            .withInterruptBefore(Duration.ofMillis(1_500));

    private static final String BRIEF_TERM = "term=3000";

    /** Finds out soon that it is not answered. */
    private static final HoldfastOptions EAGER = HoldfastOptions.defaults().withCommandTimeout(Duration.ofMillis(500));

    private final Leader untilInterrupted = leadership -> new CountDownLatch(1).await();

    private Candidacy campaign(Holdfast client, LockOptions options, Leader leader) {
        return closeLater(client.election("a", options).campaign(leader));
    }

    private Candidacy campaign(LockOptions options) {
        return campaign(client(server), options, untilInterrupted);
    }

    private static void awaitLeads(Candidacy candidacy) {
        await("it leads", candidacy::isLeader);
    }

    private void awaitWaiting(int count) {
        awaitQueue("%lead:a", count);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came");
        }
        return next;
    }

    // ---- one after the other

    @Test
    void campaign_manyCandidates_oneLeadsAtATimeAndTokensRise() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch enough = new CountDownLatch(40);
        List<Holdfast> clients = List.of(client(server), client(server), client(server));
        List<AtomicInteger> led = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            AtomicInteger mine = new AtomicInteger();
            led.add(mine);
            campaign(clients.get(i % 3), OPTIONS, leadership -> {
                boolean alone = inside.incrementAndGet() == 1;
                overlaps.addAndGet(!alone && leadership.isValid() ? 1 : 0);
                if (leadership.isValid()) {
                    tokens.add(leadership.token());
                }
                mine.incrementAndGet();
                inside.decrementAndGet();
                enough.countDown();
            });
        }
        assertTrue(enough.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(0, overlaps.get());
        led.forEach(mine -> assertTrue(mine.get() >= 5, () -> "in turn: " + led));
        List<Long> seen = List.copyOf(tokens);
        assertEquals(seen.stream().sorted().distinct().toList(), seen);
    }

    @Test
    void resign_others_leadInTheOrderOfArrivalAndItStandsBehindThem() {
        Candidacy one = campaign(OPTIONS);
        awaitLeads(one);
        Candidacy two = campaign(OPTIONS);
        awaitWaiting(1);
        Candidacy three = campaign(OPTIONS);
        awaitWaiting(2);
        long token = 0;
        for (Candidacy each : List.of(one, two, three, one)) {
            awaitLeads(each);
            Leadership leadership = each.leadership().orElseThrow();
            assertTrue(leadership.token() > token);
            token = leadership.token();
            awaitWaiting(2);
            each.resign();
            assertFalse(leadership.isValid());
        }
    }

    @Test
    void priority_higher_leadsBeforeThoseThatHaveWaitedLonger() {
        Candidacy leading = campaign(OPTIONS);
        awaitLeads(leading);
        Candidacy usual = campaign(OPTIONS);
        awaitWaiting(1);
        Candidacy preferred = campaign(OPTIONS.withPriority(10));
        awaitWaiting(2);
        leading.close();
        awaitLeads(preferred);
        preferred.close();
        awaitLeads(usual);
    }

    @Test
    void close_leadingAndWaiting_leavesNothing() {
        Candidacy one = campaign(OPTIONS);
        awaitLeads(one);
        Candidacy two = campaign(OPTIONS);
        awaitWaiting(1);
        two.close();
        awaitWaiting(0);
        one.close();
        assertEquals(Optional.empty(), client(server).election("a").leader());
        awaitNothingLeftOf("%lead:a");
    }

    @Test
    void closeClient_leading_theNextLeadsAtOnce() {
        Holdfast client = client(server);
        Candidacy one = campaign(client, OPTIONS, untilInterrupted);
        awaitLeads(one);
        Candidacy two = campaign(OPTIONS);
        awaitWaiting(1);
        client.close();
        assertFalse(one.isLeader());
        awaitLeads(two);
    }

    // ---- leaders in trouble

    @Test
    void kill_leader_theNextLeadsWithAGreaterToken() {
        TakerProcess doomed = taker(BRIEF_TERM);
        doomed.send("campaign a 1");
        long token = Long.parseLong(doomed.awaitLine("leads a 1").get(3));
        Candidacy next = campaign(BRIEF);
        awaitWaiting(1);
        doomed.kill();
        awaitLeads(next);
        assertTrue(next.leadership().orElseThrow().token() > token);
    }

    @Test
    void freeze_leader_knowsWhenItWakesThatAnotherLeads() {
        TakerProcess frozen = taker(BRIEF_TERM);
        frozen.send("campaign a 1");
        String token = frozen.awaitLine("leads a 1").get(3);
        Candidacy next = campaign(OPTIONS);
        awaitWaiting(1);
        frozen.freeze();
        awaitLeads(next);
        frozen.send("leader a 1");
        frozen.thaw();
        assertEquals("false", frozen.awaitLine("leader a 1").get(3));
        assertEquals("EXPIRED", frozen.awaitLine("over a 1 " + token).get(4));
        // It campaigns again, behind the others.
        awaitWaiting(1);
        next.close();
        frozen.awaitLine("leads a 1");
    }

    @Test
    void cutOff_leader_isInterruptedBeforeItsEndAndOverBeforeTheNext() throws Exception {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        BlockingQueue<Duration> interrupted = new LinkedBlockingQueue<>();
        CompletableFuture<Optional<LossReason>> over = new CompletableFuture<>();
        Candidacy cut = campaign(client(proxy.address(), EAGER), BRIEF, leadership -> {
            leadership.whenOver().thenAccept(over::complete);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.add(leadership.remaining());
                throw e;
            }
        });
        awaitLeads(cut);
        BlockingQueue<Boolean> stillLed = new LinkedBlockingQueue<>();
        campaign(client(server), OPTIONS, leadership -> {
            stillLed.add(cut.isLeader());
            untilInterrupted.lead(leadership);
        });
        awaitWaiting(1);
        proxy.stall(TcpProxy.Kind.ANY);
        assertTrue(next(interrupted).compareTo(Duration.ZERO) > 0, "only when it was over");
        assertFalse(next(stillLed));
        // Its leader had returned before that, so it has resigned.
        assertEquals(Optional.empty(), over.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        proxy.resume();
        awaitWaiting(1);
    }

    @Test
    void cutOff_leaderThatDoesNotHeedIt_isOverAtItsDeadlineAndNeverBesideItself() throws Exception {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        HandLeader leader = new HandLeader();
        Candidacy cut = closeLater(client(proxy.address(), EAGER)
                .election("a", BRIEF)
                .withThreads(leader.threads)
                .campaign(leader));
        HandLeader.Term first = leader.next();
        proxy.stall(TcpProxy.Kind.ANY);
        assertEquals(
                Optional.of(LossReason.EXPIRED),
                first.leadership.whenOver().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertFalse(cut.isLeader());
        proxy.resume();
        await("it is elected again", () -> held("%lead:a").token() > first.leadership.token());
        assertFalse(cut.isLeader(), "its leader is still at work");
        leader.assertIdle();
        first.end();
        HandLeader.Term second = leader.next();
        assertTrue(second.leadership.token() > first.leadership.token());
        cut.close();
        second.end();
    }

    @Test
    void restart_serverForgotEverything_oneLeadsAgainWithAGreaterToken() {
        Candidacy one = campaign(OPTIONS);
        awaitLeads(one);
        Leadership before = one.leadership().orElseThrow();
        Candidacy two = campaign(OPTIONS);
        awaitWaiting(1);
        server.kill();
        server.restart();
        await(
                "one leads anew",
                () -> Stream.of(one, two)
                        .flatMap(each -> each.leadership().stream())
                        .anyMatch(each -> each.token() > before.token()));
        // Without a quarantine it is over when its client has heard of it, perhaps after another leads.
        await("it is over", () -> !before.isValid());
        await("one leads", () -> one.isLeader() != two.isLeader());
    }

    @Test
    void restart_serverForgotEverythingAndClientsObserveAQuarantine_nobodyLeadsBesideAnother() throws Exception {
        HoldfastOptions careful = EAGER.withQuarantine(BRIEF.leaseDuration());
        AtomicReference<Leadership> newest = new AtomicReference<>();
        BlockingQueue<Boolean> beside = new LinkedBlockingQueue<>();
        Leader noting = leadership -> {
            Leadership before = newest.getAndSet(leadership);
            beside.add(before != null && before.isValid() && leadership.isValid());
            new CountDownLatch(1).await();
        };
        server.admit();
        campaign(client(server.address(), careful), BRIEF, noting);
        assertFalse(next(beside));
        campaign(client(server.address(), careful), BRIEF, noting);
        awaitWaiting(1);
        server.kill();
        server.restart();
        assertFalse(next(beside));
    }

    @Test
    void revoke_leader_isOverAtOnceAndCampaignsBehindTheOthers() {
        Candidacy one = campaign(OPTIONS);
        awaitLeads(one);
        Candidacy two = campaign(OPTIONS);
        awaitWaiting(1);
        var unused = client(server).admin().of(LockInfo.Kind.ELECTION).release("a", Admin.Waiters.HAND_OFF);
        awaitLeads(two);
        await("it knows", () -> !one.isLeader());
        awaitWaiting(1);
        two.close();
        awaitLeads(one);
    }

    // ---- watching

    @Test
    void observe_newLeaders_areToldByMessage() throws Exception {
        BlockingQueue<Optional<Holder>> told = new LinkedBlockingQueue<>();
        closeLater(client(server.address(), LAZY).election("a").observe(told::add));
        assertEquals(Optional.empty(), next(told));
        awaitListening(1);
        long begin = System.nanoTime();
        Candidacy one = campaign(OPTIONS.withMetadata(Map.of("url", "http://one")));
        Holder leader = next(told).orElseThrow();
        assertBeforeARefresh(begin);
        assertEquals(one.leadership().orElseThrow().token(), leader.token());
        assertEquals(one.leadership().orElseThrow().owner(), leader.owner());
        assertEquals("http://one", leader.metadata().get("url"));
        assertEquals(leader, client(server).election("a").leader().orElseThrow());
    }

    @Test
    void observe_messagesAreLost_isToldByLooking() throws Exception {
        RedisDriver deaf = new ForwardingDriver(driver(server.address())) {
            @Override
            public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
                return super.subscribe(channel, channel.startsWith("hf:led:") ? text -> {} : onMessage);
            }
        };
        BlockingQueue<Optional<Holder>> told = new LinkedBlockingQueue<>();
        Holdfast watching = closeLater(Holdfast.over(deaf, HoldfastOptions.defaults()));
        closeLater(watching.election("a").observe(told::add));
        assertEquals(Optional.empty(), next(told));
        awaitListening(1);
        Candidacy one = campaign(OPTIONS);
        assertTrue(next(told).isPresent());
        one.close();
        assertEquals(Optional.empty(), next(told));
    }

    @Test
    void leader_serverAway_isUnknown() {
        Election election = client(server.address(), EAGER).election("a");
        server.freeze();
        assertThrows(ServerUnreachableException.class, election::leader);
        server.thaw();
    }

    private void awaitListening(int count) {
        await("the server knows who listens", () -> listeners(server, "hf:led:{%lead:a}") == count);
    }
}
