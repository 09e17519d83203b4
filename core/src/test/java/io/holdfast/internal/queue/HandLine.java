package io.holdfast.internal.queue;

import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.spi.Reply;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A read/write lock as its server has it, asked by one owner over a {@link HandClient}: what is asked is carried out at one moment,
 * and answered at another.
 */
final class HandLine {
    static final long WRITING = 7;
    static final long READING = 8;
    static final long ANEW = 9;

    private final Keys keys;
    private final ReentrantLock lock = new ReentrantLock();
    private long held; // the token of the owner's hold; 0 if it has none; guarded by lock

    HandLine(Keys keys) {
        this.keys = keys;
    }

    /** Carries out a call; what is returned is to be told. */
    Reply carryOut(HandClient.Call call) {
        lock.lock();
        try {
            return switch (call.script()) {
                case LINE_ACQUIRE -> {
                    held = held == 0 ? WRITING : held;
                    yield words("GRANTED", held, 1_000_000L);
                }
                case LINE_DOWNGRADE -> {
                    if (held == WRITING && call.arg(3).equals(Long.toString(WRITING))) {
                        held = READING;
                    }
                    yield held == READING ? words("DOWNGRADED", READING, 1_000_000L) : words("GONE");
                }
                case LINE_RELEASE -> {
                    boolean ended = held != 0;
                    held = 0;
                    yield words(ended ? "RELEASED" : "GONE");
                }
                case LINE_RENEW -> words(isHeld(call.arg(0)));
                case LINE_CONFIRM -> words(isHeld(call.arg(2)));
                default -> throw new AssertionError("nobody asks this here: " + call);
            };
        } finally {
            lock.unlock();
        }
    }

    /** Of an entry, whose second word is a token. */
    private int isHeld(String entry) {
        return entry.split(" ", 3)[1].equals(Long.toString(held)) ? 1 : 0;
    }

    /** The token of the owner's hold; 0 if it has none. */
    long held() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Releases it by name; what is returned is the message. */
    String revoke(String owner) {
        lock.lock();
        try {
            String message = "V " + OwnerIds.publicPart(owner) + " " + held + " 0 " + keys.hold();
            held = 0;
            return message;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The writer's hold was a claim that lapsed, which put the owner back into the queue; and it is granted to it anew. What is
     * returned is the message; null if it is not for writing that the owner holds.
     */
    @Nullable
    String grantAnew(String owner) {
        lock.lock();
        try {
            if (held != WRITING) {
                return null;
            }
            held = ANEW;
            return "L 1000000 1 " + OwnerIds.publicPart(owner) + " " + ANEW + " 1000 " + keys.hold();
        } finally {
            lock.unlock();
        }
    }

    private static Reply words(Object... words) {
        return Reply.of(
                Arrays.stream(words).map(word -> Reply.of(word.toString())).toList());
    }
}
