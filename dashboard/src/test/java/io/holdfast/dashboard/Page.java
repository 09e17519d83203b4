package io.holdfast.dashboard;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The page as its own script uses it: over HTTP, with the cookie of a session. */
final class Page {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient http =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    final String root;
    private final String cookie;

    private Page(String root, String cookie) {
        this.root = root;
        this.cookie = cookie;
    }

    /** Where nobody asks for anything. */
    static Page at(String root) {
        return new Page(root, "");
    }

    /** By an address that works once. */
    static Page open(DashboardServer server) {
        String address = server.address();
        HttpResponse<String> welcome = at("").ask("GET", address, "");
        String cookie = welcome.headers().firstValue("Set-Cookie").orElseThrow();
        return new Page(address.substring(0, address.indexOf('?')), cookie.substring(0, cookie.indexOf(';')));
    }

    /** The same, once the dashboard has looked at the server: what happens from then on is seen to happen. */
    static Page openSeen(DashboardServer server) throws Exception {
        Page page = open(server);
        try (Stream stream = page.new Stream()) {
            stream.next();
        }
        return page;
    }

    static String lockPath(String name) {
        return "api/lock?kind=lock&name=" + name;
    }

    HttpResponse<String> get(String path) {
        return ask("GET", root + path, "");
    }

    HttpResponse<String> ask(String method, String address, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address))
                .timeout(PATIENCE)
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    JsonObject document(String path) {
        HttpResponse<String> answer = get(path);
        if (answer.statusCode() != 200) {
            throw new AssertionError(path + " is answered " + answer.statusCode() + ": " + answer.body());
        }
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    JsonObject lock(String kind, String name) {
        return document("api/lock?kind=" + kind + "&name=" + URLEncoder.encode(name, StandardCharsets.UTF_8));
    }

    /** An act, with what the session says has to be sent with it, and with further headers. */
    HttpResponse<String> act(JsonObject act, String... further) {
        String token = document("api/session")
                .getAsJsonObject("headers")
                .get(Dashboard.ACT_HEADER)
                .getAsString();
        List<String> headers = new ArrayList<>(List.of(
                Dashboard.ACT_HEADER, token, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin"));
        headers.addAll(List.of(further));
        return ask("POST", root + "api/act", act.toString(), headers.toArray(String[]::new));
    }

    /** Asks for a document until it is as it should be. The dashboard looks once a second. */
    JsonObject await(String path, Predicate<JsonObject> condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            JsonObject document = document(path);
            if (condition.test(document)) {
                return document;
            }
            if (System.nanoTime() > end) {
                throw new AssertionError(path + " did not become as expected: " + document);
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** One in a list that has a field of this value; null if there is none. */
    static @Nullable JsonObject find(JsonArray list, String field, String value) {
        for (JsonElement each : list) {
            JsonElement found = each.getAsJsonObject().get(field);
            if (!found.isJsonNull() && found.getAsString().equals(value)) {
                return each.getAsJsonObject();
            }
        }
        return null;
    }

    /** What a stream sends, event by event. */
    final class Stream implements AutoCloseable {
        private final InputStream in;
        private final BufferedReader lines;

        Stream() throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(URI.create(root + "api/stream"))
                    .header("Cookie", cookie.isEmpty() ? "none" : cookie)
                    .build();
            HttpResponse<InputStream> answer = http.send(request, BodyHandlers.ofInputStream());
            if (answer.statusCode() != 200) {
                throw new AssertionError("the stream is answered " + answer.statusCode());
            }
            in = answer.body();
            lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        }

        /** The next line, of whatever. */
        String line() throws IOException {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("the stream has ended");
            }
            return line;
        }

        /** The next event: its name as {@code event}, and its document. */
        JsonObject next() throws IOException {
            String event = "";
            while (true) {
                String line = line();
                if (line.startsWith("event: ")) {
                    event = line.substring("event: ".length());
                } else if (line.startsWith("data: ")) {
                    JsonObject document = JsonParser.parseString(line.substring("data: ".length()))
                            .getAsJsonObject();
                    document.addProperty("event", event);
                    return document;
                }
            }
        }

        /** The next that is as it should be. */
        JsonObject next(Predicate<JsonObject> condition) throws IOException {
            JsonObject event = next();
            while (!condition.test(event)) {
                event = next();
            }
            return event;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
