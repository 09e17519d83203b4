package io.holdfast;

import io.holdfast.spi.Reply;
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
    static LockInfo decode(String name, List<Reply> reply) {
        String[] hold = reply.get(0).asString().split(" ", 5);
        boolean held = hold.length == 5;
        List<Waiter> queue = new ArrayList<>();
        for (int i = 4; i + PER_WAITER <= reply.size(); i += PER_WAITER) {
            Holder read = Label.holder(
                    reply.get(i).asString(),
                    0,
                    reply.get(i + 1).asLong(),
                    reply.get(i + 2).asString());
            queue.add(new Waiter(
                    read.owner(),
                    read.application(),
                    read.host(),
                    read.pid(),
                    read.actor(),
                    read.metadata(),
                    read.since(),
                    (int) reply.get(i + 3).asLong(),
                    Commands.orderOf(reply.get(i + 4).asString()),
                    Waiter.State.valueOf(reply.get(i + 5).asString().toUpperCase(Locale.ROOT))));
        }
        return new LockInfo(
                name,
                held
                        ? Optional.of(Label.holder(hold[0], Long.parseLong(hold[1]), Long.parseLong(hold[2]), hold[4]))
                        : Optional.empty(),
                reply.get(2).asString().equals("held"),
                held ? Duration.ofMillis(Long.parseLong(hold[3])) : Duration.ZERO,
                Duration.ofMillis(held ? reply.get(1).asLong() : 0),
                (int) reply.get(3).asLong(),
                queue);
    }
}
