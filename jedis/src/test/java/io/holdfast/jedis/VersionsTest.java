package io.holdfast.jedis;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;

@Timeout(60)
final class VersionsTest {
    @Test
    void check_tooOld_isRefusedByNameAndVersion() {
        for (String old : new String[] {"2.9.3", "3.10.0", "5.2.0"}) {
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> Versions.check(old));
            assertEquals(
                    "Jedis " + old + " is too old for Holdfast: the oldest that works is 6.0.0",
                    e.getMessage());
        }
    }

    @Test
    void check_newEnoughOrUnknown_passes() {
        Versions.check("6.0.0");
        Versions.check("8.0.2");
        Versions.check("10.0.0-beta1");
        Versions.check((String) null);
        assertDoesNotThrow(() -> Versions.check());
    }

    @Test
    void cut_writerStuck_doesNotBlockAndEndsIt() throws Exception {
        try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                StuckSocket socket = new StuckSocket(peer.getLocalPort());
                Connection connection = new Connection(() -> socket)) {
            CompletableFuture<Void> written = CompletableFuture.runAsync(connection::ping, command -> {
                Thread writer = new Thread(command, "writer");
                writer.setDaemon(true);
                writer.start();
            });
            socket.writing.await();
            CompletableFuture.runAsync(() -> Versions.cutter().cut(connection))
                    .get(10, TimeUnit.SECONDS);
            ExecutionException e = assertThrows(ExecutionException.class, () -> written.get(10, TimeUnit.SECONDS));
            assertInstanceOf(JedisConnectionException.class, e.getCause());
            assertTrue(connection.isBroken());
            assertFalse(connection.isConnected());
        }
    }

    /** Its peer reads nothing, and its buffers are full: a write ends when it is closed. */
    private static final class StuckSocket extends Socket {
        final CountDownLatch writing = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);

        StuckSocket(int port) throws IOException {
            connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }

        @Override
        public OutputStream getOutputStream() {
            return new OutputStream() {
                @Override
                public void write(int octet) throws IOException {
                    writing.countDown();
                    try {
                        closed.await();
                    } catch (InterruptedException e) {
                        throw new InterruptedIOException();
                    }
                    throw new SocketException("closed");
                }
            };
        }

        @Override
        public synchronized void close() throws IOException {
            super.close();
            closed.countDown();
        }
    }
}
