package io.holdfast.model.exclusive;

import io.holdfast.model.queue.QueueBounds;
import java.util.List;

/**
 * How much of the world a look has. Times are in ticks, of which the server's scripts know nothing: in the conformance run a tick is a
 * second.
 *
 * @param term how long a hold lasts
 * @param claim how long a claim lasts
 * @param waiterDeadline how long a client that waits may be silent, or {@link LockState#FOREVER}; a multiple of four, since keys live
 *     for a quarter longer
 * @param wishes what each owner asks for
 */
public record Bounds(int term, int claim, int waiterDeadline, List<Wish> wishes) implements QueueBounds<Bounds.Wish> {
    /**
     * What an owner asks for, each time the same.
     *
     * @param client whose it is
     * @param priority as {@code LockOptions.withPriority}
     * @param newestFirst whether it enters at the head of its priority
     * @param keeps whether its client is to be told when others want the lock, since leases share the hold
     * @param more so many tokens are reserved besides the hold's own
     * @param life after how many ticks its request is over; 0 for never
     * @param toTail whether it then goes to the tail, or else leaves
     */
    public record Wish(
            int client,
            int priority,
            boolean newestFirst,
            boolean keeps,
            int more,
            int life,
            boolean toTail,
            Share share)
            implements Entry {
        /** Without a group. */
        public Wish(int client, int priority, boolean newestFirst, boolean keeps, int more, int life, boolean toTail) {
            this(client, priority, newestFirst, keeps, more, life, toTail, Share.NONE);
        }

        public Wish withShare(int group, int weight) {
            return new Wish(client, priority, newestFirst, keeps, more, life, toTail, new Share(group, weight));
        }

        public static Wish plain(int client) {
            return new Wish(client, 0, false, false, 0, 0, true);
        }
    }

    public Bounds {
        wishes = List.copyOf(wishes);
    }

    /** So many clients with a plain request each. */
    public static Bounds plain(int clients, int term, int claim, int waiterDeadline) {
        return new Bounds(
                term,
                claim,
                waiterDeadline,
                java.util.stream.IntStream.range(0, clients)
                        .mapToObj(Wish::plain)
                        .toList());
    }
}
