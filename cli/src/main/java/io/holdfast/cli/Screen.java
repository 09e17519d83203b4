package io.holdfast.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Shows one page after another: on a terminal each over the one before, elsewhere one below the other. It switches
 * nothing of the terminal on or off, so that nothing is left switched, however the command ends.
 */
final class Screen {
    private static final int USUAL_ROWS = 24;
    private static final int USUAL_COLUMNS = 80;
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    /**
     * A terminal's size.
     *
     * @param rows lines
     * @param columns characters in each
     */
    record Size(int rows, int columns) {
        /** What {@code stty size} says; the usual size if that is not one. */
        static Size parse(String text) {
            String[] words = text.strip().split(" ", -1);
            if (words.length == 2 && words[0].matches("[1-9]\\d{0,3}") && words[1].matches("[1-9]\\d{0,3}")) {
                return new Size(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            }
            return new Size(USUAL_ROWS, USUAL_COLUMNS);
        }
    }

    private final PrintStream out;
    private final boolean terminal;
    private boolean first = true;

    Screen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Shows a page of lines that each end with a line feed. Whether there is still somebody to show it to. */
    boolean show(String page) {
        if (terminal) {
            out.print(frame(page, size()));
        } else {
            out.print(first ? page : "\n" + page);
        }
        first = false;
        return !out.checkError(); // flushes; the reader of a pipe may have gone
    }

    /** Leaves the cursor below what was shown. */
    void end() {
        if (terminal && !first) {
            out.println(); // the terminal has written ^C where the cursor was
            out.flush();
        }
    }

    /** A page that fits, written over what is there. The last line stays free: a line feed there would scroll. */
    static String frame(String page, Size size) {
        StringBuilder frame = new StringBuilder(HOME);
        page.lines().limit(Math.max(1, size.rows() - 1)).forEach(line -> {
            frame.append(Columns.begin(line, size.columns())).append(CLEAR_LINE).append('\n');
        });
        return frame.append(CLEAR_BELOW).toString();
    }

    /** Asked anew each time: a window changes its size. */
    static Size size() {
        try {
            Process stty = new ProcessBuilder("sh", "-c", "stty size </dev/tty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            stty.waitFor(1, TimeUnit.SECONDS);
            return Size.parse(said);
        } catch (IOException e) {
            return Size.parse("");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Size.parse("");
        }
    }
}
