package io.holdfast;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A script as it ships: its text, with the common parts put in, and the SHA-1 of exactly these bytes, by which the server
 * knows it.
 */
@SuppressWarnings("ImmutableEnumChecker") // two fields are written late, and always with the same
enum Script {
    ACQUIRE,
    RELEASE,
    CONFIRM,
    RENEW,
    REFRESH,
    INFO,
    REVOKE,
    PROLONG,
    CLEAN,
    PLAIN_ACQUIRE,
    PLAIN_RELEASE,
    PLAIN_EXTEND,
    PLAIN_INFO,
    FENCE,
    QUORUM_ACQUIRE,
    QUORUM_RAISE,
    QUORUM_RELEASE;

    /** The rest of such a line is the name of a file, whose text belongs in its place. */
    private static final String INCLUDE = "\n-- include ";

    /** Texts of the shared parts, by the names of their files. */
    private static final Map<String, String> PARTS = new ConcurrentHashMap<>();

    // Read when it is first used: a short program uses three of the scripts, and reading all takes longer than all that
    // it asks of the server. Two threads may both read; what they read is the same.
    private volatile @Nullable String text;
    private volatile @Nullable String sha1;

    String text() {
        String read = text;
        if (read == null) {
            read = assemble(resource(fileName()));
            text = read;
        }
        return read;
    }

    String sha1() {
        String computed = sha1;
        if (computed == null) {
            computed = sha1(text());
            sha1 = computed;
        }
        return computed;
    }

    String fileName() {
        return name().toLowerCase(Locale.ROOT) + ".lua";
    }

    private static String assemble(String script) {
        StringBuilder whole = new StringBuilder(32_768);
        int from = 0;
        for (int at = script.indexOf(INCLUDE); at >= 0; at = script.indexOf(INCLUDE, from)) {
            int end = script.indexOf('\n', at + 1);
            String part = script.substring(at + INCLUDE.length(), end);
            whole.append(script, from, at + 1).append(PARTS.computeIfAbsent(part, Script::part));
            from = end; // the end of the line is that of the part's last one
        }
        return whole.append(script, from, script.length()).toString();
    }

    private static String part(String file) {
        return resource(file).stripTrailing();
    }

    private static String resource(String file) {
        try (InputStream in = Script.class.getResourceAsStream("lua/" + file)) {
            if (in == null) {
                throw new IllegalStateException("script " + file + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("script " + file + " cannot be read", e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            StringBuilder hex = new StringBuilder(40);
            for (byte b : digest) {
                hex.append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
