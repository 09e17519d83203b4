package io.holdfast.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Columns that are aligned to the left, two spaces apart. On a terminal it is made as narrow as that: with headings, by
 * cutting what is longest of the columns that may be cut, with none, by breaking the last column into lines. Elsewhere it is
 * whole.
 */
final class Table {
    /** For what is to be whole. */
    static final int ENDLESS = Integer.MAX_VALUE;

    private static final String GAP = "  ";
    /** What is cut shorter says nothing any more. */
    private static final int NARROWEST = 8;
    /** A first cell that is wider has a line of its own above the words that belong to it. Only without headings. */
    private static final int WIDEST_LABEL = 26;

    private final List<String[]> rows = new ArrayList<>();
    private final boolean headed;
    private int[] mayBeCut = new int[0];

    /** With a row of headings, or with none. */
    Table(String... headings) {
        headed = headings.length > 0;
        if (headed) {
            rows.add(headings);
        }
    }

    /** Lets some columns, by their numbers from 0, be cut. */
    Table cutting(int... columns) {
        mayBeCut = columns.clone();
        return this;
    }

    /** Adds a row, as long as the first. */
    void add(String... cells) {
        String[] shown = cells.clone();
        for (int i = 0; i < shown.length; i++) {
            shown[i] = Say.printable(shown[i]);
        }
        rows.add(shown);
    }

    /** All of it for standard output, with a line feed after each row. */
    String text() {
        return text(Terminal.isOutput() ? Terminal.columns() : ENDLESS);
    }

    /** The same for so many columns. */
    String text(int columns) {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                boolean alone = !headed && i == 0 && row.length > 1 && Columns.of(row[i]) > WIDEST_LABEL;
                widths[i] = alone ? widths[i] : Math.max(widths[i], Columns.of(row[i]));
            }
        }
        if (headed) {
            narrow(widths, columns);
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            if (headed) {
                text.append(Columns.cut(line(row, widths), columns)).append('\n');
            } else {
                lines(row, widths, columns, text);
            }
        }
        return text.toString();
    }

    /** Takes from the widest column that may be cut, again and again, until all fit or none is left to take from. */
    private void narrow(int[] widths, int columns) {
        long total = GAP.length() * (widths.length - 1L);
        for (int width : widths) {
            total += width;
        }
        while (total > columns) {
            int widest = -1;
            for (int i : mayBeCut) {
                int least = Math.max(NARROWEST, Columns.of(rows.get(0)[i]));
                if (widths[i] > least && (widest < 0 || widths[i] > widths[widest])) {
                    widest = i;
                }
            }
            if (widest < 0) {
                return;
            }
            widths[widest]--;
            total--;
        }
    }

    private static String line(String[] row, int[] widths) {
        StringBuilder text = new StringBuilder();
        int end = 0;
        for (int i = 0; i < row.length; i++) {
            String cell = Columns.cut(row[i], widths[i]);
            text.append(cell);
            if (!cell.isEmpty()) {
                end = text.length();
            }
            text.append(" ".repeat(widths[i] - Columns.of(cell))).append(GAP);
        }
        text.setLength(end);
        return text.toString();
    }

    private static void lines(String[] row, int[] widths, int columns, StringBuilder text) {
        int last = row.length - 1;
        if (last > 0 && Columns.of(row[0]) > widths[0]) {
            text.append(row[0]).append('\n');
            String[] rest = row.clone();
            rest[0] = "";
            lines(rest, widths, columns, text);
            return;
        }
        int before = 0;
        for (int i = 0; i < last; i++) {
            before += widths[i] + GAP.length();
        }
        boolean first = true;
        for (String part : Columns.wrapped(row[last], Math.max(NARROWEST, columns - before), 0)) {
            String[] shown = row.clone();
            if (!first) {
                Arrays.fill(shown, "");
            }
            shown[last] = part;
            text.append(line(shown, widths)).append('\n');
            first = false;
        }
    }
}
