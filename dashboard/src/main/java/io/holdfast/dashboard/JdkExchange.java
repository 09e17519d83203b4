package io.holdfast.dashboard;

import com.sun.net.httpserver.HttpExchange;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request to the JDK's web server. */
final class JdkExchange implements DashboardExchange {
    private static final int NO_BODY = -1;
    private static final int UNKNOWN_LENGTH = 0;

    private final HttpExchange exchange;
    private final boolean behindProxy;

    /** @param behindProxy whether the proxy next to this server says where a request came from */
    JdkExchange(HttpExchange exchange, boolean behindProxy) {
        this.exchange = exchange;
        this.behindProxy = behindProxy;
    }

    @Override
    public String method() {
        return exchange.getRequestMethod();
    }

    @Override
    public String mount() {
        String mount = exchange.getHttpContext().getPath();
        return mount.endsWith("/") ? mount.substring(0, mount.length() - 1) : mount;
    }

    @Override
    public String path() {
        return exchange.getRequestURI().getPath().substring(mount().length());
    }

    @Override
    public @Nullable String query() {
        return exchange.getRequestURI().getRawQuery();
    }

    @Override
    public @Nullable String header(String name) {
        return exchange.getRequestHeaders().getFirst(name);
    }

    @Override
    public String principal() {
        String forwarded = behindProxy ? forwardedFor() : null;
        return forwarded == null ? exchange.getRemoteAddress().getAddress().getHostAddress() : forwarded;
    }

    private @Nullable String forwardedFor() {
        List<String> lines = exchange.getRequestHeaders().get("X-Forwarded-For");
        if (lines == null || lines.isEmpty()) {
            return null;
        }
        String last = lines.get(lines.size() - 1);
        return last.substring(last.lastIndexOf(',') + 1).strip(); // those before it are the client's own words
    }

    @Override
    public InputStream body() {
        return exchange.getRequestBody();
    }

    @Override
    public void send(int status, Map<String, String> headers, byte[] body) throws IOException {
        try (exchange) {
            headers.forEach(exchange.getResponseHeaders()::set);
            boolean head = method().equals("HEAD");
            if (head) {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            }
            exchange.sendResponseHeaders(status, head || body.length == 0 ? NO_BODY : body.length);
            if (body.length > 0 && !head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    @Override
    public OutputStream open(Map<String, String> headers) throws IOException {
        headers.forEach(exchange.getResponseHeaders()::set);
        exchange.sendResponseHeaders(200, UNKNOWN_LENGTH);
        OutputStream out = exchange.getResponseBody();
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                out.write(bytes, from, length);
            }

            /** Of a browser that is gone the last bytes cannot be sent, and only the exchange ends its connection then. */
            @Override
            public void close() throws IOException {
                try (exchange) {
                    out.close();
                }
            }
        };
    }
}
