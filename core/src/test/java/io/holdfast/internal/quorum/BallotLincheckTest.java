package io.holdfast.internal.quorum;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Interleavings;
import io.holdfast.LockOptions;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a node grants to a ballot that nobody wants any more is taken back, whenever the reply comes. */
@Tag("long")
public final class BallotLincheckTest {
    private final HandClient hand = new HandClient();
    private final QuorumClient quorum = hand.quorumOfOne();
    private final String owner = quorum.kit.ids.next();
    private final Ballot ballot = new Ballot(
            quorum,
            Keys.of(quorum.kit.options.prefix(), "a"),
            owner,
            LockOptions.defaults(),
            "actor",
            new Ballot.Caller() {
                @Override
                public void won(Ballot ballot, long token, long deadline) {}

                @Override
                public void lost(Ballot ballot) {}
            });
    private volatile boolean granted;
    private volatile boolean takenBack;

    /** It is over already: that is said under its lock, for which a reply would wait, and a reply is one step here. */
    public BallotLincheckTest() {
        CompletableFuture<Boolean> looked = quorum.nodes.get(0).begin();
        HandClient.Call memory = Objects.requireNonNull(hand.next(Script.MEMORY, Keys.nodeMarker("hf")));
        memory.reply().complete(HandClient.knows());
        if (!looked.isDone()) {
            throw new AssertionError("the node was not looked at");
        }
        ballot.start();
        ballot.over();
    }

    @Operation(runOnce = true)
    public void granted() {
        HandClient.Call call = hand.next(Script.QUORUM_ACQUIRE, owner);
        if (call == null) {
            throw new AssertionError("it was not asked for");
        }
        granted = true;
        call.reply().complete(HandClient.granted(7));
    }

    @Operation(runOnce = true)
    public void takeBack() {
        ballot.takeBack(ballot.seats.get(0));
        takenBack = true;
    }

    @Validate
    public void isTakenBack() {
        assertTrue(!granted || !takenBack || hand.count(Script.RELEASE, owner) > 0, "a grant was not given back");
    }

    @Test
    void interleavings_leaveNoOrphan() {
        Interleavings.of(BallotLincheckTest.class, 1, 100, Ballot.class)
                .actorsPerThread(1)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("takeBack")), List.of(act("granted")), List.of()))
                .check(BallotLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(BallotLincheckTest.class, operation);
    }
}
