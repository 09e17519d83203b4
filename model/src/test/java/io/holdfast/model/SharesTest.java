package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.exclusive.Bounds;
import io.holdfast.model.exclusive.Bounds.Wish;
import io.holdfast.model.exclusive.Call;
import io.holdfast.model.exclusive.LockServer;
import io.holdfast.model.exclusive.LockState;
import io.holdfast.model.exclusive.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Groups that wait get their shares: over every stretch in which two of them wait, their grants, divided by their weights, differ by a request
 * of each at most, which is the bound of Goyal, Vin and Cheng. So nobody starves, and a group that was idle has saved nothing.
 */
final class SharesTest {
    private static final int REQUESTS = 120;
    private static final int[] WEIGHTS = {1, 1, 3, 7};
    private static final int RUNS = 300;
    /** Parts of a request that a group begins later, because others began at the same time; and what the division has cut off. */
    private static final double ROUNDING = 0.15;

    /** A grant: whose, and which groups waited just before it. */
    private record Grant(int group, BitSet waits) {}

    @Test
    void groups_thatWait_getTheirSharesInEveryStretch() {
        int stretches = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            List<Grant> grants = grants(Rule.all(), seed);
            assertNull(unfair(grants), "seed " + seed);
            stretches += Math.toIntExact(grants.stream()
                    .filter(grant -> grant.waits.get(0) && grant.waits.get(3))
                    .count());
        }
        assertTrue(stretches > RUNS * 10, "stretches: " + stretches);
    }

    /** One group always waits, and another withdraws many requests, the first of them first, before it stays. */
    @Test
    void group_thatHasWithdrawnRequests_isServedSoon() {
        assertEquals(1, grantsBefore(Rule.all()));
        assertTrue(grantsBefore(Rule.without(Rule.SHAREBACK)) > 5);
    }

    /** How many of the other group's are granted first. */
    private static int grantsBefore(Set<Rule> rules) {
        List<Wish> wishes = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            wishes.add(Wish.plain(0).withShare(i < 21 ? 0 : 1, 1));
        }
        Bounds bounds = new Bounds(2, 1, 4, wishes);
        LockServer server = new LockServer(bounds, rules);
        LockState state = new LockState(wishes.size(), bounds.clients());
        for (int i = 0; i < 31; i++) {
            state = server.run(state, new Call.Acquire(0, i, true, 0)).state();
        }
        for (int i = 21; i < 31; i++) {
            state = server.run(state, new Call.Release(0, i, false, 0, 0, false))
                    .state();
        }
        state = server.run(state, new Call.Acquire(0, 31, true, 0)).state();
        int grants = -1;
        while (state.holder != 31) {
            grants++;
            state = server.run(state, new Call.Release(0, state.holder, false, 0, 0, false))
                    .state();
        }
        return grants;
    }

    @ParameterizedTest
    @EnumSource(
            value = Rule.class,
            names = {"SHARENOW", "SHAREIDLE"})
    void groups_withoutARule_doNot(Rule rule) {
        String found = null;
        for (long seed = 1; seed <= RUNS && found == null; seed++) {
            found = unfair(grants(Rule.without(rule), seed));
        }
        assertNotNull(found);
    }

    /** A claim lapses whose request would have ended before the present: where its group has ended makes no difference any more. */
    @Test
    void endsOfGroups_notAfterThePresent_makeNoDifference() {
        List<Wish> wishes = List.of(
                Wish.plain(1), Wish.plain(0).withShare(0, 3), Wish.plain(0).withShare(0, 3), Wish.plain(1));
        Bounds bounds = new Bounds(2, 1, 4, wishes);
        LockServer server = new LockServer(bounds, Rule.all());
        LockState state = new LockState(wishes.size(), bounds.clients());
        Arrays.fill(state.listens, true);
        state = server.run(state, new Call.Acquire(1, 0, true, 0)).state();
        state = server.run(state, new Call.Acquire(0, 1, true, 0)).state();
        state = server.run(state, new Call.Release(1, 0, false, 0, 0)).state();
        assertEquals(1, state.claim);
        assertTrue(state.groupGranted[0] > state.present);
        state.present = state.groupGranted[0] + 1;
        state.holder = LockState.NOBODY;
        LockState forgotten = state.copy();
        forgotten.forgetIdleGroups();
        assertEquals(0, forgotten.groupEnds[0]);
        for (Call call : List.of(
                new Call.Clean(1),
                new Call.Refresh(0, 1, 1, true),
                new Call.Acquire(0, 1, true, 0),
                new Call.Acquire(0, 2, true, 0),
                new Call.Acquire(1, 3, true, 0),
                new Call.Release(0, 1, false, 0, 0))) {
            assertEquals(
                    server.run(forgotten, call).state().toString(),
                    server.run(state, call).state().toString(),
                    call.toString());
        }
    }

    /** One client asks and releases at random; which groups ask changes from time to time. */
    private static List<Grant> grants(Set<Rule> rules, long seed) {
        Random random = new Random(seed);
        int[] group = new int[REQUESTS];
        List<Wish> wishes = new ArrayList<>();
        int asking = 0; // each as a bit
        for (int i = 0; i < REQUESTS; i++) {
            if (i % 20 == 0) {
                asking = 1 + random.nextInt((1 << WEIGHTS.length) - 1);
            }
            do {
                group[i] = random.nextInt(WEIGHTS.length);
            } while ((asking & 1 << group[i]) == 0);
            wishes.add(Wish.plain(0).withShare(group[i], WEIGHTS[group[i]]));
        }
        Bounds bounds = new Bounds(2, 1, 4, wishes);
        LockServer server = new LockServer(bounds, rules);
        LockState state = new LockState(REQUESTS, bounds.clients());
        List<Grant> grants = new ArrayList<>();
        int next = 0;
        int ahead = 0; // more come than are served, and then the other way round
        while (next < REQUESTS || state.holder != LockState.NOBODY) {
            ahead = random.nextInt(12) == 0 ? random.nextInt(2) : ahead;
            boolean asks = next < REQUESTS && (state.holder == LockState.NOBODY || random.nextInt(3) > ahead);
            int before = state.holder;
            BitSet waits = new BitSet();
            for (int owner = 0; owner < REQUESTS; owner++) {
                if (state.where[owner] != LockState.NOWHERE) {
                    waits.set(group[owner]);
                }
            }
            int withdrawn =
                    random.nextInt(8) == 0 ? last(state, group, random.nextInt(WEIGHTS.length)) : LockState.NOBODY;
            Call call = withdrawn != LockState.NOBODY
                    ? new Call.Release(0, withdrawn, false, 0, 0, false)
                    : asks ? new Call.Acquire(0, next++, true, 0) : new Call.Release(0, before, false, 0, 0, false);
            state = server.run(state, call).state();
            if (state.holder != before && state.holder != LockState.NOBODY) {
                grants.add(new Grant(group[state.holder], waits));
            }
        }
        return grants;
    }

    /** The last that waits of a group. */
    private static int last(LockState state, int[] group, int which) {
        int last = LockState.NOBODY;
        for (int owner : state.inLine(LockState.QUEUED)) {
            last = group[owner] == which ? owner : last;
        }
        return last;
    }

    /** Where two groups that wait differ by more; null if they never do. */
    private static @Nullable String unfair(List<Grant> grants) {
        for (int one = 0; one < WEIGHTS.length; one++) {
            for (int other = one + 1; other < WEIGHTS.length; other++) {
                double bound = 1.0 / WEIGHTS[one] + 1.0 / WEIGHTS[other] + ROUNDING;
                for (int from = 0; from < grants.size(); from++) {
                    double difference = 0;
                    for (int at = from; at < grants.size(); at++) {
                        Grant grant = grants.get(at);
                        if (!grant.waits.get(one) || !grant.waits.get(other)) {
                            break;
                        }
                        difference += grant.group == one ? 1.0 / WEIGHTS[one] : 0;
                        difference -= grant.group == other ? 1.0 / WEIGHTS[other] : 0;
                        if (Math.abs(difference) > bound) {
                            return "groups " + one + " and " + other + " differ by " + difference + " from the grant "
                                    + from + " to " + at;
                        }
                    }
                }
            }
        }
        return null;
    }
}
