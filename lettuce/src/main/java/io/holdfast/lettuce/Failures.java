package io.holdfast.lettuce;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Tls;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.protocol.RedisProtocolException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What Lettuce's exceptions mean. */
final class Failures {
    /** So often at most it is asked for a reason that was lost; once in some hundred refusals it is. */
    static final int MOST_CONNECTS = 5;

    private static final String CLOSED_EARLY = "Connection closed prematurely";

    /** Lettuce's words where the connection was closed while it was being set up. */
    private static final String NO_HANDSHAKE = "RedisHandshakeHandler not registered";

    /** How Java and Netty say that the other side has hung up. */
    private static final List<String> HUNG_UP = List.of(
            CLOSED_EARLY,
            NO_HANDSHAKE,
            "Connection reset",
            "Broken pipe",
            "Connection closed while SSL/TLS handshake was in progress");

    /** How Lettuce names the server that it could not connect to: with or without the address that the name stands for. */
    private static final Pattern NAMED = Pattern.compile("Unable to connect to /?(?<host>[^/]+)(?:/.*)?:(?<port>\\d+)");

    private Failures() {}

    /**
     * Where a connect leads.
     *
     * @param noConnection what to say if the connection itself comes too late
     * @param noGreeting what to say if the server's answer to the greeting does
     */
    record Goal(String name, boolean tls, String noConnection, String noGreeting) {}

    /**
     * Answers of the server become rejections in its own words, all else is unknown.
     *
     * @param where begins the message of what is unknown
     */
    static DriverException of(Throwable failure, String where) {
        List<Throwable> chain = chain(failure);
        DriverException answer = answer(chain);
        return answer == null
                ? DriverException.unknown(where + ", " + text(chain.get(chain.size() - 1)), failure)
                : answer;
    }

    /**
     * Why a connect has failed. The contract of drivers has the words.
     *
     * @param goal null if Lettuce alone knows
     */
    static DriverException ofConnect(Throwable failure, @Nullable Goal goal) {
        List<Throwable> chain = chain(failure);
        DriverException answer = answer(chain);
        return answer == null
                ? unconnected(goal == null ? named(chain) : goal.name(), reason(chain, goal), failure)
                : answer;
    }

    /** The failure to connect to a server to which there is another connection already. */
    static DriverException ofConnect(Throwable failure, String name) {
        List<Throwable> chain = chain(failure);
        DriverException answer = answer(chain);
        return answer == null ? unconnected(name, reason(chain, null), failure) : answer;
    }

    private static DriverException unconnected(String name, String reason, Throwable failure) {
        return DriverException.unknown("no connection to " + name + ": " + reason, failure);
    }

    private static String reason(List<Throwable> chain, @Nullable Goal goal) {
        Throwable root = chain.get(chain.size() - 1);
        String certificates = Tls.explain(chain.get(0));
        if (certificates != null) {
            return certificates;
        }
        for (Throwable t : chain) {
            String message = String.valueOf(t.getMessage());
            if (t instanceof UnknownHostException) {
                return "the host name is unknown";
            }
            if (t instanceof NotSslRecordException) {
                return "the server does not speak TLS: use redis:// instead of rediss://";
            }
            if (t instanceof RedisProtocolException) {
                // 21 begins an alert of TLS.
                return message.startsWith("Invalid first byte: 21 ")
                        ? "the server speaks TLS: use rediss:// instead of redis://"
                        : "no Redis server answers there";
            }
            if (goal != null && t instanceof ConnectTimeoutException) {
                return silent(goal.noConnection(), goal.tls());
            }
            if (goal != null && (t instanceof TimeoutException || t instanceof RedisCommandTimeoutException)) {
                return silent(goal.noGreeting(), goal.tls());
            }
            if (message.contains("Connection refused")) {
                return "Connection refused";
            }
            if (t instanceof ClosedChannelException || HUNG_UP.stream().anyMatch(message::startsWith)) {
                return "it closed the connection without an answer" + hint(goal);
            }
        }
        return text(root);
    }

    private static String silent(String silence, boolean tls) {
        return silence + (tls ? "; if it does not speak TLS, use redis:// instead of rediss://" : "");
    }

    private static String hint(@Nullable Goal goal) {
        if (goal == null) {
            return "";
        }
        return goal.tls()
                ? "; if it does not speak TLS, use redis:// instead of rediss://"
                : "; if it speaks TLS, use rediss:// instead of redis://";
    }

    private static String named(List<Throwable> chain) {
        for (Throwable t : chain) {
            Matcher found = NAMED.matcher(String.valueOf(t.getMessage()));
            if (found.matches()) {
                return found.group("host") + ":" + found.group("port");
            }
        }
        return "the server of the client";
    }

    /**
     * Whether Lettuce has lost the reason why it could not connect: a server that refuses the greeting sometimes closes the
     * connection between two looks that Lettuce takes at it, or Lettuce closes it before it has looked. Connecting again
     * tells the reason, if there is one.
     */
    static boolean isReasonLost(Throwable failure) {
        for (Throwable t : chain(failure)) {
            String message = String.valueOf(t.getMessage());
            if (t instanceof IllegalStateException && message.contains(NO_HANDSHAKE)) {
                return true;
            }
            if (t instanceof RedisConnectionException && message.equals(CLOSED_EARLY)) {
                return true;
            }
        }
        return false;
    }

    /** What the server has answered, or what is already said in words of ours. */
    private static @Nullable DriverException answer(List<Throwable> chain) {
        for (Throwable t : chain) {
            if (t instanceof DriverException known) {
                return known;
            }
            if (isAnswer(t)) {
                String text = String.valueOf(t.getMessage());
                // What the greeting is answered comes with advice for the authors of clients. All else is answered so:
                return DriverException.rejected(
                        text.startsWith("NOAUTH HELLO") ? "NOAUTH Authentication required." : text);
            }
        }
        return null;
    }

    private static boolean isAnswer(Throwable failure) {
        // A server in protected mode answers with DENIED before it is asked, so Lettuce has no command to blame.
        return failure instanceof RedisCommandExecutionException
                || (failure instanceof RedisConnectionException
                        && RedisConnectionException.isProtectedMode(failure.getMessage()));
    }

    private static String text(Throwable root) {
        @Nullable String message = root.getMessage();
        return message == null ? root.getClass().getSimpleName() : message;
    }

    /** From the outermost to the root. */
    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable t = failure; t != null; t = t.getCause()) {
            chain.add(t);
        }
        return chain;
    }
}
