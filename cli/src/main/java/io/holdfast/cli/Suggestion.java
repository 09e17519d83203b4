package io.holdfast.cli;

import java.util.Collection;

/** Which word somebody may have meant who has typed another. */
final class Suggestion {
    private Suggestion() {}

    /** {@code "; did you mean run?"}, or nothing. */
    static String of(String typed, Collection<String> known) {
        String best = "";
        int least = typed.length() <= 4 ? 2 : 3; // one letter of a short word, two of a longer one
        for (String each : known) {
            int distance = distance(typed, each);
            if (distance < least) {
                least = distance;
                best = each;
            }
        }
        return best.isEmpty() ? "" : "; did you mean " + best + "?";
    }

    /** How many letters have to be put in, left out, replaced, or swapped with their neighbours. */
    static int distance(String one, String other) {
        int[][] least = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                if (i == 0 || j == 0) {
                    least[i][j] = i + j;
                    continue;
                }
                boolean same = one.charAt(i - 1) == other.charAt(j - 1);
                least[i][j] =
                        Math.min(least[i - 1][j - 1] + (same ? 0 : 1), Math.min(least[i - 1][j], least[i][j - 1]) + 1);
                if (i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1)) {
                    least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
                }
            }
        }
        return least[one.length()][other.length()];
    }
}
