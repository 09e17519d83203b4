package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The text that a command writes to a file of its own, as the note of its lease. At the beginning the file has the note of the run before, on
 * whichever machine that was. An empty file says nothing: a shell empties a file before it writes it.
 */
final class NoteFile implements AutoCloseable {
    static final String VARIABLE = "HOLDFAST_NOTE";
    private static final int LOOK_EVERY_MILLIS = 500;

    private final Lease lease;
    private final Path file;
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "holdfast-note");
        thread.setDaemon(true);
        return thread;
    });
    private String noted; // touched by one thread at a time, as the next
    private String complainedOf = "";

    private NoteFile(Lease lease, Path file, String before) {
        this.lease = lease;
        this.file = file;
        this.noted = before;
    }

    /**
     * Makes the file, and begins to look at it. Blocks for one round trip.
     *
     * @throws HoldfastException if the note of the run before cannot be read
     */
    static NoteFile begin(Lease lease) throws IOException {
        String before = lease.before().flatMap(Holder::note).orElse("");
        Path file = Files.createTempFile("holdfast-note-", ".txt"); // of this user alone
        NoteFile notes = new NoteFile(lease, file, before);
        try {
            Files.writeString(file, before.isEmpty() ? "" : before + "\n");
        } catch (IOException e) {
            notes.close();
            throw e;
        }
        var unused = notes.looking.scheduleWithFixedDelay(
                notes::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        return notes;
    }

    String path() {
        return file.toString();
    }

    /** The command has ended: its last word is noted, or, if it has done its work, all notes are removed. */
    void ended(boolean done) {
        stop();
        if (done) {
            note("");
        } else {
            look();
        }
    }

    private void look() {
        String text;
        try {
            text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
        } catch (IOException e) { // the command has removed it
            return;
        }
        if (!text.isEmpty() && !text.equals(noted)) {
            if (text.length() <= Lease.LONGEST_NOTE) {
                note(text);
            } else if (!text.equals(complainedOf)) {
                complainedOf = text;
                Say.line("the note in " + VARIABLE + " has " + text.length() + " characters, must have at most "
                        + Lease.LONGEST_NOTE + ": it is not shown");
            }
        }
    }

    private void note(String text) {
        try {
            lease.note(text);
            noted = text;
        } catch (LeaseLostException e) {
            // Nothing was noted, and it is said elsewhere.
        } catch (HoldfastException e) { // tried again, and said once
            if (!text.equals(complainedOf)) {
                complainedOf = text;
                Say.failure("the note of '" + lease.name() + "' was not confirmed: " + e.getMessage(), e);
            }
        }
    }

    private void stop() {
        looking.shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (looking.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        looking.shutdownNow();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            Say.failure("the file of notes, " + file + ", could not be removed: " + e.getMessage(), e);
        }
    }
}
