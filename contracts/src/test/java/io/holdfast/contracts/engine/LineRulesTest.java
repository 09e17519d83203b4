package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.RewritingDriver;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules that stand in the scripts of lines, between {@code -- rule} and {@code -- end}: each is needed. */
final class LineRulesTest extends LineFixture {
    private static final Duration LAPSE = CLAIM.plusSeconds(1);

    private static String mustHold(boolean holds, String who) {
        return holds ? SOUND : "there is room for " + who + ", the first in line, and nobody was granted";
    }

    // ---- ends

    @Test
    void tombstone_copyOfAnAcquireArrivesAfterTheWithdrawal_isNeeded() {
        assertNeeded("tombstone", "", () -> {
            assertEquals("GONE", release(A, "120000 0 0 0").get(0));
            ask(A, R);
            return holds(A) ? "held by an owner that has ended" : SOUND;
        });
    }

    @Test
    void rearm_repeatedAcquireNearTheEndOfTheFirst_isNeeded() {
        assertNeeded("rearm", "", () -> {
            take(A, W);
            advance(TERM.minusSeconds(1));
            assertEquals("GRANTED", ask(A, W).get(0)); // and counts from when this left
            advance(Duration.ofSeconds(2));
            return tryAsk(B, W).equals("GRANTED") ? "two writers at a time" : SOUND;
        });
    }

    @Test
    void tellrearm_grantThatIsToldAgainNearItsEnd_isNeeded() {
        assertNeeded("tellrearm", "", () -> {
            take(A, W);
            queue(A2, W);
            release(A);
            advance(TERM.minusSeconds(1));
            refresh("A", A2); // and counts from when this left
            advance(Duration.ofSeconds(2));
            return tryAsk(B, W).equals("GRANTED") ? "two writers at a time" : SOUND;
        });
    }

    @Test
    void purge_holderThatIsOver_isNeeded() {
        assertNeeded("purge", "", () -> {
            take(A, R);
            advance(TERM.plusSeconds(1));
            return mustHold(tryAsk(B, W).equals("GRANTED"), "B");
        });
    }

    @Test
    void weightback_permitsOfOneOfSeveralHolders_isNeeded() {
        assertNeeded("weightback", "", () -> {
            take(A, permits(1, 3), Duration.ofSeconds(1));
            take(B, permits(1, 3));
            advance(Duration.ofSeconds(2));
            return mustHold(tryAsk(C, permits(2, 3)).equals("GRANTED"), "C");
        });
    }

    private static String slotsOf(List<String> reply) {
        return reply.get(1).replaceFirst("^[0-9]+", "");
    }

    @Test
    void slottaken_secondRequestWithSlots_isNeeded() {
        assertNeeded("slottaken", "", () -> {
            String first = slotsOf(ask(A, permits(1, 3) + "s"));
            return slotsOf(ask(B, permits(1, 3) + "s")).equals(first) ? "two holds have one slot" : SOUND;
        });
    }

    @Test
    void slotback_slotsOfOneOfSeveralHolders_isNeeded() {
        assertNeeded("slotback", "", () -> {
            ask(A, permits(1, 2) + "s");
            ask(B, permits(1, 2) + "s");
            release(A);
            return slotsOf(ask(C, permits(1, 2) + "s")).equals(":0") ? SOUND : "there is no slot but those below 2";
        });
    }

    // ---- claims that lapse

    private void handToB() {
        take(A, W);
        queue(B, W);
        queue(C, W);
        release(A);
        assertTrue(holds(B));
        advance(LAPSE);
        refresh("C", C);
    }

    @Test
    void lapseback_claimThatWasNotTakenUp_isNeeded() {
        assertNeeded("lapseback", "", () -> {
            handToB();
            return waits(B) ? SOUND : "B has lost its place";
        });
    }

    @Test
    void suspect_clientThatTakesUpNothing_isNeeded() {
        assertNeeded("suspect", "", () -> {
            handToB();
            return holds(B) ? "handed again to a client that was not heard of in between" : SOUND;
        });
    }

    @Test
    void claimskeepdetails_oneOfTwoConfirms_isNeeded() {
        assertNeeded("claimskeepdetails", "", () -> {
            take(A, W);
            queue(B, R);
            queue(C, R);
            release(A);
            assertTrue(confirm(C));
            advance(LAPSE);
            refresh("D");
            return waits(B) ? SOUND : "B has lost its place";
        });
    }

    // ---- what is known of waiters outlives the keys in which they stand

    @Test
    void standing_queueWasDroppedByHand_isNeeded() {
        assertNeeded("standing", "", () -> {
            take(A, W);
            queue(B, W);
            server.command("DEL", LINE.queue());
            return refresh("B", B).get(0).equals("RESEND")
                    ? SOUND
                    : "B stands nowhere, and its client is told that all is well";
        });
    }

    @Test
    void placeback_queueWasDroppedByHand_isNeeded() {
        assertNeeded("placeback", "", () -> {
            take(A, W);
            queue(B, W);
            server.command("DEL", LINE.queue());
            queue(B, W); // its client asks again
            release(A);
            return mustHold(holds(B), "B");
        });
    }

    @Test
    void placeback_whoStandsAsideWasDroppedByHand_isNeeded() {
        assertNeeded("placeback", "", () -> {
            handToB(); // and B takes up nothing
            server.command("DEL", LINE.parked());
            assertEquals("RESEND", refresh("B", B).get(0));
            queue(B, W);
            return refresh("B", B).get(0).equals("OK") ? SOUND : "B is told again and again to ask again";
        });
    }

    // ---- order

    @Test
    void batch_readersBehindAWriter_isNeeded() {
        assertNeeded("batch", "", () -> {
            take(A, W);
            queue(B, R);
            queue(C, R);
            release(A);
            assertTrue(holds(B));
            return mustHold(holds(C), "C");
        });
    }

    @Test
    void strict_smallRequestBehindABigOne_isNeeded() {
        assertNeeded("strict", "seldom().park(line, { owner }) again = true", () -> {
            take(A, permits(1, 2));
            queue(B, permits(2, 2));
            ask(C, permits(1, 2));
            return holds(C) ? "C is granted before B" : SOUND;
        });
    }

    @Test
    void newcomer_readerBehindAWaitingWriter_isNeeded() {
        assertNeeded("newcomer", "", () -> {
            take(A, R);
            queue(B, W);
            ask(C, R);
            return holds(C) ? "C is granted before B" : SOUND;
        });
    }

    @Test
    void cancelserves_writerBetweenReadersGivesUp_isNeeded() {
        assertNeeded("cancelserves", "", () -> {
            take(A, R);
            queue(B, W);
            queue(C, R);
            assertEquals("WITHDRAWN", release(B).get(0));
            return mustHold(holds(C), "C");
        });
    }

    @Test
    void pastdead_suspectStandsBeforeAnother_isNeeded() {
        assertNeeded(
                text -> text.replace("\nseldom().park(lock, aside)\n", "\nseldom().park(lock, aside)\nreturn nil\n"),
                () -> {
                    take(A, W);
                    queue(B, W);
                    release(A);
                    advance(LAPSE);
                    take(C, W);
                    queue(D, W);
                    ask("B.0-2~s", W, TERM, "1 0 5 F 0 T 1000"); // before D, by its priority
                    release(C);
                    return mustHold(holds(D), "D");
                });
    }

    @Test
    void suspectpasses_parkedRequestThatDoesNotFit_isNeeded() {
        assertNeeded("suspectpasses", "", () -> {
            take(A, permits(2, 2));
            queue(B, permits(2, 2));
            release(A);
            advance(LAPSE); // B is suspect
            take(C, permits(1, 2));
            take(D, permits(1, 2), Duration.ofSeconds(5));
            queue(E, permits(1, 2));
            advance(Duration.ofSeconds(6));
            refresh("B", B);
            return mustHold(holds(E), "E");
        });
    }

    // ---- an operator's limit

    @Test
    void unlimitserves_limitIsLifted_isNeeded() {
        assertNeeded("unlimitserves", "", () -> {
            limit(0);
            queue(A, permits(1, 2));
            limit(-1);
            return mustHold(holds(A), "A");
        });
    }

    @Test
    void paused_writerOfAPausedLock_isNeeded() {
        assertNeeded("paused", "", () -> {
            limit(0);
            return tryAsk(A, W).equals("GRANTED") ? "somebody enters a lock that is paused" : SOUND;
        });
    }

    @Test
    void overlimit_requestForMoreThanTheLimitStandsInFront_isNeeded() {
        assertNeeded("overlimit", "", () -> {
            take(A, permits(2, 4));
            queue(B, permits(3, 4));
            queue(C, permits(1, 4));
            limit(2);
            release(A);
            return mustHold(holds(C), "C");
        });
    }

    @Test
    void overlimit_newcomerThatFits_isNeeded() {
        assertNeeded("overlimit", "", () -> {
            take(A, permits(2, 4));
            queue(B, permits(3, 4));
            limit(3);
            limit(2);
            release(A);
            return mustHold(tryAsk(C, permits(2, 4)).equals("GRANTED"), "C");
        });
    }

    @Test
    void capends_limitEndsBeforePermitsComeBack_isNeeded() {
        assertNeeded("capends", "", () -> {
            take(A, permits(1, 2));
            limit(0, Duration.ofSeconds(3));
            long wake = Long.parseLong(ask(B, permits(1, 2)).get(3));
            return wake > 0 && wake <= 3_001 ? SOUND : "who waits is told to look in " + wake + " ms, if at all";
        });
    }

    // ---- tokens

    @Test
    void phase_readersAtATime_isNeeded() {
        assertNeeded("phase", "", () -> {
            long first = take(A, R);
            long second = take(B, R);
            return first < second ? "a store refuses the older of two living readers" : SOUND;
        });
    }

    @Test
    void closephase_writerBetweenReaders_isNeeded() {
        assertNeeded(
                text -> RewritingDriver.replacingRule(
                                "closephase",
                                "redis.call('HDEL', line.hold, unpack(publics)) redis.call('HSET', line.hold, '@n', '0', '@u', '0')")
                        .apply(text)
                        .replace("if lock.holders == 0 and redis.call('EXISTS', lock.hold) == 1 then", "if false then"),
                () -> {
                    take(A, R);
                    release(A);
                    long writer = take(B, W);
                    release(B);
                    return take(C, R) < writer ? "a store refuses the reader after a writer" : SOUND;
                });
    }

    // ---- downgrade

    @Test
    void dgtoken_writerThatGoesOnAsAReader_isNeeded() {
        assertNeeded("dgtoken", "", () -> {
            long writer = take(A, W);
            downgrade(A, writer);
            return take(B, R) > writer ? SOUND : "what the writer still sends passes beside readers";
        });
    }

    @Test
    void dgserves_readerWaits_isNeeded() {
        assertNeeded("dgserves", "", () -> {
            long writer = take(A, W);
            queue(B, R);
            downgrade(A, writer);
            return mustHold(holds(B), "B");
        });
    }

    @Test
    void dgrearm_repeatedDowngrade_isNeeded() {
        assertNeeded("dgrearm", "", () -> {
            long writer = take(A, W);
            assertEquals("DOWNGRADED", downgrade(A, writer).get(0));
            advance(TERM.minusSeconds(1));
            assertEquals("DOWNGRADED", downgrade(A, writer).get(0)); // and counts from when this left
            advance(Duration.ofSeconds(2));
            return tryAsk(B, W).equals("GRANTED") ? "a writer beside a reader" : SOUND;
        });
    }
}
