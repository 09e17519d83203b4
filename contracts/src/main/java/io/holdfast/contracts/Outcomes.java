package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import org.jspecify.annotations.Nullable;

/** What came of asking for a lock, as a test expects it. */
public final class Outcomes {
    private Outcomes() {}

    /** The lease that has to be there. */
    public static <L> L assertObtained(Attempt<L> attempt) {
        assertInstanceOf(Attempt.Obtained.class, attempt);
        return attempt.orElseThrow();
    }

    /** The refusal that has to be there, for this reason. */
    public static <L> Attempt.NotObtained<L> assertNotObtained(Reason reason, @Nullable Attempt<L> attempt) {
        return assertNotObtained(reason, attempt, "");
    }

    /** The same, with words about what it means if it is not so. */
    public static <L> Attempt.NotObtained<L> assertNotObtained(
            Reason reason, @Nullable Attempt<L> attempt, String words) {
        if (attempt instanceof Attempt.NotObtained<L> not) {
            assertEquals(reason, not.reason(), words);
            return not;
        }
        throw new AssertionError("not refused as " + reason + ", but " + attempt + ' ' + words);
    }

    /** In a word, as traces have it. */
    public static String word(Attempt<?> attempt) {
        return attempt.fold(lease -> "OBTAINED", not -> not.reason().name(), unknown -> "UNKNOWN");
    }

    /** Whether it was not obtained for this reason. */
    public static boolean isRefused(Reason reason, @Nullable Attempt<?> attempt) {
        return attempt instanceof Attempt.NotObtained<?> not && not.reason() == reason;
    }
}
