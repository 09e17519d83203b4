package io.holdfast.lettuce;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Tls;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** What Lettuce's exceptions mean. */
final class Failures {
    /** So often at most it is asked for a reason that was lost; once in some hundred refusals it is. */
    static final int MOST_CONNECTS = 5;

    private Failures() {}

    /**
     * Answers of the server become rejections in its own words, all else is unknown.
     *
     * @param where begins the message of what is unknown
     */
    static DriverException of(Throwable failure, String where) {
        Throwable root = failure;
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof DriverException known) {
                return known;
            }
            if (isAnswer(t)) {
                return DriverException.rejected(String.valueOf(t.getMessage()));
            }
            root = t;
        }
        String certificates = Tls.explain(failure);
        return DriverException.unknown(where + ", " + (certificates == null ? reason(root) : certificates), failure);
    }

    /**
     * Whether Lettuce has lost the reason why it could not connect: a server that refuses the greeting sometimes closes the
     * connection between two looks that Lettuce takes at it, or Lettuce closes it before it has looked. Connecting again
     * tells the reason, if there is one.
     */
    static boolean isReasonLost(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            String message = String.valueOf(t.getMessage());
            if (t instanceof IllegalStateException && message.contains("RedisHandshakeHandler not registered")) {
                return true;
            }
            if (t instanceof RedisConnectionException && message.equals("Connection closed prematurely")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAnswer(Throwable failure) {
        // A server in protected mode answers with DENIED before it is asked, so Lettuce has no command to blame.
        return failure instanceof RedisCommandExecutionException
                || (failure instanceof RedisConnectionException
                        && RedisConnectionException.isProtectedMode(failure.getMessage()));
    }

    private static String reason(Throwable root) {
        if (root instanceof UnknownHostException) {
            return "the host is unknown";
        }
        @Nullable String message = root.getMessage();
        return message == null ? root.getClass().getSimpleName() : message;
    }
}
