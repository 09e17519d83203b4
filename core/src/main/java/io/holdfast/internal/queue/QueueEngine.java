package io.holdfast.internal.queue;

import io.holdfast.WaitCycle;
import io.holdfast.internal.deadlock.BlockedFlows;
import io.holdfast.internal.deadlock.DeadlockDetector;
import io.holdfast.internal.deadlock.DeadlockProbe;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.TakeBack;
import io.holdfast.internal.lease.Withdrawals;
import io.holdfast.internal.report.Hearing;
import io.holdfast.internal.report.Reporter;
import io.holdfast.internal.report.Reports;
import io.holdfast.internal.safety.Assurance;
import io.holdfast.internal.safety.EndedHolders;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Asks a server that keeps a queue for each lock: the parts that the requests of one client share, and what happens when
 * connections come and go.
 */
public final class QueueEngine {
    public final Kit kit;
    public final Server server;
    public final Withdrawals withdrawals;
    public final WaitingRoom waitingRoom;
    public final Mailboxes mailboxes;
    public final Assurance assurance;
    final ClaimBatcher confirms;
    final Actors actors = new Actors();
    public final OwnWaits ownWaits;
    final RetryQueue<QueuedRequest> repeats = new RetryQueue<>(this::serverOf, QueuedRequest::ask);
    /** Only where it can be seen that the process of a holder has ended. */
    final @Nullable EndedHolders endedHolders;

    public final Reporter reporter;
    public final Reports reports;
    private final @Nullable DeadlockDetector detector; // null if deadlocks are not looked for
    private @Nullable Kept kept; // set before anything is asked for

    /** @param share in the embedded server; null if it is another server */
    public QueueEngine(Kit kit, Server server, TakeBack takeBack, @Nullable EmbeddedServer share) {
        this.kit = kit;
        this.server = server;
        this.ownWaits = new OwnWaits(kit, actors, this::kept);
        this.waitingRoom = new WaitingRoom(this);
        this.withdrawals = new Withdrawals(kit, server, takeBack, waitingRoom);
        Hearing hearing = server.isPartitioned()
                ? Hearing.onPartitions(kit, server, waitingRoom::onMessage)
                : Hearing.onOneServer(kit, server);
        this.assurance = new Assurance(kit, server);
        this.confirms = new ClaimBatcher(kit, server);
        this.reporter = new Reporter(kit, server, hearing, callers -> show(BlockedFlows.ofCallers(callers)));
        this.mailboxes = new Mailboxes(kit, server, waitingRoom, reporter);
        this.reports = new Reports(kit, server, reporter, hearing, mailboxes::isOpen);
        Duration after = kit.options.deadlockDetection();
        this.detector = after == null ? null : new DeadlockDetector(kit, server, after, this::show);
        this.endedHolders = share == null ? null : new EndedHolders(kit, server, share, waitingRoom);
    }

    public void begin(Kept keeping) {
        kept = keeping;
        kit.reportTo(reporter);
        assurance.begin();
    }

    Kept kept() {
        return Objects.requireNonNull(kept);
    }

    /** A request stands in the server's queue for the first time. */
    void waits(QueuedRequest request) {
        if (request.isShared()) {
            kept().queued(request.keys.hold());
        } else {
            ownWaits.begins(request.outcome, request.demand());
        }
    }

    /** A request stands in a queue. */
    public void standsStill() {
        reporter.begins();
        DeadlockDetector looking = detector;
        if (looking != null) {
            looking.begin();
        }
    }

    /** As {@link DeadlockProbe#of}. */
    public CompletableFuture<List<WaitCycle>> deadlocks(String lock, Set<String> roots, Duration atMost) {
        return DeadlockProbe.of(kit, server, lock, roots, atMost);
    }

    private void show(BlockedFlows to) {
        waitingRoom.show(to);
        kept().show(to);
    }

    /** What has a lock at present; the engine itself stands for nobody. */
    private Object serverOf(QueuedRequest request) {
        RedisDriver master = server.masterOf(request.keys);
        return master == null ? this : master;
    }

    /** Commands go over new connections, perhaps to a server without its memory. */
    public void commandsUp(IntPredicate partitions) {
        assurance.changed(partitions);
        reporter.commandsUp();
        waitingRoom.commandsUp(partitions);
    }

    /** Messages come over new connections. */
    public void messagesUp(IntPredicate partitions) {
        waitingRoom.messagesUp(partitions);
    }

    public void messagesDown(IntPredicate partitions) {
        mailboxes.messagesDown(partitions);
    }

    /** Ends what is asked for and held. */
    public void clientClosed() {
        // Holds stand under their requests. One that begins only now is found by its request, or finds the client
        // closed.
        kit.endEach(waitingRoom.requests(), QueuedRequest::clientClosed);
    }
}
