package io.holdfast.model.exclusive;

import io.holdfast.model.queue.Words;
import org.jspecify.annotations.Nullable;

/**
 * Something under way: a request to the server, its reply, or a message. Whatever is under way may take any time, and overtake.
 *
 * @param party whose request, or to whom
 * @param call of a request
 * @param age ticks since the request left, for a reply too; of G, ticks of the server's clock since the grant
 * @param delay of QUEUED, how many ticks the request took to the server
 * @param beforeStep whether the server's clock has stepped since what it tells
 */
record Packet(Kind kind, int party, @Nullable Call call, int token, int age, int delay, boolean beforeStep) {
    enum Kind {
        REQUEST(0),
        GRANTED(1),
        WAITS(2),
        REFUSED(3),
        HELD(4),
        NOT_HELD(5),
        ENDED(6),
        REFRESHED(7),
        CLAIM(8),
        G(9),
        P(10);

        private final int number;

        Kind(int number) {
            this.number = number;
        }
    }

    static Packet request(int party, Call call) {
        return new Packet(Kind.REQUEST, party, call, 0, 0, 0, false);
    }

    boolean isAcquire() {
        return call instanceof Call.Acquire;
    }

    boolean isRelease() {
        return call instanceof Call.Release;
    }

    /** Bits that tell it from others; for packets that are alike, whatever their order. */
    long bits(int renamed) {
        long bits = kind.number * 64L + renamed;
        bits = bits * 64 + token;
        bits = bits * 32 + age;
        bits = bits * 64 + delay + 32;
        bits = bits * 2 + (beforeStep ? 1 : 0);
        if (call instanceof Call.Release asked) {
            bits = bits * 8 + (asked.tombstone() ? 2 : 1);
        } else if (call instanceof Call.Confirm asked) {
            bits = (bits * 8 + 3) * 64 + asked.token();
        } else if (call instanceof Call.Renew asked) {
            bits = (bits * 8 + 4) * 64 + asked.token();
        } else if (call instanceof Call.Refresh asked) {
            bits = bits * 8 + (asked.heardProbe() ? 6 : 5);
        } else if (call != null) {
            bits = bits * 8 + 7;
        }
        long mixed = (bits ^ (bits >>> 31)) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
        return mixed ^ (mixed >>> 32);
    }

    @Override
    public String toString() {
        String name = Words.owner(party);
        return switch (kind) {
            case REQUEST -> "the " + call;
            case GRANTED -> "to " + name + ": GRANTED with token " + token;
            case WAITS -> "to " + name + ": QUEUED";
            case REFUSED -> "to " + name + ": GONE, its request is refused";
            case HELD -> "to " + name + ": HELD with token " + token;
            case NOT_HELD -> "to " + name + ": token " + token + " is GONE";
            case ENDED -> "to " + name + ": the release is done";
            case REFRESHED -> "to " + name + ": the refresh is done";
            case CLAIM -> "to " + name + ": the refresh is done, and tells a claim with token " + token;
            case G -> "to " + name + ": the message of a grant with token " + token;
            case P -> "to " + name + ": a probe";
        };
    }
}
