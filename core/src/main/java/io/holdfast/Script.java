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
    ACQUIRE("9f5665fc2382706f9248ca97f6834e482d7c3a4c"),
    RELEASE("d11889f5f8ced6d234ebdb7447b694f584285461"),
    CONFIRM("4bdd0b0303bafef6c514a42859bc6f7626d4ccff"),
    RENEW("e583cc1cb3e4cc32e3e410eb4530313e633e7227"),
    REFRESH("215f9c0c904e14e21deb2db574f876af2678fb3f"),
    INFO("db1097b9020d4bf6d3e8d420314bdfe098d2673d"),
    REVOKE("ac0ac98575efcf8e77d1040aeb41f22ac6d7592a"),
    PROLONG("6670ae4b84fdd68fbbae40368a3a5691a31fc302"),
    CLEAN("185bbc0f8a44e64cd72781c08a7f57bc53e58fec"),
    PLAIN_ACQUIRE("b03507157c8cdf108ca4443e9d8952b5efb2a887"),
    PLAIN_RELEASE("5be1f02493ef527ed6898df06a6f1a4644b8d1d0"),
    PLAIN_EXTEND("2c17aad8ee3413a2cf6b289cdf9bca9859de496d"),
    PLAIN_INFO("e067caa0ed9b1821daa664f4042003e55f05560f"),
    FENCE("98e38cb2ed02675070fd193452fd9c5e7f3a066b"),
    QUORUM_ACQUIRE("6febe113d9d1932adadb198ac065bceab1125bd8"),
    QUORUM_RAISE("d7330b08436162fab31732d44d82663edc3de76c"),
    QUORUM_RELEASE("641c146b6a9ad966b083c120692696a78fa5ce41");

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
