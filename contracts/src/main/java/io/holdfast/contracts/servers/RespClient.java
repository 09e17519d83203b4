package io.holdfast.contracts.servers;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plain connection that speaks RESP2, for looking at a server from outside and for sending what a driver would not.
 * For use by one thread. Every failure to get an answer is a {@link DriverException} of kind {@code UNKNOWN}, after
 * which the connection is of no further use.
 */
public final class RespClient implements AutoCloseable {
    /** How long {@link #read} waits for a reply unless told otherwise. */
    public static final Duration READ_TIMEOUT = Duration.ofSeconds(10);

    private final Socket socket;
    private final InputStream in;

    private RespClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Connects, within {@link #READ_TIMEOUT}. */
    public static RespClient connect(String host, int port) {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) READ_TIMEOUT.toMillis());
            socket.connect(new InetSocketAddress(host, port), (int) READ_TIMEOUT.toMillis());
            return new RespClient(socket);
        } catch (IOException e) {
            try {
                socket.close();
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw DriverException.unknown("could not connect to " + host + ":" + port, e);
        }
    }

    /**
     * Sends a command and reads one reply.
     *
     * @throws DriverException {@code REJECTED} if the reply is an error
     */
    public Reply command(String... words) {
        send(words);
        return read();
    }

    /** Sends a command, without reading anything. */
    public void send(String... words) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(ascii("*" + words.length + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            request.writeBytes(ascii("$" + bytes.length + "\r\n"));
            request.writeBytes(bytes);
            request.writeBytes(ascii("\r\n"));
        }
        sendRaw(request.toByteArray());
    }

    /** Sends bytes as they are. */
    public void sendRaw(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw DriverException.unknown("could not write to " + socket.getRemoteSocketAddress(), e);
        }
    }

    /**
     * Whether the server has closed the connection, as far as that has arrived. To be asked while no reply is awaited.
     *
     * @throws DriverException if something has arrived that nobody has asked for
     */
    public boolean isEnded() {
        try {
            int patience = socket.getSoTimeout();
            socket.setSoTimeout(1);
            try {
                if (in.read() >= 0) {
                    throw DriverException.unknown("unasked reply from " + socket.getRemoteSocketAddress(), null);
                }
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            } finally {
                socket.setSoTimeout(patience);
            }
        } catch (IOException e) {
            return true;
        }
    }

    /** Changes how long {@link #read} waits. Must be positive. */
    public void readTimeout(Duration timeout) {
        try {
            socket.setSoTimeout(Math.toIntExact(Math.max(1, timeout.toMillis())));
        } catch (IOException e) {
            throw DriverException.unknown("connection is closed", e);
        }
    }

    /**
     * Reads one reply, or one message of a subscription.
     *
     * @throws DriverException {@code REJECTED} if the reply is an error or a list that contains one
     */
    public Reply read() {
        List<String> errors = new ArrayList<>();
        Reply reply;
        try {
            reply = read(errors);
        } catch (IOException e) {
            throw DriverException.unknown("no reply from " + socket.getRemoteSocketAddress(), e);
        }
        if (!errors.isEmpty()) {
            throw DriverException.rejected(errors.get(0));
        }
        return reply;
    }

    /** Reads a reply to its end even if it contains errors, so that the next one is found. */
    private Reply read(List<String> errors) throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> Reply.of(rest);
            case '-' -> {
                errors.add(rest);
                yield Reply.ofNull();
            }
            case ':' -> Reply.of(Long.parseLong(rest));
            case '$' -> {
                byte[] bulk = bulk(Integer.parseInt(rest));
                yield bulk == null ? Reply.ofNull() : Reply.of(new String(bulk, StandardCharsets.UTF_8));
            }
            case '*' -> list(Integer.parseInt(rest), errors);
            default -> throw new IOException("not RESP2: " + line);
        };
    }

    private Reply list(int count, List<String> errors) throws IOException {
        if (count < 0) {
            return Reply.ofNull();
        }
        List<Reply> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(read(errors));
        }
        return Reply.of(elements);
    }

    private byte @Nullable [] bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || in.read() < 0 || in.read() < 0) {
            throw new EOFException("the server closed the connection within a reply");
        }
        return bytes;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        if (line.size() == 0) {
            throw new IOException("not RESP2: an empty line");
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw DriverException.unknown("could not close the connection", e);
        }
    }
}
