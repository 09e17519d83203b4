package io.holdfast.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for the dashboard and the way to answer it: what a web server has to bring so that the dashboard can be mounted in it. One of
 * {@link #send} and {@link #open} is called, once, on the thread that called {@link Dashboard#handle}.
 */
public interface DashboardExchange {
    /** {@code GET}, {@code POST} and so on. */
    String method();

    /** The place where it is mounted: {@code /locks}; empty at the root. */
    String mount();

    /** What follows the place where it is mounted, decoded or not, beginning with a slash; empty for that place without a slash. */
    String path();

    /** The query as it was sent, without its question mark; null if there is none. */
    @Nullable
    String query();

    /** The first header of this name; null if there is none. */
    @Nullable
    String header(String name);

    /**
     * The name under which events and the log report an act: that of the user who has logged in; without a login, the address of the
     * browser. Empty if neither is known.
     */
    default String principal() {
        return "";
    }

    /** What was sent with it. */
    InputStream body() throws IOException;

    /** Headers that the page has to send with each act beside the dashboard's own, as a filter before it may ask for. */
    default Map<String, String> actHeaders() {
        return Map.of();
    }

    /** Answers. */
    void send(int status, Map<String, String> headers, byte[] body) throws IOException;

    /**
     * Answers with 200 and with what is written over time: what is flushed is sent, and the answer is over when the stream is closed. Writing
     * fails when the page is gone. The dashboard writes and closes on a thread of its own, also after {@link Dashboard#handle} has returned.
     */
    OutputStream open(Map<String, String> headers) throws IOException;
}
