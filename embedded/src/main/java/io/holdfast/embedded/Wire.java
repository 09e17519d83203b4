package io.holdfast.embedded;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/**
 * One connection to the server, spoken to by hand: joining happens at each start of the command line, and a client
 * library takes longer to load than all the rest takes to run. Not for use by several threads.
 *
 * <p>The keeper uses this class too: see {@link Keeper} for what that forbids.
 */
final class Wire implements Closeable {
    /** No reply that is asked for here comes near this. */
    private static final int LONGEST_REPLY = 1 << 20;

    private static final String NO_SERVER = "not the answer of a Redis or Valkey server";
    private static final String CLOSED = "the server closed the connection";

    private final Socket socket;
    private final InputStream in;

    private Wire(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * Connects, shows the password and hears an answer.
     *
     * @param name how the server lists the connection
     * @param timeoutMillis the longest wait for the connection, and again for each answer
     * @throws ProtocolException if it answers, but with a refusal or not as a server does
     * @throws IOException if nothing answers
     */
    static Wire open(int port, String password, String name, int timeoutMillis) throws IOException {
        // Without a proxy, whatever the system properties say: the server is here.
        Socket socket = new Socket(Proxy.NO_PROXY);
        boolean open = false;
        try {
            socket.setTcpNoDelay(true);
            // As bytes: no resolver is asked.
            InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            socket.connect(new InetSocketAddress(loopback, port), timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            Wire wire = new Wire(socket);
            byte[] auth = encode("AUTH", password);
            byte[] setName = encode("CLIENT", "SETNAME", name);
            byte[] ping = encode("PING");
            byte[] all = new byte[auth.length + setName.length + ping.length];
            System.arraycopy(auth, 0, all, 0, auth.length);
            System.arraycopy(setName, 0, all, auth.length, setName.length);
            System.arraycopy(ping, 0, all, auth.length + setName.length, ping.length);
            socket.getOutputStream().write(all);
            String authenticated = wire.reply();
            if (!authenticated.equals("OK")) {
                throw new ProtocolException(NO_SERVER);
            }
            // A server that runs a long script refuses these two, but it lives.
            wire.replyOrBusy();
            wire.replyOrBusy();
            open = true;
            return wire;
        } finally {
            if (!open) {
                socket.close();
            }
        }
    }

    /**
     * Sends a command and waits for its answer, a text or a number.
     *
     * @throws ProtocolException if the answer is an error
     * @throws IOException if there is no answer
     */
    String command(String... words) throws IOException {
        socket.getOutputStream().write(encode(words));
        return reply();
    }

    /**
     * Asks the server to end, and waits until it has closed the connection.
     *
     * @throws IOException if it did not within the connection's time limit
     */
    void shutdown() throws IOException {
        socket.getOutputStream().write(encode("SHUTDOWN", "NOSAVE"));
        int next;
        try {
            next = in.read();
        } catch (SocketException e) {
            return; // a reset is an end too
        }
        if (next >= 0) {
            throw new ProtocolException("the server refused to end: " + (char) next + line());
        }
    }

    private static byte[] encode(String... words) {
        StringBuilder text =
                new StringBuilder(64).append('*').append(words.length).append("\r\n");
        for (String word : words) {
            // ASCII throughout: as many bytes as characters.
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private void replyOrBusy() throws IOException {
        try {
            reply();
        } catch (ProtocolException e) {
            if (!String.valueOf(e.getMessage()).startsWith("BUSY")) {
                throw e;
            }
        }
    }

    private String reply() throws IOException {
        int kind = in.read();
        String line = line();
        return switch (kind) {
            case '+', ':' -> line;
            case '$' -> bulk(line);
            case '-' -> throw new ProtocolException(line);
            default -> throw new ProtocolException(NO_SERVER);
        };
    }

    private String bulk(String size) throws IOException {
        int length;
        try {
            length = Integer.parseInt(size);
        } catch (NumberFormatException e) {
            length = -1;
        }
        if (length < 0 || length > LONGEST_REPLY) {
            throw new ProtocolException(NO_SERVER);
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException(CLOSED);
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0) {
                throw new EOFException(CLOSED);
            }
            if (line.length() >= LONGEST_REPLY) {
                throw new ProtocolException(NO_SERVER);
            }
            line.append((char) next);
        }
        if (in.read() != '\n') {
            throw new ProtocolException(NO_SERVER);
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
