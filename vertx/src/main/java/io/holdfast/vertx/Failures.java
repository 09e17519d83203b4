package io.holdfast.vertx;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Tls;
import io.netty.handler.ssl.NotSslRecordException;
import io.vertx.redis.client.Response;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Meanings of the exceptions of Vert.x and of its Redis client. */
final class Failures {
    private static final String USE_TLS = "use rediss:// instead of redis://";
    private static final String USE_NO_TLS = "use redis:// instead of rediss://";

    /** The client's own errors have the type of a server's errors, and these texts. */
    private static final String CLOSED = "CONNECTION_CLOSED";

    private static final String NO_RESP = "ILLEGAL_STATE ";

    /** The first octet of an alert of TLS, where the client expects the type of a reply. */
    private static final String ALERT = "Unknown RESP type \u0015";

    private static final List<String> HUNG_UP = List.of(
            "Connection reset",
            "Broken pipe",
            "Connection is closed",
            "Connection was closed",
            "Connection closed while SSL/TLS handshake was in progress");

    private Failures() {}

    /** An answer of the server as a rejection, in its own words; null if the failure is something else. */
    static @Nullable DriverException answer(Throwable failure) {
        if (!(failure instanceof Response error)) {
            return null;
        }
        String text = error.toString();
        if (text.equals(CLOSED) || text.startsWith(NO_RESP)) {
            return null;
        }
        // The answer to the greeting comes with advice for the authors of clients. All else is answered so:
        return DriverException.rejected(text.startsWith("NOAUTH HELLO") ? "NOAUTH Authentication required." : text);
    }

    /** Whether the client itself has refused a command, and the connection works. */
    static boolean isOfTheClient(Throwable failure) {
        String text = String.valueOf(failure.getMessage());
        return text.startsWith("Command is not valid")
                || text.startsWith("Redis command is not valid")
                || text.equals("Redis waiting queue is full");
    }

    /** What there is to say about a connection that broke. */
    static String text(Throwable failure) {
        if (failure instanceof Response && failure.toString().equals(CLOSED)) {
            return "the server closed it";
        }
        return String.valueOf(failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage());
    }

    /**
     * The reason for which a connect has failed. The contract of drivers has the words.
     *
     * @param where host and port
     */
    static DriverException ofConnect(Throwable failure, String where, boolean tls) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            DriverException known = each instanceof DriverException own ? own : answer(each);
            if (known != null) {
                return known;
            }
            chain.add(each);
        }
        return DriverException.unknown("no connection to " + where + ": " + reason(chain, tls), failure);
    }

    private static String reason(List<Throwable> chain, boolean tls) {
        String certificates = Tls.explain(chain.get(0));
        if (certificates != null) {
            return certificates;
        }
        for (Throwable each : chain) {
            String text = String.valueOf(each.getMessage());
            if (each instanceof UnknownHostException) {
                return "the host name is unknown";
            }
            if (each instanceof NotSslRecordException) {
                return "the server does not speak TLS: " + USE_NO_TLS;
            }
            if (text.startsWith(NO_RESP) || each instanceof NumberFormatException) {
                return text.contains(ALERT) ? "the server speaks TLS: " + USE_TLS : "no Redis server answers there";
            }
            if (text.contains("Connection refused")) {
                return "Connection refused";
            }
            if (tls && text.equals(CLOSED)) {
                return Tls.explainHangUp(); // after the handshake
            }
            if (text.equals(CLOSED)
                    || each instanceof ClosedChannelException
                    || HUNG_UP.stream().anyMatch(text::startsWith)) {
                return "it closed the connection without an answer; "
                        + (tls ? "if it does not speak TLS, " + USE_NO_TLS : "if it speaks TLS, " + USE_TLS);
            }
        }
        return text(chain.get(chain.size() - 1));
    }
}
