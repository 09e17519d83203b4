package io.holdfast.model.world;

import io.holdfast.model.queue.Words;

/**
 * Something under way: a request to the server, its reply, or a message. Whatever is under way may take any time, and overtake.
 *
 * @param party whose request, or to whom
 * @param token that it tells, or compares; 0 for none
 * @param flag of a release, whether to leave a tombstone; of a refresh, whether a probe was heard
 * @param age ticks since the request left, for a reply too; of G, ticks of the server's clock since the grant
 * @param delay of QUEUED, how many ticks the request took to the server
 * @param beforeStep whether the server's clock has stepped since what it tells
 */
public record Packet(Kind kind, int party, long token, boolean flag, int age, int delay, boolean beforeStep) {
    /** Requests come first. */
    public enum Kind {
        ACQUIRE,
        RELEASE,
        CONFIRM,
        RENEW,
        REFRESH,
        DOWNGRADE,
        GRANTED,
        WAITS,
        REFUSED,
        HELD,
        NOT_HELD,
        ENDED,
        REFRESHED,
        /** A refresh that tells of a claim, which goes on as one. */
        CLAIM,
        /** A refresh that tells of a hold, which is confirmed by that. */
        TAKEN_UP,
        DOWNGRADED,
        G,
        P
    }

    static Packet request(Kind kind, int party, long token, boolean flag) {
        return new Packet(kind, party, token, flag, 0, 0, false);
    }

    /** On the way to a client. */
    static Packet of(Kind kind, int party, long token, int age, int delay) {
        return new Packet(kind, party, token, false, age, delay, false);
    }

    boolean isRequest() {
        return kind.compareTo(Kind.DOWNGRADE) <= 0;
    }

    Packet withToken(long other) {
        return new Packet(kind, party, other, flag, age, delay, beforeStep);
    }

    Packet aged(int by, int most) {
        return new Packet(kind, party, token, flag, Math.min(most, age + by), delay, beforeStep);
    }

    Packet unflagged() {
        return new Packet(kind, party, token, false, age, delay, beforeStep);
    }

    /** Bits that tell it from others; for packets that are alike, whatever their order. */
    long bits(int renamed) {
        long bits = kind.name().hashCode() * 64L + renamed;
        bits = bits * 64 + token;
        bits = bits * 32 + age;
        bits = bits * 64 + delay + 32;
        bits = bits * 4 + (beforeStep ? 2 : 0) + (flag ? 1 : 0);
        long mixed = (bits ^ (bits >>> 31)) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
        return mixed ^ (mixed >>> 32);
    }

    @Override
    public String toString() {
        String name = Words.owner(party);
        return switch (kind) {
            case ACQUIRE -> "the acquire of " + name;
            case RELEASE -> "the release of " + name + (flag ? " with a tombstone" : "");
            case CONFIRM -> "the confirm of " + name + " with token " + token;
            case RENEW -> "the renew of " + name + " with token " + token;
            case REFRESH -> "the refresh of " + name + (flag ? ", which heard the probe" : "");
            case DOWNGRADE -> "the downgrade of " + name + " with token " + token;
            case GRANTED -> "to " + name + ": GRANTED with token " + token;
            case WAITS -> "to " + name + ": QUEUED";
            case REFUSED -> "to " + name + ": GONE, its request is refused";
            case HELD -> "to " + name + ": HELD with token " + token;
            case NOT_HELD -> "to " + name + ": token " + token + " is GONE";
            case ENDED -> "to " + name + ": the release is done";
            case REFRESHED -> "to " + name + ": the refresh is done";
            case CLAIM -> "to " + name + ": the refresh is done, and tells a claim with token " + token;
            case TAKEN_UP -> "to " + name + ": the refresh is done, and tells a hold with token " + token;
            case DOWNGRADED -> "to " + name + ": DOWNGRADED, to read with token " + token;
            case G -> "to " + name + ": the message of a grant with token " + token;
            case P -> "to " + name + ": a probe";
        };
    }
}
