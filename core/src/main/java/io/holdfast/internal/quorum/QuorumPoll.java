package io.holdfast.internal.quorum;

import io.holdfast.NodeFailure;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.polled.Poll;
import io.holdfast.internal.polled.PolledRequest;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes of a quorum, one {@link Ballot} after the other. If one was lost, everything of it is taken back, and the next
 * is held under a new owner.
 */
final class QuorumPoll implements Poll, Ballot.Caller {
    private final QuorumClient quorum;
    private final Demand demand;
    /** The owner of the first ballot, and of all events. That of a later ballot has its number behind it. */
    private final String owner;

    private final String label;
    private volatile @Nullable Ballot ballot;
    private volatile @Nullable BallotGrant won; // by the last ballot that was
    private @Nullable PolledRequest request; // set before anybody else sees this

    QuorumPoll(QuorumClient quorum, Demand demand, String owner) {
        this.quorum = quorum;
        this.demand = demand;
        this.owner = owner;
        this.label = demand.label();
    }

    @Override
    public void of(PolledRequest made) {
        request = made;
    }

    @Override
    public void begin() {
        quorum.requests.add(request());
    }

    private PolledRequest request() {
        return Objects.requireNonNull(request);
    }

    // ---- asking

    @Override
    public void ask(int number, boolean takeOver) {
        quorum.lines.asking(request());
        Ballot before = ballot;
        if (before != null) {
            before.giveUp(); // unless it has told how it ended
        }
        Ballot asking = new Ballot(quorum, demand.keys(), ownerOf(number), demand.options(), label, this);
        ballot = asking;
        // Looked at second: whoever ends the request sees this ballot and ends it, or is seen here.
        if (!request().outcome.hasEndedWithoutHold()) {
            asking.start();
        }
    }

    /** A lost ballot's owner is ended on the nodes, where a tombstone may refuse it: each ballot has one of its own. */
    private String ownerOf(int number) {
        int secret = owner.indexOf('~');
        return number == 1 ? owner : owner.substring(0, secret) + "_" + number + owner.substring(secret);
    }

    @Override
    public void won(Ballot asked, long token, long deadline) {
        BallotGrant grant = new BallotGrant(quorum, this, asked, token);
        won = grant;
        request().granted(grant, deadline);
    }

    @Override
    public void lost(Ballot asked) {
        request().outcome.contention = asked.contention();
        if (asked.inVain()) {
            request()
                    .fail(new ServerRefusedException(
                            LogText.lock(demand.keys().name()) + ": too many nodes refuse: "
                                    + Refusals.inWords(asked.failures()),
                            asked.failures().get(0).error()));
        } else {
            request().notGranted(asked.answered());
        }
    }

    @Override
    public boolean hasOneOwner() {
        return false;
    }

    @Override
    public void askAgain() {
        throw new IllegalStateException("each ballot has an owner of its own");
    }

    @Override
    public void held(Hold hold) {
        if (hold.options.renewal()) {
            Objects.requireNonNull(won).joinSoon();
        }
    }

    // ---- its end

    @Override
    public void abandon() {
        Ballot last = ballot;
        if (last != null) {
            last.abandon();
        }
    }

    @Override
    public void forget() {
        quorum.requests.remove(request());
    }

    // ---- how often

    @Override
    public int maxAttempts() {
        return quorum.options.maxAttempts();
    }

    @Override
    public long backoffNanos(int attempts) {
        return quorum.options.backoff().nanos(attempts, quorum.kit.random());
    }

    /** A release that a node reports wakes it. */
    @Override
    public void asleep() {
        quorum.kit.lasting().begins();
        quorum.lines.sleeping(request());
    }

    @Override
    public void awake() {
        quorum.lines.leave(request());
    }

    // ---- refusals

    @Override
    public ServerUnreachableException unknown() {
        return unknown("no majority of the nodes answered");
    }

    @Override
    public ServerUnreachableException late() {
        return unknown("the nodes' answers take longer than the lease duration allows");
    }

    private ServerUnreachableException unknown(String why) {
        Ballot last = ballot;
        List<NodeFailure> failures = last == null ? List.of() : last.failures();
        return new ServerUnreachableException(
                failures,
                LogText.lock(demand.keys().name()) + ": " + why + ", the outcome is unknown"
                        + (failures.isEmpty() ? "" : ": " + Refusals.inWords(failures)));
    }
}
