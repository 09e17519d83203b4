package io.holdfast.model.following;

import io.holdfast.model.queue.QueueBounds;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a call, and the keys that it finds, say of how long things last, and of what each owner asks for. A tick is a millisecond, and
 * tokens begin at the server's clock.
 */
final class CallBounds<W extends QueueBounds.Entry> implements QueueBounds<W> {
    private final long nowMicros;
    private final int waiterDeadline;
    private final List<W> wishes = new ArrayList<>();
    final int[] term;
    final int[] claim;
    int prolonged;
    /** Whose place is drawn: its name; null if nobody's is. */
    @Nullable
    String drawnFor;

    CallBounds(long nowMicros, int waiterDeadline, int owners) {
        this.nowMicros = nowMicros;
        this.waiterDeadline = waiterDeadline;
        this.term = new int[owners];
        this.claim = new int[owners];
    }

    /** Of the owner that comes next. */
    void add(W wish) {
        wishes.add(wish);
    }

    @Override
    public int term() {
        throw new UnsupportedOperationException("each owner has its own");
    }

    @Override
    public int claim() {
        throw new UnsupportedOperationException("each owner has its own");
    }

    @Override
    public int term(int owner) {
        return term[owner];
    }

    @Override
    public int claim(int owner) {
        return claim[owner];
    }

    @Override
    public int prolonged() {
        return prolonged;
    }

    @Override
    public int waiterDeadline() {
        return waiterDeadline;
    }

    /** As the scripts reckon it: with a part of the present millisecond. */
    @Override
    public int keysLive() {
        return (int) (Math.floor(nowMicros / 1000.0 + waiterDeadline * 1.25) - Math.floorDiv(nowMicros, 1_000));
    }

    @Override
    public List<W> wishes() {
        return wishes;
    }

    @Override
    public long clock() {
        return nowMicros;
    }

    @Override
    public int tickMillis() {
        return 1;
    }

    @Override
    public long place(int owner, int sequence) {
        return drawnFor == null ? QueueBounds.super.place(owner, sequence) : drawn(drawnFor + nowMicros);
    }

    /** As {@code order.lua} draws it. */
    private static long drawn(String from) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(from.getBytes(StandardCharsets.UTF_8));
            return (1L << 40) + HexFormat.fromHexDigitsToLong(HexFormat.of().formatHex(hash, 0, 5));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
