package io.holdfast.model.deadlock;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.Values;
import java.util.Collections;
import java.util.List;

/**
 * Locks, what their clients have written down, and what one client has read of both.
 *
 * @param texts what each client has written
 * @param requests how many there have been
 * @param first what was read for the first picture, and then for the second
 * @param were clients that were deadlocked at some moment since the first piece was read, as bits
 * @param reported clients that were said to be deadlocked, as bits
 */
record DetectionState(
        List<Lock> locks, List<Text> texts, int requests, Seen first, Seen second, int were, int reported) {
    /**
     * A request of a client, and the hold that comes of it.
     *
     * @param number the requests of all are numbered
     */
    record Own(int client, int number) implements Fingerprint.Part {
        @Override
        public void addTo(Fingerprint print) {
            print.add(client * 64L + number);
        }
    }

    /** Those that hold a lock, which is one at most, and those that wait for it, the next one first. */
    record Lock(List<Own> holds, List<Own> waits) implements Fingerprint.Part {
        static final Lock FREE = new Lock(List.of(), List.of());

        Lock asked(Own own) {
            return holds.isEmpty() ? new Lock(List.of(own), List.of()) : new Lock(holds, Values.plus(waits, own));
        }

        Lock released() {
            return waits.isEmpty() ? FREE : new Lock(List.of(waits.get(0)), Values.minus(waits, 0));
        }

        Lock withdrawn(int client) {
            return new Lock(
                    holds, waits.stream().filter(own -> own.client != client).toList());
        }

        boolean isWantedBy(int client) {
            return waits.stream().anyMatch(own -> own.client == client);
        }

        boolean isHeldBy(int client) {
            return holds.stream().anyMatch(own -> own.client == client);
        }

        @Override
        public void addTo(Fingerprint print) {
            print.add(holds).add(waits);
        }
    }

    /**
     * What a client has written down of itself.
     *
     * @param lock for which it waits, -1 for none
     * @param wants by which request
     * @param keeps the numbers of its holds by lock, 0 for none
     */
    record Text(int lock, int wants, List<Integer> keeps) implements Fingerprint.Part {
        static final Text NONE = new Text(-1, 0, List.of());

        @Override
        public void addTo(Fingerprint print) {
            print.add(lock * 64L + wants);
            keeps.forEach(print::add);
        }
    }

    /**
     * Pieces of a picture. Locks that were not read are free in it, and clients whose text was not read wait for nothing.
     *
     * @param read pieces, as bits: locks, then texts
     */
    record Seen(List<Lock> locks, List<Text> texts, int read) implements Fingerprint.Part {
        static final int COMPLETE = -1;

        static Seen nothing(int locks, int clients) {
            return new Seen(Collections.nCopies(locks, Lock.FREE), Collections.nCopies(clients, Text.NONE), 0);
        }

        private boolean lacks(int piece) {
            return (read & 1 << piece) == 0;
        }

        /** From what the first client waits for to those who have it or stand before it, to what these wait for, and on. */
        int nextPiece() {
            if (lacks(locks.size())) {
                return locks.size();
            }
            for (Text text : texts) {
                if (text.lock >= 0 && lacks(text.lock)) {
                    return text.lock;
                }
            }
            for (Lock lock : locks) {
                for (Own own : Values.concat(lock.holds, lock.waits)) {
                    if (lacks(locks.size() + own.client)) {
                        return locks.size() + own.client;
                    }
                }
            }
            return COMPLETE;
        }

        boolean isComplete() {
            return nextPiece() == COMPLETE;
        }

        Seen with(int piece, DetectionState now) {
            int client = piece - locks.size();
            return client < 0
                    ? new Seen(Values.with(locks, piece, now.locks.get(piece)), texts, read | 1 << piece)
                    : new Seen(locks, Values.with(texts, client, now.texts.get(client)), read | 1 << piece);
        }

        @Override
        public void addTo(Fingerprint print) {
            print.add(locks).add(texts).add(read);
        }
    }

    boolean isWaiting(int client) {
        return locks.stream().anyMatch(lock -> lock.isWantedBy(client));
    }

    /** What a client would write of itself now; nothing, if it does not wait. */
    Text textOf(int client) {
        int at = -1;
        int wants = 0;
        Integer[] keeps = new Integer[locks.size()];
        for (int i = 0; i < keeps.length; i++) {
            keeps[i] = 0;
            for (Own own : locks.get(i).holds()) {
                keeps[i] = own.client == client ? own.number : keeps[i];
            }
            for (Own own : locks.get(i).waits()) {
                at = own.client == client ? i : at;
                wants = own.client == client ? own.number : wants;
            }
        }
        return at < 0 ? Text.NONE : new Text(at, wants, List.of(keeps));
    }

    DetectionState with(int at, Lock next, int many) {
        return new DetectionState(Values.with(locks, at, next), texts, many, first, second, were, reported);
    }

    DetectionState with(int client, Text written) {
        return new DetectionState(locks, Values.with(texts, client, written), requests, first, second, were, reported);
    }

    DetectionState with(Seen one, Seen other) {
        return new DetectionState(locks, texts, requests, one, other, were, reported);
    }

    DetectionState with(int deadlocked) {
        return new DetectionState(locks, texts, requests, first, second, deadlocked, reported);
    }

    DetectionState reports(int clients) {
        return new DetectionState(locks, texts, requests, first, second, were, clients);
    }

    long fingerprint() {
        Fingerprint print = new Fingerprint().add(locks).add(texts).add(requests);
        first.addTo(print);
        second.addTo(print);
        return print.add(were).add(reported).get();
    }
}
