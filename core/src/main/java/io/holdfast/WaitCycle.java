package io.holdfast;

import io.holdfast.internal.wire.LogText;
import java.io.Serializable;
import java.util.List;

/**
 * A cycle of actors that wait for each other. Each one waits for a lock that the next one holds, or for which the next one
 * waits ahead of it. The last one waits for the first.
 *
 * @param links the actors, each with the lock that it waits for
 */
@SuppressWarnings("serial") // an immutable list, which can be written
public record WaitCycle(List<Link> links) implements Serializable {
    /**
     * An actor of a {@linkplain WaitCycle cycle}, and the lock that it waits for.
     *
     * @param lockName the name of the lock that it waits for
     * @param key the key of that lock on the server, which also distinguishes locks, read/write locks and semaphores
     * @param client the id of the actor's client, as listings show it
     * @param application the application's name
     * @param host the host's name
     * @param pid the process id
     * @param actor the actor's id, or the name of the thread that waits
     * @param held whether the next actor holds the lock, or some of its permits; otherwise it only waits ahead of this one in
     *     the queue
     */
    public record Link(
            String lockName,
            String key,
            String client,
            String application,
            String host,
            String pid,
            String actor,
            boolean held)
            implements Serializable {
        private String who() {
            return LogText.text(application + "@" + host + ", pid " + pid + ", " + actor);
        }
    }

    /** Copies the list. */
    public WaitCycle {
        links = List.copyOf(links);
    }

    /**
     * Returns a description for people, such as
     * {@code billing@h1, pid 7, main waits for lock 'b', which shop@h2, pid 9, main has; …}.
     */
    public String describe() {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            Link next = links.get((i + 1) % links.size());
            words.append(i == 0 ? "" : "; ").append(link.who());
            words.append(" waits for ").append(LogText.lock(link.lockName()));
            words.append(link.held() ? ", which " : ", for which ");
            words.append(links.size() == 1 ? "it" : next.who());
            words.append(link.held() ? " has" : " waits before it");
        }
        return words.toString();
    }

    /** Returns {@link #describe()}. */
    @Override
    public String toString() {
        return describe();
    }
}
