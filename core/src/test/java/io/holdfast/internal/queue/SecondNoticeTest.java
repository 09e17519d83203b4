package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Faces;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.wire.Script;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A grant may be noticed twice: by a message and a reply, or by two replies. The second notice comes at any instant of a release. */
final class SecondNoticeTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void release_whileTheGrantIsNoticedAgain_isTheFirstThatLeaves(int reading) {
        HandClient hand = new HandClient();
        Lease lease = hand.lease("a", LockOptions.defaults().withMinHold(Duration.ofSeconds(5)));
        String notice =
                HandClient.handoff(Faces.hold(lease).owner(), Faces.hold(lease).keys());
        hand.whenTheTimeIsRead(reading, () -> hand.client.queue.waitingRoom.onMessage(notice));
        lease.releaseAsync();
        List<HandClient.Call> releases = hand.calls().stream()
                .filter(call -> call.script() == Script.RELEASE)
                .toList();
        assertFalse(releases.isEmpty());
        assertTrue(
                releases.get(0).arg(3).startsWith("0 5000 "), // the shortest hold
                "the first release is " + releases.get(0).words());
    }

    @Test
    void release_unanswered_isNotOvertakenByAnother() {
        HandClient hand = new HandClient();
        Lease lease = hand.lease("a", LockOptions.defaults().withMinHold(Duration.ofSeconds(5)));
        String owner = Faces.hold(lease).owner();
        String notice = HandClient.handoff(owner, Faces.hold(lease).keys());
        lease.releaseAsync();
        hand.client.queue.waitingRoom.onMessage(notice);
        assertEquals(
                1, hand.count(Script.RELEASE, owner), "the thread that reads may be ahead of the one that releases");
        Objects.requireNonNull(hand.next(Script.RELEASE, owner)).reply().complete(HandClient.released());
        assertEquals(0, hand.client.queue.waitingRoom.size());
        hand.client.queue.waitingRoom.onMessage(notice);
        assertEquals(2, hand.count(Script.RELEASE, owner), "a grant that nobody waits for is given back");
    }

    /** A caller that has its lease may have ended it before the thread that gave it has arranged for its renewal. */
    @Test
    void release_beforeItsHoldIsLookedAfter_isNotOvertakenByAnother() {
        HandClient hand = new HandClient();
        LockOptions options = LockOptions.defaults().withMinHold(Duration.ofSeconds(5));
        Request request = hand.request("a", options, Wait.none(), "actor");
        CompletableFuture<Attempt<Handle>> outcome = request.start();
        whenItIsHandedOut(hand, outcome, handle -> Faces.lease(handle).releaseAsync());
        Objects.requireNonNull(hand.next(Script.ACQUIRE, request.owner)).reply().complete(HandClient.granted(7));
        assertEquals(1, hand.count(Script.RELEASE, request.owner), "it is released meanwhile");
        hand.client.queue.waitingRoom.onMessage(HandClient.handoff(request.owner, request.keys));
        assertEquals(1, hand.count(Script.RELEASE, request.owner), "and no other release follows, or comes first");
        Objects.requireNonNull(hand.next(Script.RELEASE, request.owner)).reply().complete(HandClient.released());
        assertEquals(0, hand.client.queue.waitingRoom.size());
    }

    private static void whenItIsHandedOut(
            HandClient hand, CompletableFuture<Attempt<Handle>> outcome, Consumer<Handle> does) {
        hand.whileATimerIsSet(() -> {
            if (outcome.isDone()) {
                does.accept(outcome.join().orElseThrow());
            } else {
                whenItIsHandedOut(hand, outcome, does);
            }
        });
    }
}
