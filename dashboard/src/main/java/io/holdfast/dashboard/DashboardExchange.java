package io.holdfast.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for the dashboard and the way to answer it. Implement it to mount the dashboard in a web server. The dashboard calls
 * either {@link #send} or {@link #open}, once, on the thread that called {@link Dashboard#handle}.
 */
public interface DashboardExchange {
    /** Returns the method of the request: {@code GET}, {@code POST} and so on. */
    String method();

    /** Returns the path where the dashboard is mounted, such as {@code /locks}; empty at the root. */
    String mount();

    /**
     * Returns the rest of the path after {@link #mount}, decoded or not. It begins with a slash, or is empty if nothing follows.
     */
    String path();

    /** Returns the query as it was sent, without its question mark; null if there is none. */
    @Nullable
    String query();

    /** Returns the first header of this name; null if there is none. */
    @Nullable
    String header(String name);

    /**
     * Returns the name under which events and the log report an act: that of the logged-in user; without a login, the address of
     * the browser. Empty if neither is known.
     */
    default String principal() {
        return "";
    }

    /** Returns the body of the request. */
    InputStream body() throws IOException;

    /** Returns headers that the page must add to each act, besides the dashboard's own, for example if a filter requires them. */
    default Map<String, String> actHeaders() {
        return Map.of();
    }

    /** Sends a complete answer. */
    void send(int status, Map<String, String> headers, byte[] body) throws IOException;

    /**
     * Answers with status 200 and a stream that is written over time. Flushed data must be sent at once, and the answer ends when
     * the stream is closed. A write must fail if the page is closed. The dashboard writes and closes on its own thread, also after
     * {@link Dashboard#handle} has returned.
     */
    OutputStream open(Map<String, String> headers) throws IOException;
}
