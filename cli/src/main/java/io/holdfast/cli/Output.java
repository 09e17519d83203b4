package io.holdfast.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Standard output, with a memory of what went wrong: {@link PrintStream} tells only that something did. */
final class Output extends FilterOutputStream {
    private final PrintStream stream;
    private @Nullable IOException problem;

    private Output(OutputStream out, Charset charset) {
        super(out);
        stream = new PrintStream(new BufferedOutputStream(this), false, charset);
    }

    /** Puts itself in the place of {@code System.out}. */
    static Output standard() {
        Output output = new Output(new FileOutputStream(FileDescriptor.out), charset());
        System.setOut(output.stream);
        return output;
    }

    /** That of {@code System.out}. Which it is can be asked for since Java 18 only. */
    private static Charset charset() {
        String name = System.getProperty("stdout.encoding", System.getProperty("sun.stdout.encoding", ""));
        try {
            return name.isEmpty() ? Charset.defaultCharset() : Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return Charset.defaultCharset();
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length); // FilterOutputStream's own writes byte by byte
        } catch (IOException e) {
            if (problem == null) {
                problem = e;
            }
            throw e;
        }
    }

    /** Whether somebody reads what is written, who may go away: the system says that in its user's language. */
    private static boolean isPipe() {
        try {
            String what = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return what.startsWith("pipe:") || what.startsWith("socket:");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Writes what is left. A command that has done its work, and could not say what came of it, has failed; but a reader who
     * has gone away, as {@code head} does, has what he wanted.
     *
     * @param status what the command would end with
     */
    int status(int status) {
        stream.flush();
        IOException why = problem;
        if (why == null || String.valueOf(why.getMessage()).contains("Broken pipe") || isPipe()) {
            return status;
        }
        Say.failure("standard output cannot be written: " + why.getMessage(), why);
        return status == 0 || status == ExitStatus.NO ? ExitStatus.NOT_WRITTEN : status;
    }
}
