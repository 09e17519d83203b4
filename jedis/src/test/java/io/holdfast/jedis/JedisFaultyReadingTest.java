package io.holdfast.jedis;

import io.holdfast.contracts.FaultyConnectionContract;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.contracts.Fuse;
import io.holdfast.jedis.JedisFaultyConnectionTest.FaultyConnection;
import io.holdfast.jedis.JedisFaultyConnectionTest.FaultySocket;
import io.holdfast.spi.BlockingCall;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * The same points where every command is a call that waits, so that its thread reads, and passes them. Those before something is
 * read are left out: the keeper, which begins to read again when nobody does, would pass them whenever it likes.
 */
final class JedisFaultyReadingTest extends FaultyConnectionContract {
    @Override
    protected RedisDriver connect(int port, Fuse passed) {
        RedisDriver calling =
                new ForwardingDriver(MultiplexedDriver.open(new Sockets(port, passed), Duration.ofSeconds(15))) {
                    @Override
                    public CompletionStage<Reply> send(Command command) {
                        return BlockingCall.await(() -> driver.send(command).toCompletableFuture());
                    }
                };
        for (int i = 0; i <= Reading.LONE; i++) {
            calling.send(Command.of("PING")).toCompletableFuture().join();
        }
        return calling;
    }

    private record Sockets(int port, Fuse fuse) implements ConnectionSource {
        @Override
        public Opened open() {
            WholeReplies socket = FaultySocket.connected(new WholeReplies(fuse), port);
            Connection connection = new FaultyConnection(() -> socket, fuse) {
                @Override
                void beforeReading() {}
            };
            return new Open(connection, socket);
        }

        @Override
        public ConnectionSource another() {
            return this;
        }

        @Override
        public void shut() {}

        @Override
        public String describe() {
            return "127.0.0.1:" + port;
        }

        @Override
        public String silence() {
            return "no answer";
        }
    }

    private static final class WholeReplies extends FaultySocket {
        private volatile @Nullable Arrivals arrivals;

        WholeReplies(Fuse fuse) {
            super(fuse);
        }

        @Override
        void beforeReading() {}

        @Override
        public InputStream getInputStream() throws IOException {
            Arrivals replies = new Arrivals(this, new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] octets, int from, int count) throws IOException {
                    try {
                        return super.read(octets, from, count);
                    } catch (SocketTimeoutException e) {
                        // A socket whose time is over has read nothing. This one has: it is a failure, and no timeout.
                        throw "on purpose".equals(e.getMessage()) ? new IOException(e) : e;
                    }
                }
            });
            arrivals = replies;
            return replies;
        }
    }

    private record Open(Connection connection, WholeReplies socket) implements ConnectionSource.Opened {
        Open {
            connection.connect();
        }

        @Override
        public @Nullable Arrivals arrivals() {
            return socket.arrivals;
        }

        @Override
        public void cut() {
            try {
                ((Socket) socket).close();
            } catch (IOException e) {
                // It is of no further use either way.
            }
        }

        @Override
        public void release() {}
    }
}
