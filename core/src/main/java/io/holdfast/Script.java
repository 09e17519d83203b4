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
    ACQUIRE("a4d8663eacfc1e666f4881a2bd1912ebb103585e"),
    RELEASE("60fcb5129092f7421db6f7a96ff9e99659a2b8e5"),
    CONFIRM("249fd81d2d2a20c50b603a5ca2634504a7a8b696"),
    RENEW("e583cc1cb3e4cc32e3e410eb4530313e633e7227"),
    REFRESH("bfa539f9ddab304aa589d3741ceb292ef08f8806"),
    INFO("459f0c8a3c5fd1e891925e73974747567f371e0e"),
    REVOKE("fb96dac50bb5e90d447a3b8292c01a49f87c4509"),
    PROLONG("83df261e1b9f8657e3daffcbe2ae903844b05092"),
    CLEAN("fbfa7c26688603902a8c1d3254baf02e75c02060"),
    PLAIN_ACQUIRE("b03507157c8cdf108ca4443e9d8952b5efb2a887"),
    PLAIN_RELEASE("5be1f02493ef527ed6898df06a6f1a4644b8d1d0"),
    PLAIN_EXTEND("2c17aad8ee3413a2cf6b289cdf9bca9859de496d"),
    PLAIN_INFO("e067caa0ed9b1821daa664f4042003e55f05560f"),
    FENCE("98e38cb2ed02675070fd193452fd9c5e7f3a066b"),
    QUORUM_ACQUIRE("d549dc77146e813a37a83c78c5a4d4d351d9b892"),
    QUORUM_RAISE("d7330b08436162fab31732d44d82663edc3de76c"),
    QUORUM_RELEASE("ea14520c024250eb2ca8edb918f5c8e57011ce72"),
    MEMORY("0ecf6f061336edb1834e95c3ae7bbcd546270582");

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
