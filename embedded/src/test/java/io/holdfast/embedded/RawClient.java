package io.holdfast.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A connection that says and hears whole lines. */
final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** A connection that has shown the password. */
    static RawClient of(ServerRecord record) throws IOException {
        RawClient client = new RawClient(record.port());
        client.ask("AUTH " + record.password());
        return client;
    }

    /** Sends a line, and waits for one. */
    @Nullable
    String ask(String line) throws IOException {
        send(line);
        return readLine();
    }

    /** Sends a line. */
    void send(String line) throws IOException {
        socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Waits for a line; null if the server has closed the connection. */
    @Nullable
    String readLine() throws IOException {
        return in.readLine();
    }

    /** Waits until the keeper has looked at the server so many times. Only this connection is needed for it. */
    void awaitLooks(int count) throws IOException {
        ask("MONITOR");
        for (int looks = 0; looks < count; ) {
            String line = in.readLine();
            if (line == null) {
                throw new IOException("the server ended after " + looks + " looks");
            }
            if (line.contains("\"clients\"")) {
                looks++;
            }
        }
    }

    /** Waits until the server has closed the connection. */
    void awaitEnd() throws IOException {
        while (in.readLine() != null) {
            // what it had to say before
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
