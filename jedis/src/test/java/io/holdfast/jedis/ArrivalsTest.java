package io.holdfast.jedis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replies are found whole, in whatever pieces they come, and one is never handed out with the next. */
final class ArrivalsTest {
    private static final List<String> REPLIES = List.of(
            "+OK\r\n",
            "-ERR wrong *3 $5\r\n",
            ":-12\r\n",
            "$-1\r\n",
            "*-1\r\n",
            "$0\r\n\r\n",
            "$12\r\n*2\r\n$1\r\nx\r\n-\r\n",
            "*0\r\n",
            "*3\r\n:1\r\n*3\r\n$1\r\na\r\n$-1\r\n*0\r\n$1\r\nb\r\n",
            "*2\r\n*-1\r\n-ERR x\r\n");

    /** No pause of this machine is as long; that nothing comes in time is said by the stream. */
    private static final int IN_TIME = 600_000;

    /** What the server sends, piece by piece; null where nothing comes in time. */
    private final Deque<byte[]> pieces = new ArrayDeque<>();

    private final Socket socket = new Socket();
    private final Arrivals arrivals = new Arrivals(socket, new InputStream() {
        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] into, int at, int most) throws IOException {
            byte[] piece = pieces.pollFirst();
            if (piece == null) {
                return -1;
            }
            if (piece.length == 0) {
                throw new SocketTimeoutException();
            }
            int count = Math.min(most, piece.length);
            System.arraycopy(piece, 0, into, at, count);
            if (count < piece.length) {
                pieces.addFirst(Arrays.copyOfRange(piece, count, piece.length));
            }
            return count;
        }
    });

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads as Jedis does: as much as there is, until the reply is complete. */
    private String handedOut(int length) throws IOException {
        byte[] buffer = new byte[8192];
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < length) {
            int count = arrivals.read(buffer, 0, buffer.length);
            assertTrue(count > 0, "read " + count);
            all.write(buffer, 0, count);
        }
        return all.toString(StandardCharsets.US_ASCII);
    }

    @Test
    void await_splitAnywhere_isWholeWithItsLastOctetAndNotBefore() throws IOException {
        for (String reply : REPLIES) {
            for (int split = 1; split < reply.length(); split++) {
                pieces.add(octets(reply.substring(0, split)));
                pieces.add(new byte[0]);
                pieces.add(octets(reply.substring(split) + "+NEXT\r\n"));
                assertFalse(arrivals.await(IN_TIME), reply + " at " + split);
                assertTrue(arrivals.await(IN_TIME), reply + " at " + split);
                assertEquals(reply, handedOut(reply.length()));
                assertTrue(arrivals.await(IN_TIME));
                assertEquals("+NEXT\r\n", handedOut(7));
            }
        }
    }

    @Test
    void read_allAtOnce_handsOutOneReplyAtATime() throws IOException {
        pieces.add(octets(String.join("", REPLIES)));
        byte[] buffer = new byte[8192];
        for (String reply : REPLIES) {
            assertTrue(arrivals.await(IN_TIME));
            int count = arrivals.read(buffer, 0, buffer.length);
            assertArrayEquals(octets(reply), Arrays.copyOf(buffer, count));
        }
    }

    @Test
    void await_replyLongerThanItsRoom_isLeftToWhoMayBlock() throws IOException {
        String text = "x".repeat(100_000);
        String reply = "$100000\r\n" + text + "\r\n";
        pieces.add(octets(reply + "+NEXT\r\n"));
        assertFalse(arrivals.await(IN_TIME));
        assertEquals(reply, handedOut(reply.length()));
        assertTrue(arrivals.await(IN_TIME));
        assertEquals("+NEXT\r\n", handedOut(7));
    }

    @Test
    void await_connectionOver_doesNotWaitAndReadsTheEnd() throws IOException {
        pieces.add(octets("+HAL"));
        assertTrue(arrivals.await(IN_TIME));
        assertEquals("+HAL", handedOut(4));
        assertEquals(-1, arrivals.read());
    }

    @Test
    void await_limit_isSetOnTheSocketAndLifted() throws IOException {
        pieces.add(new byte[0]);
        assertFalse(arrivals.await(IN_TIME));
        assertEquals(IN_TIME, socket.getSoTimeout());
        arrivals.waitForEver();
        assertEquals(0, socket.getSoTimeout());
    }
}
