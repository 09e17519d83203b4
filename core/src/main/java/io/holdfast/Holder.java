package io.holdfast;

import java.time.Instant;

/**
 * Who holds a lock, as the server tells it.
 *
 * @param owner the public part of the owner id; {@code -} if the lock rests (see {@link #resting()})
 * @param token the fencing token
 * @param application the application's name
 * @param host the host's name
 * @param pid the process id
 * @param thread the name of the thread that asked; empty if it was not told
 * @param since when the lock was granted, by the server's clock
 */
public record Holder(
        String owner, long token, String application, String host, String pid, String thread, Instant since) {

    /** Whether nobody holds the lock any more, but it stays taken until its shortest hold is over. */
    public boolean resting() {
        return owner.equals("-");
    }

    /** For people: {@code billing@host-3, pid 4711, thread main}. */
    public String inWords() {
        String who = application + "@" + host + ", pid " + pid + (thread.isEmpty() ? "" : ", thread " + thread);
        return resting() ? "nobody (resting after " + who + ")" : who;
    }
}
