package io.holdfast.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of the page, which are in this jar. */
final class Pages {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");
    /** No other name is looked for: no path leaves the folder. */
    private static final Pattern NAME = Pattern.compile("[a-z]+\\.(html|css|js|svg)");

    private static final Map<String, byte[]> READ = new ConcurrentHashMap<>();

    private Pages() {}

    /** A file; null if there is none of this name. */
    static byte @Nullable [] read(String name) {
        return NAME.matcher(name).matches() ? resource(name) : null;
    }

    /** The version of this build; not that of the jar, which may be another one with all classes of a program. */
    static String version() {
        return new String(Objects.requireNonNull(resource("version"), "version"), StandardCharsets.UTF_8).strip();
    }

    private static byte @Nullable [] resource(String name) {
        byte[] known = READ.get(name);
        if (known != null) {
            return known;
        }
        try (InputStream in = Pages.class.getResourceAsStream("page/" + name)) {
            if (in == null) {
                return null;
            }
            byte[] bytes = in.readAllBytes();
            READ.put(name, bytes);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException("the jar cannot be read", e);
        }
    }

    static String type(String name) {
        return TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
    }
}
