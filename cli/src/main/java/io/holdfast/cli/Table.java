package io.holdfast.cli;

import java.util.ArrayList;
import java.util.List;

/** Columns that are aligned to the left, two spaces apart. */
final class Table {
    private static final String GAP = "  ";

    private final List<String[]> rows = new ArrayList<>();

    /** With a row of headings, or with none. */
    Table(String... headings) {
        if (headings.length > 0) {
            rows.add(headings);
        }
    }

    /** Adds a row, as long as the first. */
    void add(String... cells) {
        String[] shown = cells.clone();
        for (int i = 0; i < shown.length; i++) {
            shown[i] = Say.printable(shown[i]);
        }
        rows.add(shown);
    }

    /** All of it, with a line feed after each row. */
    String text() {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].codePointCount(0, row[i].length()));
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            int end = text.length();
            for (int i = 0; i < row.length; i++) {
                text.append(row[i]);
                if (!row[i].isEmpty()) {
                    end = text.length();
                }
                int missing = widths[i] - row[i].codePointCount(0, row[i].length());
                text.append(" ".repeat(missing)).append(GAP);
            }
            text.setLength(end);
            text.append('\n');
        }
        return text.toString();
    }
}
