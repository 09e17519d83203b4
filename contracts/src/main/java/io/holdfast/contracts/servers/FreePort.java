package io.holdfast.contracts.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds loopback ports that nobody listens on.
 *
 * <p>The ports lie below the range from which operating systems take the local ports of outgoing connections. A server
 * that is stopped and started again on its port would otherwise now and then find it taken by somebody's connection.
 */
public final class FreePort {
    /** Of members of clusters, each of which has a second port, by 10,000 higher. */
    private static final int LOWEST_OF_TWO = 20_000;

    private static final int LOWEST = 22_700;
    private static final int HIGHEST = 30_000;
    private static final int ATTEMPTS = 100;

    /** Ports are given one after the other: a caller that takes its time finds its port free, since no other was given it meanwhile. */
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(HIGHEST));

    private FreePort() {}

    /** A port that was free a moment ago. Processes begin at a random one, so that they seldom give the same at the same time. */
    public static int find() {
        return findBetween(LOWEST, HIGHEST);
    }

    /** One for a member of a cluster, whose second port is free of those that {@link #find} gives. */
    public static int findOfTwo() {
        return findBetween(LOWEST_OF_TWO, LOWEST);
    }

    private static int findBetween(int lowest, int limit) {
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = lowest + Math.floorMod(NEXT.getAndIncrement(), limit - lowest);
            try (ServerSocket probe = listen(port)) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // Taken: try another.
            }
        }
        throw new UncheckedIOException(
                new IOException("no free port between " + lowest + " and " + limit + " in " + ATTEMPTS + " attempts"));
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
