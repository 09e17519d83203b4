package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Faces;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Script;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
        String open = OwnerIds.publicPart(Faces.hold(lease).owner());
        String notice =
                "G " + open + " 7 1000000 1000 0 " + Faces.hold(lease).keys().hold();
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
        String notice = "G " + OwnerIds.publicPart(owner) + " 7 1000000 1000 0 "
                + Faces.hold(lease).keys().hold();
        lease.releaseAsync();
        hand.client.queue.waitingRoom.onMessage(notice);
        assertEquals(
                1, hand.count(Script.RELEASE, owner), "the thread that reads may be ahead of the one that releases");
        Objects.requireNonNull(hand.next(Script.RELEASE, owner)).reply().complete(HandClient.released());
        assertEquals(0, hand.client.queue.waitingRoom.size());
        hand.client.queue.waitingRoom.onMessage(notice);
        assertEquals(2, hand.count(Script.RELEASE, owner), "a grant that nobody waits for is given back");
    }
}
