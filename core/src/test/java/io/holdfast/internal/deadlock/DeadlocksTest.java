package io.holdfast.internal.deadlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.deadlock.Deadlocks.Actor;
import io.holdfast.internal.deadlock.Deadlocks.Picture;
import io.holdfast.internal.deadlock.Deadlocks.Waiting;
import io.holdfast.internal.wire.Asked;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class DeadlocksTest {
    private final World world = new World();

    private Set<String> dead() {
        return names(new Deadlocks(world.picture()).dead());
    }

    private static Set<String> names(Set<Actor> actors) {
        return actors.stream().map(Actor::id).collect(Collectors.toSet());
    }

    private List<Set<String>> knots() {
        return new Deadlocks(world.picture())
                .knots().stream().map(DeadlocksTest::names).toList();
    }

    private String victim() {
        Deadlocks found = new Deadlocks(world.picture());
        Waiting victim = found.victim(found.knots().get(0));
        return victim == null ? "none" : victim.actor().id();
    }

    @Test
    void emptyPicture_hasNobodyDead() {
        assertEquals(Set.of(), dead());
        assertEquals(List.of(), knots());
    }

    @Test
    void twoThatWaitForEachOther_areDead() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        assertEquals(Set.of(), dead());
        world.waits("B", "a");
        assertEquals(Set.of("A", "B"), dead());
        assertEquals(List.of(Set.of("A", "B")), knots());
    }

    @Test
    void actorThatWaitsForItself_isDead() {
        world.holds("A", "a");
        world.waits("A", "a");
        assertEquals(List.of(Set.of("A")), knots());
        assertEquals("A", victim());
    }

    @Test
    void whoWaitsBehindTheDead_isDeadButInNoKnot() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("B", "a");
        world.waits("C", "a");
        assertEquals(Set.of("A", "B", "C"), dead());
        assertEquals(List.of(Set.of("A", "B")), knots());
    }

    @Test
    void holderOfWhomNothingIsKnown_lives() {
        world.holds("A", "a");
        world.holdsUnknown("b", Asked.ALONE);
        world.waits("A", "b");
        world.waits("B", "a");
        assertEquals(Set.of(), dead());
    }

    @Test
    void lockThatWasNotLookedAt_hidesTheDeadlock() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("B", "a");
        world.forget("a");
        assertEquals(Set.of(), dead());
    }

    @Test
    void waiterThatLeftTheQueue_lives() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("B", "a");
        world.leaves("B", "a");
        assertEquals(Set.of(), dead());
    }

    @Test
    void readers_doNotExcludeEachOther() {
        world.holds("A", "a", Asked.SHARED);
        world.holds("B", "a", Asked.SHARED);
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("C", "a", Asked.SHARED);
        assertEquals(Set.of(), dead());
    }

    @Test
    void twoReadersThatWantToWrite_areDead() {
        world.holds("A", "a", Asked.SHARED);
        world.holds("B", "a", Asked.SHARED);
        world.waits("A", "a");
        world.waits("B", "a");
        assertEquals(Set.of("A", "B"), dead());
    }

    @Test
    void readerBehindAWriter_isDeadWithIt() {
        world.holds("R", "a", Asked.SHARED);
        world.waits("W", "a");
        world.holds("Q", "b");
        world.waits("Q", "a", Asked.SHARED);
        assertEquals(Set.of(), dead());
        world.waits("R", "b");
        assertEquals(Set.of("R", "W", "Q"), dead());
        assertEquals(List.of(Set.of("R", "W", "Q")), knots());
        // Without the writer the reader goes on, and then all do.
        world.willing("W");
        assertEquals("W", victim());
    }

    @Test
    void permits_areDeadOnlyIfThoseOfTheLivingDoNotSuffice() {
        world.holds("A", "s", Asked.permits(1, 3));
        world.holds("B", "s", Asked.permits(1, 3));
        world.holdsUnknown("s", Asked.permits(1, 3));
        world.waits("A", "s", Asked.permits(1, 3));
        world.waits("B", "s", Asked.permits(1, 3));
        assertEquals(Set.of(), dead()); // the third permit comes back
    }

    @Test
    void permits_ofAllWhoWait_areAKnot() {
        world.holds("A", "s", Asked.permits(1, 2));
        world.holds("B", "s", Asked.permits(1, 2));
        world.waits("A", "s", Asked.permits(1, 2));
        world.waits("B", "s", Asked.permits(1, 2));
        assertEquals(List.of(Set.of("A", "B")), knots());
    }

    @Test
    void permits_forWhichTheLivingHaveTooFew_areAKnot() {
        world.holds("A", "s", Asked.permits(2, 3));
        world.holdsUnknown("s", Asked.permits(1, 3));
        world.waits("A", "s", Asked.permits(2, 3));
        assertEquals(List.of(Set.of("A")), knots());
    }

    @Test
    void actorWithTwoWaits_livesWhenBothCanEnd() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("A", "c");
        assertEquals(Set.of(), dead());
        world.waits("B", "a");
        assertEquals(Set.of("A", "B"), dead());
    }

    @Test
    void ownRequestThatStandsBefore_isNotInTheWay() {
        world.holdsUnknown("a", Asked.ALONE);
        world.waits("A", "a");
        world.waits("A", "a");
        assertEquals(Set.of(), dead());
    }

    @Test
    void leaseOfTheOwnClientsLine_isWhatItsNextWaitsFor() {
        String owner = world.holds("A", "a");
        world.waitsInLine("B", "a", owner);
        world.holds("B", "b");
        assertEquals(Set.of(), dead());
        world.waits("A", "b");
        assertEquals(Set.of("A", "B"), dead());
    }

    @Test
    void lineThatStandsInTheQueue_isInTheWayThroughItsFirst() {
        String owner = world.waits("A", "a");
        world.waitsInLine("B", "a", owner);
        world.holds("C", "a");
        world.holds("B", "b");
        world.waits("C", "b");
        assertEquals(Set.of("A", "B", "C"), dead());
        assertEquals(List.of(Set.of("B", "C")), knots());
    }

    @Test
    void victim_isTheYoungestOfTheWilling() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("B", "a");
        assertEquals("B", victim());
        world.unwilling("B");
        assertEquals("A", victim());
        world.unwilling("A");
        assertEquals("none", victim());
    }

    @Test
    void victim_isOneWithoutWhomAnotherGoesOn() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("B", "a");
        world.waits("C", "b"); // stands before A, and has nothing
        world.waits("A", "b");
        assertEquals(List.of(Set.of("A", "B", "C")), knots());
        world.youngest("C");
        assertEquals("A", victim());
    }

    @Test
    void cycle_isTheShortestThroughItsFirst() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.holds("C", "c");
        world.waits("A", "b");
        world.waits("B", "c");
        world.waits("C", "a");
        world.waits("B", "a");
        Deadlocks found = new Deadlocks(world.picture());
        assertEquals(List.of("C", "A", "B"), cycle(found, "C"));
        assertEquals(List.of("A", "B"), cycle(found, "A"));
        assertThrows(IllegalArgumentException.class, () -> cycle(new Deadlocks(new World().picture()), "A"));
    }

    private static List<String> cycle(Deadlocks found, String from) {
        Actor actor = found.dead().stream()
                .filter(each -> each.id().equals(from))
                .findFirst()
                .orElseThrow(IllegalArgumentException::new);
        return found.cycle(actor).stream().map(waiting -> waiting.actor().id()).toList();
    }

    @Test
    void common_keepsWhatIsInBoth() {
        world.holds("A", "a");
        String owner = world.holds("B", "b");
        world.waits("A", "b");
        world.waits("B", "a");
        Picture before = world.picture();
        assertEquals(before, Deadlocks.common(before, world.picture()));
        world.releases("B", "b", owner);
        world.holds("B", "b"); // again, by another owner
        assertEquals(Set.of("A", "B"), dead());
        assertEquals(Set.of(), new Deadlocks(Deadlocks.common(before, world.picture())).dead());
    }

    @Test
    void common_ofQueuesInAnotherOrder_hasNobodyAhead() {
        world.holds("A", "a");
        world.waits("C", "a", Asked.SHARED);
        world.holds("D", "b");
        world.waits("D", "a");
        Picture before = world.picture();
        world.goesToTheTail("C", "a");
        Picture common = Deadlocks.common(before, world.picture());
        Objects.requireNonNull(common.locks().get("a"))
                .ahead()
                .values()
                .forEach(ahead -> assertEquals(Set.of(), ahead));
    }

    @Test
    void common_ofALeaseThatWentRoundInItsClient_isNotTheSameLease() {
        String owner = world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("B", "a");
        Picture before = world.picture();
        world.lends("A", "a", owner);
        assertEquals(Set.of("A", "B"), dead());
        assertEquals(Set.of(), new Deadlocks(Deadlocks.common(before, world.picture())).dead());
    }

    // ---- at random

    @Test
    void reduction_ofRandomPictures_isWhatTryingEveryOrderFinds() {
        int knots = 0;
        for (int seed = 0; seed < 4_000; seed++) {
            World made = World.random(new Random(seed));
            Set<String> stuck = made.stuckInEveryOrder();
            Deadlocks found = new Deadlocks(made.picture());
            assertEquals(stuck, names(found.dead()), () -> "in " + made);
            Set<Actor> inKnots = new HashSet<>();
            for (Set<Actor> knot : found.knots()) {
                knots++;
                assertTrue(found.dead().containsAll(knot));
                knot.forEach(actor -> {
                    assertTrue(inKnots.add(actor), "in two knots");
                    List<Waiting> cycle = found.cycle(actor);
                    assertEquals(actor, cycle.get(0).actor());
                    assertTrue(
                            knot.containsAll(cycle.stream().map(Waiting::actor).toList()));
                });
                Waiting victim = found.victim(knot);
                assertTrue(victim != null && knot.contains(victim.actor()));
            }
            assertEquals(stuck.isEmpty(), found.knots().isEmpty(), () -> "in " + made);
        }
        assertTrue(knots > 500, "only " + knots);
    }

    @Test
    void victims_ofRandomPictures_resolveThem() {
        for (int seed = 0; seed < 2_000; seed++) {
            World made = World.random(new Random(seed));
            for (int rounds = 0; ; rounds++) {
                Deadlocks found = new Deadlocks(made.picture());
                if (found.knots().isEmpty()) {
                    break;
                }
                Waiting victim = found.victim(found.knots().get(0));
                made.gone(Objects.requireNonNull(victim).actor().id());
                assertTrue(rounds < 10, () -> "in " + made);
            }
            assertEquals(Set.of(), made.stuckInEveryOrder());
        }
    }

    @Test
    void victim_ofAKnot_isTheSameForAllWhoSeeMoreOrLessAroundIt() {
        world.holds("A", "a");
        world.holds("B", "b");
        world.waits("A", "b");
        world.waits("B", "a");
        assertEquals("B", victim());
        world.waits("C", "a");
        world.waits("D", "b", Asked.ALONE);
        assertEquals("B", victim());
        world.unwilling("A");
        world.unwilling("B");
        assertNull(new Deadlocks(world.picture())
                .victim(new Deadlocks(world.picture()).knots().get(0)));
    }
}
