package io.holdfast;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A script as it ships: its text, with the common parts put in, and the SHA-1 of exactly these bytes, by which the server
 * knows it. The SHA-1 is written here: a program that has just begun would take some twenty milliseconds to read and hash
 * the three scripts of its first lock. Where texts change, the tests say what is to be written.
 */
@SuppressWarnings("ImmutableEnumChecker") // the text is written late, and always with the same
enum Script {
    ACQUIRE("f27910d5c10f65d167551fdf4925390846edce90"),
    RELEASE("7c2c59810a5cf5ef86ab91ac1bffd5c5fbdf9b23"),
    CONFIRM("22c92dd42c78ef94c167915a320dbd6526dbce2f"),
    RENEW("8269db3f12f6a8c6e4d618c4c0efd45548e719fc"),
    REFRESH("773bf58ce71f0e962ad31d3bb8c1837eb39bc730"),
    INFO("57dfac6b6c08c4ee29a2a2c5d1d337c13a8fcc96"),
    REVOKE("a7163559f9005a7e31ad94b383e548a618aad1c2"),
    PROLONG("83df261e1b9f8657e3daffcbe2ae903844b05092"),
    CLEAN("d5b40829749c135e1d7ef5399dcc1cbb65dc0417"),
    PLAIN_ACQUIRE("b03507157c8cdf108ca4443e9d8952b5efb2a887"),
    PLAIN_RELEASE("5be1f02493ef527ed6898df06a6f1a4644b8d1d0"),
    PLAIN_EXTEND("2c17aad8ee3413a2cf6b289cdf9bca9859de496d"),
    PLAIN_INFO("e067caa0ed9b1821daa664f4042003e55f05560f"),
    FENCE("98e38cb2ed02675070fd193452fd9c5e7f3a066b"),
    QUORUM_ACQUIRE("6febe113d9d1932adadb198ac065bceab1125bd8"),
    QUORUM_RAISE("d7330b08436162fab31732d44d82663edc3de76c"),
    QUORUM_RELEASE("ea14520c024250eb2ca8edb918f5c8e57011ce72");

    /** The rest of such a line is the name of a file, whose text belongs in its place. */
    private static final String INCLUDE = "\n-- include ";

    private final String sha1;

    // Read when a server does not know it, which is seldom. Two threads may both read; what they read is the same.
    private volatile @Nullable String text;

    Script(String sha1) {
        this.sha1 = sha1;
    }

    String text() {
        String read = text;
        if (read == null) {
            read = assemble(resource(fileName()));
            text = read;
        }
        return read;
    }

    String sha1() {
        return sha1;
    }

    String fileName() {
        return name().toLowerCase(Locale.ROOT) + ".lua";
    }

    private static String assemble(String script) {
        StringBuilder whole = new StringBuilder(32_768);
        int from = 0;
        for (int at = script.indexOf(INCLUDE); at >= 0; at = script.indexOf(INCLUDE, from)) {
            int end = script.indexOf('\n', at + 1);
            String part = resource(script.substring(at + INCLUDE.length(), end));
            whole.append(script, from, at + 1).append(part.stripTrailing());
            from = end; // the end of the line is that of the part's last one
        }
        return whole.append(script, from, script.length()).toString();
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
}
