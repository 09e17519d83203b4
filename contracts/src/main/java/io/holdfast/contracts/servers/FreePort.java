package io.holdfast.contracts.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Finds loopback ports that nobody listens on.
 *
 * <p>The ports lie below the range from which operating systems take the local ports of outgoing connections. A server
 * that is stopped and started again on its port would otherwise now and then find it taken by somebody's connection.
 *
 * <p>Each process gives those of a block that it has locked, one after the other: a caller that takes its time finds its port free, since
 * no other caller was given it meanwhile.
 */
public final class FreePort {
    private static final int BLOCKS = 27;
    /** Of members of clusters, each of which has a second port, by 10,000 higher. */
    private static final int LOWEST_OF_TWO = 20_000;

    private static final int OF_TWO_IN_A_BLOCK = 100;
    private static final int LOWEST = LOWEST_OF_TWO + BLOCKS * OF_TWO_IN_A_BLOCK;
    private static final int IN_A_BLOCK = 270;

    /** Open until the process ends; null if there are more processes than blocks. */
    @SuppressWarnings("unused")
    private static @Nullable FileChannel locked;

    private static final int BLOCK = lockBlock();
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(IN_A_BLOCK));

    private FreePort() {}

    private static int lockBlock() {
        int any = ThreadLocalRandom.current().nextInt(BLOCKS);
        Path folder =
                Path.of(System.getProperty("java.io.tmpdir"), "holdfast-ports-" + System.getProperty("user.name", ""));
        try {
            Files.createDirectories(folder);
            for (int i = 0; i < BLOCKS; i++) {
                int block = (any + i) % BLOCKS;
                if (lock(folder.resolve(Integer.toString(block)))) {
                    return block;
                }
            }
        } catch (IOException e) {
            // Then ports are found all the same, and now and then by two processes.
        }
        return any;
    }

    private static boolean lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                locked = channel;
                return true;
            }
        } catch (OverlappingFileLockException e) {
            // This process has loaded the class once more.
        }
        channel.close();
        return false;
    }

    /** A port that was free a moment ago, and that no other test was given. */
    public static int find() {
        return findBetween(LOWEST + BLOCK * IN_A_BLOCK, IN_A_BLOCK);
    }

    /** One for a member of a cluster, whose second port is free of those that {@link #find} gives. */
    public static int findOfTwo() {
        return findBetween(LOWEST_OF_TWO + BLOCK * OF_TWO_IN_A_BLOCK, OF_TWO_IN_A_BLOCK);
    }

    private static int findBetween(int lowest, int count) {
        for (int i = 0; i < count; i++) {
            int port = lowest + Math.floorMod(NEXT.getAndIncrement(), count);
            try (ServerSocket probe = listen(port)) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // Taken: try another.
            }
        }
        throw new UncheckedIOException(
                new IOException("none of the " + count + " ports from " + lowest + " on is free"));
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
