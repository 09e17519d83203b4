package io.holdfast.internal.quorum;

import io.holdfast.HoldfastException;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.TakeBack;
import io.holdfast.internal.lease.Withdrawals;
import io.holdfast.internal.report.Hearing;
import io.holdfast.internal.report.Reporter;
import io.holdfast.internal.report.Reports;
import io.holdfast.internal.wire.Handshake;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.QuorumScripts;
import io.holdfast.internal.wire.QuorumScripts.QuorumReply;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.Server;
import io.holdfast.internal.wire.Subscriptions;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One node as its quorum sees it: its server, whether it may vote, and how its clock stands.
 *
 * <p>A node is looked at when it is connected, and again whenever its connection was established anew: it may be another
 * server then. Until the answer has come, what was known of it counts.
 */
final class VotingNode {
    private static final long LOOK_NANOS = 1_000_000_000L;
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    final int index;
    final Server server;
    final TakeBack takeBack;
    final Withdrawals withdrawals;
    final Reporter reporter;
    private final Subscriptions.Channel questions; // of those who look at this node
    private final QuorumClient quorum;
    private final CompletableFuture<Boolean> examined = new CompletableFuture<>();
    private volatile @Nullable HoldfastException unfit;
    private final AtomicLong lookedAt = new AtomicLong();
    private volatile String runId = "";

    VotingNode(int index, RedisDriver driver, QuorumClient quorum) {
        Kit kit = quorum.kit;
        this.index = index;
        this.server = new Server(driver, kit.options, kit.ids, kit.ticker, kit.timers, null, kit::isClosed);
        this.takeBack = new TakeBack(kit, server);
        this.withdrawals = new Withdrawals(kit, server, takeBack, (keys, state, sent) -> {});
        Hearing hearing = Hearing.onOneServer(kit, server);
        this.reporter = new Reporter(kit, server, hearing, quorum::tellCallers);
        Reports reports = new Reports(kit, server, reporter, hearing, () -> false);
        this.questions = new Subscriptions(List.of(driver))
                .channel(server.channelPrefix() + kit.ids.client(), () -> !kit.isClosed(), reports::onMessage);
        this.quorum = quorum;
        server.whenClockRunsAhead((lowered, partition) -> kit.renewals().ranAhead(kit.holds(hold -> true), lowered));
        this.lookedAt.set(kit.nanoTime());
        this.unfit = new ServerUnreachableException(name() + " was not connected yet", null);
    }

    String name() {
        return server.describe();
    }

    /** Begins to look at the node; called once. Completes when it was looked at, or is not there. */
    CompletableFuture<Boolean> begin() {
        server.driver.listen(new ConnectionListener() {
            @Override
            public void commandsUp() {
                server.commandsUp(partition -> true);
                reporter.commandsUp();
                takeBack.reconnected(partition -> true);
                examine();
            }

            @Override
            public void commandsDown() {
                // Who asks is told so at once.
            }

            @Override
            public void messagesUp() {
                server.messagesUp(partition -> true); // the driver has subscribed anew
                questions.adjust(); // unless it could not before
            }

            @Override
            public void messagesDown() {
                // Whoever waits asks again after its backoff.
            }
        });
        questions.adjust();
        if (server.driver instanceof LateDriver late) {
            late.begin().thenAccept(failure -> {
                if (failure != null) {
                    unfit = Refusals.of(name(), name() + " is not there: " + failure.getMessage(), failure);
                    examined.complete(true);
                }
            });
        } else {
            examine();
        }
        return examined;
    }

    private void examine() {
        // If it is to be kept out for a while, that begins now, and not when somebody asks it for a lock.
        server.quorumScripts.memory(
                server.driver,
                Keys.nodeMarker(server.options.prefix()),
                quorum.quarantine(),
                quorum.options.durableNodes(),
                quorum.agreement.word(),
                (memory, failure) -> examine(memory != null ? memory.otherAgreement() : ""));
    }

    private void examine(String otherAgreement) {
        server.calls.send(Command.of("INFO"), (info, failure) -> {
            HoldfastException found = null;
            if (info != null) {
                found = otherAgreement.isEmpty() ? judge(info.asString()) : disagrees(otherAgreement);
            } else if (failure != null && failure.code().equals("NOPERM")) {
                LOG.log(
                        System.Logger.Level.INFO,
                        () -> name() + " does not allow INFO: version, role and eviction policy are not checked");
            } else if (failure != null) {
                found = unreachableOrRefused(failure);
            }
            if (found instanceof ServerRefusedException && examined.isDone()) {
                HoldfastException told = found;
                LOG.log(System.Logger.Level.WARNING, () -> "a node does not vote: " + told.getMessage());
            }
            // One that was fit and does not answer stays fit: it is asked, and fails by itself.
            if (info != null || found == null || unfit != null) {
                unfit = found;
            }
            examined.complete(true);
        });
    }

    /** It is a node of other clients, which have been told another quorum than this one. */
    ServerRefusedException disagrees(String otherAgreement) {
        return new ServerRefusedException(name() + quorum.agreement.differenceTo(otherAgreement), null);
    }

    private @Nullable HoldfastException judge(String info) {
        try {
            Handshake.examine(server.driver, server.options, name(), info);
        } catch (ServerRefusedException e) {
            return e;
        }
        Map<String, String> facts = Handshake.parse(info);
        if ("1".equals(facts.get("cluster_enabled"))) {
            return new ServerRefusedException(
                    name()
                            + " is a member of a cluster, which moves keys to other servers: a node of a quorum must be a"
                            + " server of its own",
                    null);
        }
        if (!"0".equals(facts.getOrDefault("connected_slaves", "0"))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> name()
                            + " has replicas: a failover to one of them loses grants, and the quorum cannot see it;"
                            + " a node should be a server of its own");
        }
        runId = facts.getOrDefault("run_id", "");
        VotingNode twin = runId.isEmpty() ? null : quorum.twinOf(this);
        return twin == null
                ? null
                : new ServerRefusedException(
                        name() + " and " + twin.name() + " are the same server: each node must be a different server",
                        null);
    }

    String runId() {
        return runId;
    }

    /**
     * Why the node is not asked at present; null if it is. One that is not is looked at again in the background, at most
     * once a second: it may have come back on a connection that never broke.
     */
    @Nullable
    HoldfastException unfit() {
        HoldfastException known = unfit == null ? server.unfitClock(0) : unfit;
        long now = quorum.kit.nanoTime();
        long before = lookedAt.get();
        if (known != null && examined.isDone() && now - before > LOOK_NANOS && lookedAt.compareAndSet(before, now)) {
            examine();
        }
        return known;
    }

    /** What is wrong with a node that has not answered when the node timeout is over. */
    HoldfastException silent() {
        return new ServerUnreachableException(
                name() + " did not answer within "
                        + quorum.options.nodeTimeout().toMillis() + " ms",
                null);
    }

    HoldfastException unreachableOrRefused(DriverException failure) {
        return Refusals.of(name(), failure);
    }

    void acquire(
            Keys keys,
            String owner,
            Duration term,
            long proposedToken,
            String actor,
            long sentNanos,
            BiConsumer<@Nullable QuorumReply, @Nullable DriverException> callback) {
        server.quorumScripts.acquire(
                new QuorumScripts.Acquire(
                        keys,
                        owner,
                        term,
                        proposedToken,
                        quorum.quarantine(),
                        quorum.options.durableNodes(),
                        quorum.agreement.word(),
                        actor),
                sentNanos,
                callback);
    }

    /**
     * Waits for what is being taken back, the report too, or for so long, and leaves the server.
     *
     * @return whether the thread was interrupted meanwhile
     */
    boolean close(Duration limit) {
        takeBack.ending();
        reporter.report(takeBack::ended);
        boolean interrupted = takeBack.awaitDone(limit);
        server.close();
        return interrupted;
    }
}
