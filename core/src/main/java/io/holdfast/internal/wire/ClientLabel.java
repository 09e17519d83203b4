package io.holdfast.internal.wire;

import io.holdfast.Holder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who a holder is, in words, as it stands in the hold: {@code application/host/pid/actor}, and after a question mark the
 * caller's metadata as {@code key=value&key=value}; each part is URL-encoded.
 */
public final class ClientLabel {
    private ClientLabel() {}

    /** The part that all requests of one client share. */
    public static String ofClient(String application) {
        return encode(application, 100) + "/" + encode(hostName(), 100) + "/"
                + ProcessHandle.current().pid();
    }

    /** The part of one request: who asks, and the metadata. */
    public static String ofActor(String actor, Map<String, String> metadata) {
        String who = encode(actor, 100);
        return metadata.isEmpty() ? who : who + "?" + metadata(metadata);
    }

    /** A hold of this process, granted so long ago, without asking the server. */
    public static Holder ofOwn(
            String application, String owner, long token, String actor, Map<String, String> metadata, Duration age) {
        return new Holder(
                OwnerIds.publicPart(owner),
                token,
                application,
                hostName(),
                Long.toString(ProcessHandle.current().pid()),
                actor,
                metadata,
                Instant.now().minus(age));
    }

    public static String metadata(Map<String, String> metadata) {
        StringBuilder text = new StringBuilder();
        metadata.forEach((key, value) -> text.append(text.length() == 0 ? "" : "&")
                .append(URLEncoder.encode(key, StandardCharsets.UTF_8))
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return text.toString();
    }

    private static Map<String, String> readMetadata(String text) {
        Map<String, String> read = new LinkedHashMap<>();
        int from = 0;
        while (from < text.length()) {
            int and = text.indexOf('&', from);
            String entry = text.substring(from, and < 0 ? text.length() : and);
            int equals = entry.indexOf('=');
            if (equals >= 0) {
                read.put(decode(entry.substring(0, equals)), decode(entry.substring(equals + 1)));
            }
            from = and < 0 ? text.length() : and + 1;
        }
        return read;
    }

    /** Reads what the server tells of a hold; labels that are none of ours are shown as they are. */
    public static Holder holder(String owner, long token, long sinceMicros, String label) {
        int mark = label.indexOf('?');
        String[] parts = (mark < 0 ? label : label.substring(0, mark)).split("/", -1);
        return new Holder(
                owner,
                token,
                part(parts, 0),
                part(parts, 1),
                part(parts, 2),
                part(parts, 3),
                mark < 0 ? Map.of() : readMetadata(label.substring(mark + 1)),
                Instant.ofEpochSecond(sinceMicros / 1_000_000, sinceMicros % 1_000_000 * 1_000));
    }

    private static String part(String[] parts, int index) {
        return index < parts.length ? decode(parts[index]) : "";
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static String encode(String text, int longest) {
        return URLEncoder.encode(text.length() > longest ? text.substring(0, longest) : text, StandardCharsets.UTF_8);
    }

    /** Asks the name service last: where it is set up badly, it takes seconds. */
    static String hostName() {
        String fromShell = System.getenv("HOSTNAME");
        if (fromShell != null && !fromShell.isEmpty()) {
            return fromShell;
        }
        try {
            String fromKernel =
                    Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
            if (!fromKernel.isEmpty()) {
                return fromKernel;
            }
        } catch (IOException e) {
            // Not Linux.
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** The main class or jar, without its package or folder. */
    public static String applicationName() {
        return nameIn(System.getProperty("sun.java.command", ""));
    }

    /** @param command a main class or jar, perhaps with arguments */
    static String nameIn(String command) {
        int space = command.indexOf(' ');
        String main = space < 0 ? command : command.substring(0, space);
        int slash = Math.max(main.lastIndexOf('/'), main.lastIndexOf('\\'));
        main = main.substring(slash + 1);
        if (main.toLowerCase(Locale.ROOT).endsWith(".jar")) {
            main = main.substring(0, main.length() - 4);
        } else {
            main = main.substring(main.lastIndexOf('.') + 1);
        }
        return main.isEmpty() ? "java" : main.length() > 100 ? main.substring(0, 100) : main;
    }

    /**
     * Checks metadata.
     *
     * @param longest how many characters it may have as it is stored
     * @return a copy that does not change
     * @throws IllegalArgumentException if it is longer
     */
    public static Map<String, String> storable(Map<String, String> value, int longest) {
        Map<String, String> copy = Collections.unmodifiableMap(new TreeMap<>(Require.given("metadata", value)));
        int size = metadata(copy).length();
        if (size > longest) {
            throw new IllegalArgumentException(
                    "metadata has " + size + " characters when encoded, must have at most " + longest);
        }
        return copy;
    }
}
