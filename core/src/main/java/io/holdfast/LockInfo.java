package io.holdfast;

import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A lock as it stands on the server at one instant.
 *
 * @param name the lock's name
 * @param holder who holds it; empty if nobody does
 * @param term the term that the holder asked for; zero if nobody holds it
 * @param remaining how long the hold lasts yet without renewal
 * @param waiters how many requests are queued, also where not all are listed
 * @param queue the queued requests in the server's order, as far as they were asked for
 */
public record LockInfo(
        String name, Optional<Holder> holder, Duration term, Duration remaining, int waiters, List<Waiter> queue) {

    /** Copies the list. */
    public LockInfo {
        queue = List.copyOf(queue);
    }

    /** Decodes one element of the reply of info.lua. */
    static LockInfo decode(String name, List<Reply> reply) {
        String[] hold = reply.get(0).asString().split(" ", 5);
        boolean held = hold.length == 5;
        List<Waiter> queue = new ArrayList<>();
        for (int i = 3; i + 2 < reply.size(); i += 3) {
            queue.add(Label.waiter(
                    reply.get(i).asString(),
                    reply.get(i + 1).asLong(),
                    reply.get(i + 2).asString()));
        }
        return new LockInfo(
                name,
                held
                        ? Optional.of(Label.holder(hold[0], Long.parseLong(hold[1]), Long.parseLong(hold[2]), hold[4]))
                        : Optional.empty(),
                held ? Duration.ofMillis(Long.parseLong(hold[3])) : Duration.ZERO,
                Duration.ofMillis(held ? reply.get(1).asLong() : 0),
                (int) reply.get(2).asLong(),
                queue);
    }
}
