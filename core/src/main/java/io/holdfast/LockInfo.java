package io.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A lock as it stands on the server at one instant.
 *
 * @param name the lock's name
 * @param holder who holds it; empty if it is free
 * @param confirmed whether the holder has taken up the lock; false for the short time after it was handed to a waiter
 * @param term the term (lease duration) that the holder asked for; zero if it is free
 * @param remaining how long the hold will last without renewal
 * @param waiters how many requests are queued, also where not all are listed; 0 if there is no queue
 * @param queue the queued requests in the server's order, as far as they were asked for
 */
public record LockInfo(
        String name,
        Optional<Holder> holder,
        boolean confirmed,
        Duration term,
        Duration remaining,
        int waiters,
        List<Waiter> queue) {

    private static final int FIRST_WAITER = 8;
    private static final int PER_WAITER = 6;

    /** Copies the list. */
    public LockInfo {
        queue = List.copyOf(queue);
    }

    /** Whether the lock is held, or rests (see {@link Holder#resting()}). */
    public boolean isLocked() {
        return holder.isPresent();
    }

    /** Whether a request waits for the lock. */
    public boolean isQueued() {
        return waiters > 0;
    }

    /** Decodes one element of the reply of info.lua. */
    static LockInfo decode(String name, ScriptReply reply) {
        Optional<Holder> holder = reply.holder(0);
        List<Waiter> queue = new ArrayList<>();
        for (int i = FIRST_WAITER; i + PER_WAITER <= reply.size(); i += PER_WAITER) {
            Holder read = Label.holder(reply.text(i), 0, reply.number(i + 1), reply.text(i + 2));
            queue.add(new Waiter(
                    read.owner(),
                    read.application(),
                    read.host(),
                    read.pid(),
                    read.actor(),
                    read.metadata(),
                    read.since(),
                    reply.count(i + 3),
                    QueueScripts.orderOf(reply.text(i + 4)),
                    Waiter.State.valueOf(reply.text(i + 5).toUpperCase(Locale.ROOT))));
        }
        return new LockInfo(
                name,
                holder,
                reply.text(6).equals("held"),
                Duration.ofMillis(holder.isPresent() ? reply.number(5) : 0),
                Duration.ofMillis(reply.remainingMillis(0)),
                reply.count(7),
                queue);
    }
}
