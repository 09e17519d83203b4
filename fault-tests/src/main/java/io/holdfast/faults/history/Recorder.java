package io.holdfast.faults.history;

import com.google.gson.Gson;
import io.holdfast.faults.history.Entry.Kind;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the history of one process to a file, a line of JSON for each entry. A line is with the kernel when the call
 * returns, so that it survives the death of the process. Any thread may write.
 */
public final class Recorder implements AutoCloseable {
    private final Gson gson = new Gson();
    private final AtomicLong operations = new AtomicLong();
    private final ReentrantLock writing = new ReentrantLock();
    private final FileOutputStream file;

    /** Writes to a new file. */
    public Recorder(Path file) throws IOException {
        this.file = new FileOutputStream(file.toFile());
    }

    /** The number of a new operation. */
    public long newOperation() {
        return operations.incrementAndGet();
    }

    /** Writes what happened just now. */
    public void note(Kind kind, long operation, String word) {
        write(new Entry(kind, System.nanoTime(), operation, "", 0, word));
    }

    /** Writes an entry. */
    public void write(Entry entry) {
        byte[] line = (gson.toJson(entry) + "\n").getBytes(StandardCharsets.UTF_8);
        writing.lock();
        try {
            file.write(line);
        } catch (IOException e) {
            throw new UncheckedIOException("the history cannot be written", e);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
