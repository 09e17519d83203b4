package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Entropy;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class OwnerIdsTest {
    private final OwnerIds ids = new OwnerIds(Entropy.system());

    @Test
    void next_manyTimes_isDistinctAndOfOneForm() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            String owner = ids.next();
            assertTrue(seen.add(OwnerIds.publicPart(owner)), owner);
            // What the scripts take apart: client to the first point, public part to the tilde, no spaces.
            assertTrue(owner.matches("[A-Za-z0-9_-]{12}\\.[0-9a-z]+-[0-9a-z]+~[A-Za-z0-9_-]{16}"), owner);
            assertTrue(owner.startsWith(ids.client() + "."), owner);
        }
    }

    @Test
    void next_twoClients_differ() {
        OwnerIds other = new OwnerIds(Entropy.system());
        assertNotEquals(ids.client(), other.client());
        assertNull(other.complete(OwnerIds.publicPart(ids.next())));
    }

    @Test
    void shown_whatRests_isAHyphen_andAnIdThatBeginsWithOneIsItself() {
        assertEquals("-", OwnerIds.shown("-abcdefghijkl.0-1"));
        assertEquals("-", OwnerIds.shown("--bcdefghijkl.0-1"));
        assertEquals("-bcdefghijkl.0-1", OwnerIds.shown("-bcdefghijkl.0-1"));
        assertEquals("abcdefghijkl.0-1", OwnerIds.shown("abcdefghijkl.0-1"));
    }

    @Test
    void complete_ownPublicPart_findsTheSecret() {
        String owner = ids.next();
        assertEquals(owner, ids.complete(OwnerIds.publicPart(owner)));
    }

    @Test
    void complete_anyRandomness_findsTheSecret() {
        // The client's id may contain the minus that also ends the epoch.
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            OwnerIds some = new OwnerIds(count -> {
                byte[] bytes = new byte[count];
                random.nextBytes(bytes);
                return bytes;
            });
            some.newEpoch();
            String owner = some.next();
            assertEquals(owner, some.complete(OwnerIds.publicPart(owner)), "seed " + seed);
        }
    }

    @Test
    void complete_somebodyElsesOrNonsense_isNull() {
        assertNull(ids.complete(""));
        assertNull(ids.complete("-"));
        assertNull(ids.complete(ids.client()));
        assertNull(ids.complete(ids.client() + "."));
        assertNull(ids.complete(ids.client() + ".zz-1"));
        assertNull(ids.complete("x" + OwnerIds.publicPart(ids.next())));
    }

    @Test
    void newEpoch_ofACopiedMachine_drawsAnotherSecretAndGoesOnCounting() {
        String before = ids.next();
        ids.newEpoch();
        String after = ids.next();
        assertNotEquals(secret(before), secret(after));
        assertNotEquals(OwnerIds.publicPart(before), OwnerIds.publicPart(after));
        assertEquals(before, ids.complete(OwnerIds.publicPart(before)), "owners of an earlier epoch are still ours");
        assertEquals(after, ids.complete(OwnerIds.publicPart(after)));
    }

    @Test
    void newEpoch_manyTimes_keepsABoundedNumber() {
        String first = ids.next();
        for (int i = 0; i < 63; i++) {
            ids.newEpoch();
        }
        assertEquals(first, ids.complete(OwnerIds.publicPart(first)));
        ids.newEpoch();
        assertNull(ids.complete(OwnerIds.publicPart(first)), "the oldest of 65 epochs is forgotten");
        String present = ids.next();
        assertEquals(present, ids.complete(OwnerIds.publicPart(present)));
    }

    private static String secret(String owner) {
        return owner.substring(owner.indexOf('~') + 1);
    }

    @Test
    void next_afterEpochs_numbersThemInTheirOrder() {
        assertTrue(ids.next().startsWith(ids.client() + ".0-1~"));
        ids.newEpoch();
        assertTrue(ids.next().startsWith(ids.client() + ".1-2~"));
    }

    @Test
    void parts_ofOwnersWithAndWithoutASecret_areTold() {
        assertEquals("c.0-1", OwnerIds.publicPart("c.0-1~secret"));
        assertEquals("c.0-1", OwnerIds.publicPart("c.0-1"));
        assertEquals("", OwnerIds.publicPart("~secret"));
        assertEquals("c", OwnerIds.clientOf("c.0-1"));
        assertEquals("", OwnerIds.clientOf("-"));
        assertEquals("", OwnerIds.clientOf(".0-1"));
    }

    @Test
    void complete_afterAnotherThreadHasLookedAndDrawn_isNotHeldUp() throws Exception {
        String owner = ids.next();
        ids.newEpoch();
        assertEquals(owner, ids.complete(OwnerIds.publicPart(owner)));
        CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> {
            ids.newEpoch();
            return String.valueOf(ids.complete(OwnerIds.publicPart(owner)));
        });
        assertEquals(owner, other.get(10, TimeUnit.SECONDS));
    }
}
