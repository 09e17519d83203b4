package io.holdfast.cli;

import java.util.ArrayList;
import java.util.List;

/** Texts by the columns that they take on a terminal, which are not their characters: some take two, some none. */
final class Columns {
    private static final String CUT = "…";

    /** First and last of characters that take two columns: East Asian Width W and F, the unassigned within included. */
    private static final int[] WIDE = {
        0x1100, 0x115F, 0x231A, 0x231B, 0x2329, 0x232A, 0x23E9, 0x23EC, 0x23F0, 0x23F0, 0x23F3, 0x23F3, 0x25FD, 0x25FE,
        0x2614, 0x2615, 0x2648, 0x2653, 0x267F, 0x267F, 0x2693, 0x2693, 0x26A1, 0x26A1, 0x26AA, 0x26AB, 0x26BD, 0x26BE,
        0x26C4, 0x26C5, 0x26CE, 0x26CE, 0x26D4, 0x26D4, 0x26EA, 0x26EA, 0x26F2, 0x26F3, 0x26F5, 0x26F5, 0x26FA, 0x26FA,
        0x26FD, 0x26FD, 0x2705, 0x2705, 0x270A, 0x270B, 0x2728, 0x2728, 0x274C, 0x274C, 0x274E, 0x274E, 0x2753, 0x2755,
        0x2757, 0x2757, 0x2795, 0x2797, 0x27B0, 0x27B0, 0x27BF, 0x27BF, 0x2B1B, 0x2B1C, 0x2B50, 0x2B50, 0x2B55, 0x2B55,
        0x2E80, 0x303E, 0x3041, 0x33FF, 0x3400, 0x4DBF, 0x4E00, 0xA4CF, 0xA960, 0xA97F, 0xAC00, 0xD7A3, 0xF900, 0xFAFF,
        0xFE10, 0xFE19, 0xFE30, 0xFE6F, 0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x16FE0, 0x18DFF, 0x1AFF0, 0x1B2FF, 0x1F004,
        0x1F004, 0x1F0CF, 0x1F0CF, 0x1F18E, 0x1F18E, 0x1F191, 0x1F19A, 0x1F200, 0x1F320, 0x1F32D, 0x1F335, 0x1F337,
        0x1F37C, 0x1F37E, 0x1F393, 0x1F3A0, 0x1F3CA, 0x1F3CF, 0x1F3D3, 0x1F3E0, 0x1F3F0, 0x1F3F4, 0x1F3F4, 0x1F3F8,
        0x1F43E, 0x1F440, 0x1F440, 0x1F442, 0x1F4FC, 0x1F4FF, 0x1F53D, 0x1F54B, 0x1F54E, 0x1F550, 0x1F567, 0x1F57A,
        0x1F57A, 0x1F595, 0x1F596, 0x1F5A4, 0x1F5A4, 0x1F5FB, 0x1F64F, 0x1F680, 0x1F6C5, 0x1F6CC, 0x1F6CC, 0x1F6D0,
        0x1F6D2, 0x1F6D5, 0x1F6D7, 0x1F6DC, 0x1F6DF, 0x1F6EB, 0x1F6EC, 0x1F6F4, 0x1F6FC, 0x1F7E0, 0x1F7F0, 0x1F90C,
        0x1F93A, 0x1F93C, 0x1F945, 0x1F947, 0x1F9FF, 0x1FA70, 0x1FAFF, 0x20000, 0x3FFFD
    };

    private Columns() {}

    /** How many columns a text takes. */
    static int of(String text) {
        return text.codePoints().map(Columns::of).sum();
    }

    private static int of(int character) {
        if (character < 0x300) {
            return character == 0xAD ? 0 : 1; // the soft hyphen
        }
        switch (Character.getType(character)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> {
                return 0;
            }
            default -> {
                // The middle and end of a Korean syllable stand within its beginning.
                return character >= 0x1160 && character <= 0x11FF ? 0 : isWide(character) ? 2 : 1;
            }
        }
    }

    private static boolean isWide(int character) {
        int low = 0;
        int high = WIDE.length / 2 - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (character < WIDE[2 * middle]) {
                high = middle - 1;
            } else if (character > WIDE[2 * middle + 1]) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }

    /** The text, or as much of it as fits and a sign that there is more. */
    static String cut(String text, int columns) {
        return of(text) <= columns ? text : begin(text, columns - 1) + CUT;
    }

    /** As much of the text as fits. */
    static String begin(String text, int columns) {
        int taken = 0;
        int end = 0;
        while (end < text.length()) {
            int character = text.codePointAt(end);
            taken += of(character);
            if (taken > columns) {
                break;
            }
            end += Character.charCount(character);
        }
        return text.substring(0, end);
    }

    /**
     * Breaks a line between words, each further line indented like this one and by so much more. A word that is too long
     * stays whole: the terminal breaks it, and it can still be copied.
     */
    static List<String> wrapped(String line, int columns, int more) {
        if (of(line) <= columns) {
            return List.of(line);
        }
        String rest = line.stripLeading();
        String indent = line.substring(0, line.length() - rest.length());
        List<String> lines = new ArrayList<>();
        StringBuilder present = new StringBuilder(indent);
        boolean empty = true;
        for (String word : rest.split(" ", -1)) {
            if (!empty && of(present.toString()) + 1 + of(word) > columns) {
                lines.add(present.toString());
                present = new StringBuilder(indent).append(" ".repeat(more));
                empty = true;
            }
            present.append(empty ? "" : " ").append(word);
            empty = false;
        }
        lines.add(present.toString());
        return lines;
    }
}
