package io.holdfast.contracts.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cuts one direction of a connection into requests or replies, RESP2 and RESP3. What is neither, passes in chunks. */
final class RespFrames {
    private static final String LINES = "+-:,#_(";
    private static final String BULKS = "$=!";
    private static final String LISTS = "*~>";
    private static final int CHUNK = 8192;

    private final BufferedInputStream in;
    private boolean opaque;

    RespFrames(BufferedInputStream in) {
        this.in = in;
    }

    /** The next frame, or the next bytes if this is not RESP; null at the end. */
    byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        in.mark(1);
        int type = in.read();
        in.reset();
        if (type < 0) {
            return null;
        }
        opaque |= (LINES + BULKS + LISTS + "%").indexOf(type) < 0;
        if (opaque) {
            byte[] chunk = new byte[CHUNK];
            int count = in.read(chunk);
            frame.write(chunk, 0, Math.max(0, count));
        } else {
            copyFrame(frame);
        }
        return frame.toByteArray();
    }

    /** The words of a request; empty if the bytes are none. */
    static List<String> words(byte[] request) {
        List<String> words = new ArrayList<>();
        if (request[0] != '*') {
            return words;
        }
        int at = lineEnd(request, 0);
        while (at < request.length) {
            int begin = lineEnd(request, at);
            int length = Integer.parseInt(new String(request, at + 1, begin - at - 3, StandardCharsets.US_ASCII));
            words.add(new String(request, begin, length, StandardCharsets.UTF_8));
            at = begin + length + 2;
        }
        return words;
    }

    private static int lineEnd(byte[] bytes, int from) {
        int at = from;
        while (bytes[at] != '\n') {
            at++;
        }
        return at + 1;
    }

    private void copyFrame(ByteArrayOutputStream to) throws IOException {
        String line = copyLine(to);
        char type = line.charAt(0);
        if (LINES.indexOf(type) >= 0) {
            return;
        }
        int length = Integer.parseInt(line.substring(1));
        if (BULKS.indexOf(type) >= 0) {
            if (length >= 0) {
                byte[] bulk = in.readNBytes(length + 2);
                if (bulk.length < length + 2) {
                    throw new EOFException();
                }
                to.writeBytes(bulk);
            }
            return;
        }
        int elements = type == '%' ? 2 * length : length;
        for (int i = 0; i < elements; i++) {
            copyFrame(to);
        }
    }

    private String copyLine(ByteArrayOutputStream to) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int c;
        do {
            c = in.read();
            if (c < 0) {
                throw new EOFException();
            }
            line.write(c);
        } while (c != '\n');
        to.writeBytes(line.toByteArray());
        return line.toString(StandardCharsets.UTF_8).stripTrailing();
    }
}
