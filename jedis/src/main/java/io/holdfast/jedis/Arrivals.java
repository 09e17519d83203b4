package io.holdfast.jedis;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;

/**
 * What a server sends on one socket, handed to Jedis reply by reply: so it is known whether a whole reply is there, and Jedis
 * holds nothing back between two of them.
 *
 * <p>Who waits for a whole reply ({@link #await}) can stop waiting at any time and leave what came of it to another thread;
 * who has begun to let Jedis read can not, since Jedis forgets half a reply when it fails. Used by one thread at a time, which
 * {@link Reading} sees to; the first one is the one that opens the connection.
 */
final class Arrivals extends InputStream {
    /** A longer reply is never there as a whole: it is to be read by who may wait for its end. */
    private static final int ROOM = 16 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final byte[] octets = new byte[ROOM];

    /** Where what has not been handed out begins and ends. */
    private int from;

    private int to;

    /** How far the present reply has been looked at. */
    private int seen;

    private final ReplyEnd end = new ReplyEnd();

    /** Whether the server sends nothing any more. */
    private boolean over;

    /** The time limit of the socket, where it was set here. */
    private int limitMillis;

    Arrivals(Socket socket, InputStream in) {
        this.socket = socket;
        this.in = in;
    }

    /** Lets reads wait as long as it takes. */
    void waitForEver() throws IOException {
        limit(0);
    }

    /**
     * Waits until Jedis can read without waiting: a whole reply is there, or the end.
     *
     * @return false if that did not come in time, or the reply is too long
     */
    boolean await(int millis) throws IOException {
        long startNanos = 0;
        while (!isWhole() && !over) {
            if (from == 0 && to == ROOM) {
                return false;
            }
            if (startNanos == 0) {
                startNanos = System.nanoTime();
                limit(millis);
            } else if (System.nanoTime() - startNanos > millis * 1_000_000L) {
                return false;
            }
            try {
                fill();
            } catch (SocketTimeoutException e) {
                return false;
            }
        }
        return true;
    }

    private void limit(int millis) throws IOException {
        if (limitMillis != millis) {
            socket.setSoTimeout(millis);
            limitMillis = millis;
        }
    }

    private boolean isWhole() {
        look();
        return end.isReached();
    }

    private void look() {
        if (!end.isReached()) {
            seen = end.look(octets, seen, to);
        }
    }

    private void fill() throws IOException {
        if (from > 0) {
            System.arraycopy(octets, from, octets, 0, to - from);
            to -= from;
            seen -= from;
            from = 0;
        }
        int count = in.read(octets, to, ROOM - to);
        if (count < 0) {
            over = true;
        } else {
            to += count;
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int most) throws IOException {
        if (from == to) {
            if (over) {
                return -1;
            }
            fill();
            if (from == to) {
                return -1;
            }
        }
        look();
        int count = Math.min(most, seen - from);
        System.arraycopy(octets, from, into, at, count);
        from += count;
        if (end.isReached() && from == seen) {
            end.next();
        }
        return count;
    }

    @Override
    public int available() throws IOException {
        return to - from + in.available();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
