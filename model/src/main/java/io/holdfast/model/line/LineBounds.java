package io.holdfast.model.line;

import io.holdfast.model.queue.QueueBounds;
import java.util.List;

/**
 * How much of the world a look has. Times are in ticks, of which the server's scripts know nothing: in the conformance run a tick is a
 * second.
 *
 * @param term how long a hold lasts
 * @param claim how long a claim lasts
 * @param waiterDeadline how long a client that waits may be silent; a multiple of four, since keys live for a quarter longer
 * @param limits what an operator may limit permits to
 * @param limitLives for how long
 * @param wishes what each owner asks for, those of one client together, and the clients in their order
 */
public record LineBounds(
        int term, int claim, int waiterDeadline, List<Integer> limits, int limitLives, List<Wish> wishes)
        implements QueueBounds<LineBounds.Wish> {
    /**
     * What an owner asks for, each time the same.
     *
     * @param mode {@code W} write, {@code R} read, {@code P} permits
     * @param weight the number of permits, or 1
     * @param limit of the semaphore, or 0
     * @param slots whether the hold is to have as many slots as permits
     */
    public record Wish(
            int client,
            char mode,
            int weight,
            int limit,
            boolean slots,
            int priority,
            boolean newestFirst,
            int life,
            boolean toTail,
            Share share)
            implements Entry {
        public static Wish write(int client) {
            return new Wish(client, 'W', 1, 0, false, 0, false, 0, true, Share.NONE);
        }

        public static Wish read(int client) {
            return new Wish(client, 'R', 1, 0, false, 0, false, 0, true, Share.NONE);
        }

        public static Wish permits(int client, int weight, int limit) {
            return new Wish(client, 'P', weight, limit, false, 0, false, 0, true, Share.NONE);
        }

        /** As a request has it: {@code P:1:3}, or {@code P:1:3s} with slots. */
        public String words() {
            return mode + ":" + weight + ":" + limit + (slots ? "s" : "");
        }

        public Wish withSlots() {
            return new Wish(client, mode, weight, limit, true, priority, newestFirst, life, toTail, share);
        }

        /** The same of another client. */
        public Wish of(int other) {
            return new Wish(other, mode, weight, limit, slots, priority, newestFirst, life, toTail, share);
        }

        public Wish withShare(int group, int groupWeight) {
            return new Wish(
                    client,
                    mode,
                    weight,
                    limit,
                    slots,
                    priority,
                    newestFirst,
                    life,
                    toTail,
                    new Share(group, groupWeight));
        }

        public Wish withPriority(int other) {
            return new Wish(client, mode, weight, limit, slots, other, newestFirst, life, toTail, share);
        }

        public Wish withLife(int ticks, boolean thenToTail) {
            return new Wish(client, mode, weight, limit, slots, priority, newestFirst, ticks, thenToTail, share);
        }
    }

    public LineBounds {
        wishes = List.copyOf(wishes);
        limits = List.copyOf(limits);
    }
}
