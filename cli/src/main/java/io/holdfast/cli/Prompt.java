package io.holdfast.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;

/** Asks the person at the terminal before something is done that cannot be undone. */
final class Prompt {
    private static final int LINES_SHOWN = 20;

    private final BufferedReader in;
    private final PrintStream out;

    /**
     * A prompt.
     *
     * @param in where the answer comes from
     * @param out where the question goes to
     */
    Prompt(Reader in, PrintStream out) {
        this.in = new BufferedReader(in);
        this.out = out;
    }

    /** Asks on standard error, so that standard output stays what was asked for. */
    static Prompt atTerminal() {
        return new Prompt(new InputStreamReader(System.in, Charset.defaultCharset()), System.err);
    }

    /**
     * Whether the person says yes, by a {@code y} or {@code yes}; everything else, the end of the input included, is a no.
     *
     * @param what what would be done, a line each; no more than twenty are shown
     */
    boolean agrees(List<String> what, String question) {
        for (String line : what.subList(0, Math.min(LINES_SHOWN, what.size()))) {
            out.println("holdfast: " + Say.printable(line));
        }
        if (what.size() > LINES_SHOWN) {
            out.println("holdfast: and " + (what.size() - LINES_SHOWN) + " more");
        }
        out.print("holdfast: " + Say.printable(question) + " [y/N] ");
        out.flush();
        try {
            String answer = in.readLine();
            if (answer == null) {
                out.println();
                return false;
            }
            String word = answer.strip().toLowerCase(Locale.ROOT);
            return word.equals("y") || word.equals("yes");
        } catch (IOException e) {
            throw new UncheckedIOException("the answer cannot be read", e);
        }
    }
}
