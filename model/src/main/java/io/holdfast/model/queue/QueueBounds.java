package io.holdfast.model.queue;

import java.util.List;

/**
 * Who may stand in a queue, and for how long things last there. Times are in ticks.
 *
 * @param <W> how a request of a kind of lock stands in line
 */
public interface QueueBounds<W extends QueueBounds.Entry> {
    /**
     * The group of a request, by number.
     *
     * @param group {@link #NOBODYS} for none
     * @param weight how much it gets beside a group of weight 1
     */
    record Share(int group, int weight) {
        private static final int NOBODYS = -1;
        public static final Share NONE = new Share(NOBODYS, 1);

        public boolean isNone() {
            return group == NOBODYS;
        }
    }

    /** How a request stands in line, each time the same. */
    interface Entry {
        /** The client whose it is. */
        int client();

        /** As {@code LockOptions.withPriority}. */
        int priority();

        /** Whether it enters at the head of its priority. */
        boolean newestFirst();

        /** After how many ticks it is over; 0 for never. */
        int life();

        /** Whether it then goes to the tail, or else leaves. */
        boolean toTail();

        /** The share that says where it enters. */
        Share share();
    }

    /** How long a hold lasts. */
    int term();

    /** How long a claim lasts. */
    int claim();

    /** The same for one owner. */
    default int term(int owner) {
        return term();
    }

    /** The same for one owner. */
    default int claim(int owner) {
        return claim();
    }

    /** For how long an operator prolongs. */
    default int prolonged() {
        return term() + 1;
    }

    /** The server's clock, below which no token is given: 0 where tokens only compare. */
    default long clock() {
        return 0;
    }

    /** How many ms a tick has, where a reply tells ms. */
    default int tickMillis() {
        return 1_000;
    }

    /** Where a request enters that gets this number, in its priority; of a group, behind all that have one. */
    default long place(int owner, int sequence) {
        Entry wish = wishes().get(owner);
        return !wish.share().isNone() ? -(1L << 40) - 1 : wish.newestFirst() ? -sequence : sequence;
    }

    /** How long a client that waits may be silent, or {@link QueueState#FOREVER}. */
    int waiterDeadline();

    /** What each owner asks for. */
    List<W> wishes();

    default int owners() {
        return wishes().size();
    }

    /** All clients, with {@link #operator}. */
    default int clients() {
        return operator() + 1;
    }

    /** A client that has no request, and acts by name only. */
    default int operator() {
        return 1 + wishes().stream().mapToInt(Entry::client).max().orElse(0);
    }

    default int clientOf(int owner) {
        return wishes().get(owner).client();
    }

    /** How many requests a client has. */
    default int requestsOf(int client) {
        return (int) wishes().stream().filter(wish -> wish.client() == client).count();
    }

    /** For how long the keys of a queue live. */
    default int keysLive() {
        return waiterDeadline() == QueueState.FOREVER ? QueueState.FOREVER : waiterDeadline() * 5 / 4;
    }
}
