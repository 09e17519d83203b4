package io.holdfast.contracts.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds loopback ports that nobody listens on.
 *
 * <p>The ports lie below the range from which operating systems take the local ports of outgoing connections. A server
 * that is stopped and started again on its port would otherwise now and then find it taken by somebody's connection.
 */
public final class FreePort {
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;
    private static final int HIGHEST_OF_TWO = 22_700;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    /** A port that was free a moment ago. */
    public static int find() {
        return findBelow(HIGHEST);
    }

    /** One for a member of a cluster, whose second port, by 10,000 higher, is below that range, too. */
    public static int findOfTwo() {
        return findBelow(HIGHEST_OF_TWO);
    }

    private static int findBelow(int limit) {
        for (int i = 0; i < ATTEMPTS; i++) {
            try (ServerSocket probe = listen(ThreadLocalRandom.current().nextInt(LOWEST, limit))) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // Taken: try another.
            }
        }
        throw new UncheckedIOException(
                new IOException("no free port between " + LOWEST + " and " + limit + " in " + ATTEMPTS + " attempts"));
    }

    /** Listens on a loopback port that may have been in use a moment ago. */
    public static ServerSocket listen(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 128);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
