package io.holdfast.jedis;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Tls;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Opens connections of the driver's own.
 *
 * <p>The greeting is written here and not left to Jedis: all of it goes out at once and costs one round trip, it has one
 * time limit, and none of the classes is loaded that Jedis needs to read a configuration. It speaks RESP2, whose replies
 * are the ones that the port describes.
 */
final class AddressSource implements ConnectionSource {
    /**
     * A peer that vanished without a word is noticed after 5 s of silence and three probes, 2 s apart. It matters most
     * for messages: nothing is ever written on that connection that could fail.
     */
    private static final Map<SocketOption<Integer>, Integer> KEEP_ALIVE = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, 5,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, 2,
            ExtendedSocketOptions.TCP_KEEPCOUNT, 3);

    private static final String USE_TLS = "use rediss:// instead of redis://";
    private static final String USE_NO_TLS = "use redis:// instead of rediss://";

    private final RedisAddress address;
    private final ConnectOptions options;
    private final String where;
    private final Set<Socket> opening = ConcurrentHashMap.newKeySet();
    private volatile boolean shut;

    AddressSource(RedisAddress address, ConnectOptions options) {
        this.address = address;
        this.options = options;
        this.where = address.hostAndPort();
    }

    @Override
    public String describe() {
        return where;
    }

    @Override
    public String silence() {
        return options.silence() + (address.tls() ? "; if it does not speak TLS, " + USE_NO_TLS : "");
    }

    @Override
    public ConnectionSource another() {
        return new AddressSource(address, options);
    }

    @Override
    public void shut() {
        shut = true;
        opening.forEach(AddressSource::close);
    }

    @Override
    public Opened open() {
        // First: it may take as long as it takes, and the server does not wait for it.
        Credentials credentials = options.credentialsFor(address);
        long deadlineNanos = System.nanoTime() + options.connectTimeout().toNanos();
        CuttingSocket plain = null;
        try {
            plain = connect(deadlineNanos);
            Socket socket = address.tls() ? encrypt(plain, deadlineNanos) : plain;
            if (socket == plain) {
                plain.deliverReplies();
            }
            Connection connection = greet(socket, credentials, deadlineNanos);
            socket.setSoTimeout(0);
            return new Own(connection, plain);
        } catch (DriverException | Error e) {
            close(plain);
            throw e;
        } catch (IOException | RuntimeException e) {
            close(plain);
            throw DriverException.unknown("no connection to " + where + ": " + reason(plain, e), e);
        } finally {
            if (plain != null) {
                opening.remove(plain);
            }
        }
    }

    /** The contract of drivers has the words. */
    private String reason(@Nullable CuttingSocket connected, Exception failure) {
        // Jedis wraps what the socket throws; what it throws by itself is about something that it has read.
        Throwable ofSocket = failure instanceof JedisException ? failure.getCause() : failure;
        if (connected != null && connected.hasHeard() && connected.hasHeardTls() != address.tls()) {
            return address.tls() ? "the server does not speak TLS: " + USE_NO_TLS : "the server speaks TLS: " + USE_TLS;
        }
        String certificates = Tls.explain(failure);
        if (certificates != null) {
            return certificates;
        }
        if (ofSocket instanceof SocketTimeoutException) {
            return silence();
        }
        if (connected != null && !connected.hasHeard()) {
            return "it closed the connection without an answer; "
                    + (address.tls() ? "if it does not speak TLS, " + USE_NO_TLS : "if it speaks TLS, " + USE_TLS);
        }
        if (isHangUp(connected, failure)) {
            return Tls.explainHangUp();
        }
        return ofSocket instanceof IOException
                ? String.valueOf(ofSocket.getMessage())
                : "no Redis server answers there";
    }

    /** Whether a connection that was to be encrypted was there, and then broke. */
    private boolean isHangUp(@Nullable Socket connected, Exception failure) {
        return address.tls()
                && connected != null
                && (failure instanceof SocketException
                        || failure.getCause() instanceof SocketException
                        || String.valueOf(failure.getMessage()).startsWith("Unexpected end of stream"));
    }

    private CuttingSocket connect(long deadlineNanos) throws IOException {
        IOException failure = new UnknownHostException("host name has no address");
        for (InetAddress each : resolve()) {
            CuttingSocket socket = new CuttingSocket();
            opening.add(socket);
            try {
                if (shut) {
                    throw new IOException("closed");
                }
                socket.setTcpNoDelay(true);
                socket.setKeepAlive(true);
                for (Map.Entry<SocketOption<Integer>, Integer> option : KEEP_ALIVE.entrySet()) {
                    if (socket.supportedOptions().contains(option.getKey())) {
                        socket.setOption(option.getKey(), option.getValue());
                    }
                }
                socket.connect(new InetSocketAddress(each, address.port()), millisUntil(deadlineNanos));
                return socket;
            } catch (IOException e) {
                opening.remove(socket);
                close(socket);
                failure = e;
            } catch (RuntimeException | Error e) {
                opening.remove(socket);
                close(socket);
                throw e;
            }
        }
        throw failure;
    }

    private InetAddress[] resolve() throws IOException {
        try {
            return InetAddress.getAllByName(address.host());
        } catch (UnknownHostException e) {
            throw new IOException("the host name is unknown", e);
        }
    }

    private Socket encrypt(Socket plain, long deadlineNanos) throws IOException {
        plain.setSoTimeout(millisUntil(deadlineNanos));
        SSLSocket socket = options.tls().socket(plain, address);
        socket.startHandshake();
        return socket;
    }

    private Connection greet(Socket socket, @Nullable Credentials credentials, long deadlineNanos) throws IOException {
        socket.setSoTimeout(millisUntil(deadlineNanos));
        OneSocket sockets = new OneSocket(socket);
        Connection connection = new Connection(sockets::take);
        List<Protocol.Command> sent = new ArrayList<>();
        if (credentials != null) {
            String password = credentials.password();
            String user = credentials.user();
            send(connection, sent, Protocol.Command.AUTH, user == null ? List.of(password) : List.of(user, password));
        }
        send(connection, sent, Protocol.Command.CLIENT, List.of("SETNAME", options.clientName()));
        if (address.database() > 0) {
            send(connection, sent, Protocol.Command.SELECT, List.of(Integer.toString(address.database())));
        }
        send(connection, sent, Protocol.Command.PING, List.of());
        // One by one: a server that is full says so once, and hangs up.
        connection.getMany(0);
        for (Protocol.Command command : sent) {
            check(command, connection);
        }
        return connection;
    }

    private static void send(
            Connection connection, List<Protocol.Command> sent, Protocol.Command command, List<String> arguments) {
        connection.sendCommand(command, arguments.toArray(String[]::new));
        sent.add(command);
    }

    private static void check(Protocol.Command command, Connection connection) {
        Object reply;
        try {
            reply = connection.getUnflushedObject();
        } catch (JedisDataException e) {
            String error = String.valueOf(e.getMessage());
            // A name is a courtesy; and who may not ping may well be allowed to lock.
            boolean harmless = error.startsWith("NOPERM")
                    && (command == Protocol.Command.CLIENT || command == Protocol.Command.PING);
            if (harmless) {
                return;
            }
            throw DriverException.rejected(error);
        }
        String expected = command == Protocol.Command.PING ? "PONG" : "OK";
        if (!(reply instanceof byte[] text && new String(text, StandardCharsets.UTF_8).equals(expected))) {
            throw new JedisConnectionException("it answered " + command + " with something else than " + expected);
        }
    }

    private static int millisUntil(long deadlineNanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        // 0 would mean: for ever.
        return (int) Math.max(1, Math.min(millis, Integer.MAX_VALUE));
    }

    private static void close(@Nullable Socket socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is of no further use either way.
            }
        }
    }

    /**
     * Closes itself when a write fails. Jedis then looks for an error that the server may have sent before it hung up, in the
     * thread that writes; while the reading thread is at it, what it took would be missing there. From a closed socket
     * neither reads anything.
     *
     * <p>Remembers the first octet that came, which tells what the other side speaks.
     */
    private static final class CuttingSocket extends Socket {
        private static final int NOTHING = -1;

        /** The kinds of TLS records. No reply of Redis begins so. */
        private static final int CHANGE_CIPHER_SPEC = 20;

        private static final int APPLICATION_DATA = 23;

        private volatile int first = NOTHING;

        /** Null until Jedis reads here, and where it reads from an encrypted socket over this one. */
        private volatile @Nullable Arrivals arrivals;

        /** The stream for Jedis, in place of the one for everybody. */
        void deliverReplies() throws IOException {
            arrivals = new Arrivals(this, getInputStream());
        }

        @Nullable
        Arrivals arrivals() {
            return arrivals;
        }

        boolean hasHeard() {
            return first != NOTHING;
        }

        boolean hasHeardTls() {
            return first >= CHANGE_CIPHER_SPEC && first <= APPLICATION_DATA;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            Arrivals replies = arrivals;
            if (replies != null) {
                return replies;
            }
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] octets, int from, int most) throws IOException {
                    int count = super.read(octets, from, most);
                    if (first == NOTHING && count > 0) {
                        first = octets[from] & 0xff;
                    }
                    return count;
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            OutputStream out = super.getOutputStream();
            return new OutputStream() {
                @Override
                public void write(int octet) throws IOException {
                    write(new byte[] {(byte) octet}, 0, 1);
                }

                @Override
                public void write(byte[] octets, int from, int count) throws IOException {
                    try {
                        out.write(octets, from, count);
                    } catch (IOException | RuntimeException | Error e) {
                        AddressSource.close(CuttingSocket.this);
                        throw e;
                    }
                }

                @Override
                public void close() throws IOException {
                    out.close();
                }
            };
        }
    }

    /**
     * Gives out its socket once. Jedis opens a new one by itself when it is to send something and the old one is
     * closed; that one would not be authenticated, and on another database.
     */
    private static final class OneSocket {
        private final Socket socket;
        private boolean taken;

        OneSocket(Socket socket) {
            this.socket = socket;
        }

        Socket take() {
            if (taken) {
                throw new JedisConnectionException("the connection was closed");
            }
            taken = true;
            return socket;
        }
    }

    private record Own(Connection connection, CuttingSocket plain) implements Opened {
        @Override
        public @Nullable Arrivals arrivals() {
            return plain.arrivals();
        }

        /** Closes the plain socket, since closing an encrypted one says goodbye first, and can block over it. */
        @Override
        public void cut() {
            close(plain);
        }

        @Override
        public void release() {
            // Cut before, and nobody's but ours.
        }
    }
}
