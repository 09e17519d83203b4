package io.holdfast.jedis;

import io.holdfast.contracts.FaultyConnectionContract;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.contracts.Fuse;
import io.holdfast.spi.RedisDriver;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Points before and after each call of Jedis that writes or reads, and each call of the socket's streams. */
final class JedisFaultyConnectionTest extends FaultyConnectionContract {
    @Override
    protected RedisDriver connect(int port, Fuse passed) {
        ConnectionPool pool = new ConnectionPool(new BasePooledObjectFactory<Connection>() {
            @Override
            public Connection create() {
                return new FaultyConnection(port, passed);
            }

            @Override
            public PooledObject<Connection> wrap(Connection connection) {
                return new DefaultPooledObject<>(connection);
            }

            @Override
            public void destroyObject(PooledObject<Connection> pooled) {
                pooled.getObject().close();
            }
        });
        return new ForwardingDriver(JedisDriver.over(pool)) {
            @Override
            public void close() {
                driver.close();
                pool.close();
            }
        };
    }

    static class FaultyConnection extends Connection {
        private final Fuse fuse;

        FaultyConnection(int port, Fuse fuse) {
            this(() -> FaultySocket.open(port, fuse), fuse);
        }

        FaultyConnection(JedisSocketFactory sockets, Fuse fuse) {
            super(sockets);
            this.fuse = fuse;
        }

        @Override
        public void sendCommand(CommandArguments arguments) {
            fuse.pass();
            super.sendCommand(arguments);
            fuse.pass();
        }

        /** A point. */
        void beforeReading() {
            fuse.pass();
        }

        @Override
        public Object getUnflushedObject() {
            beforeReading();
            Object read = super.getUnflushedObject();
            fuse.pass();
            return read;
        }
    }

    static class FaultySocket extends Socket {
        private final Fuse fuse;

        FaultySocket(Fuse fuse) {
            this.fuse = fuse;
        }

        static Socket open(int port, Fuse fuse) {
            return connected(new FaultySocket(fuse), port);
        }

        static <S extends Socket> S connected(S socket, int port) {
            try {
                socket.setTcpNoDelay(true);
                socket.connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
                return socket;
            } catch (IOException e) {
                throw new JedisConnectionException(e);
            }
        }

        /** A point. */
        void beforeReading() {
            fuse.pass();
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int from, int count) throws IOException {
                    beforeReading();
                    int read = super.read(bytes, from, count);
                    fuse.pass();
                    return read;
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int from, int count) throws IOException {
                    try {
                        fuse.pass();
                        out.write(bytes, from, count);
                        fuse.pass();
                    } catch (Throwable e) {
                        // Else Jedis, in the writing thread, waits for an error that the server may have sent. A socket
                        // whose write has failed has nothing more to read, and so it is made here.
                        close();
                        throw e;
                    }
                }

                @Override
                public void flush() throws IOException {
                    fuse.pass();
                    super.flush();
                    fuse.pass();
                }
            };
        }
    }
}
