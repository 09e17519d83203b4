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
    ACQUIRE("c17583677f7d2f38cfb29d68451c759a6d7427fe"),
    RELEASE("b8481c0863016e3606e7f96b517476f4d14f36a8"),
    CONFIRM("b19193e84c71577f7d75f35577b240d261741fbb"),
    RENEW("e583cc1cb3e4cc32e3e410eb4530313e633e7227"),
    REFRESH("112ca47bee15229b000ec5e57edb432b1ec356db"),
    INFO("c5a8dd1714be534e3273ef2fe52cfd7d0d9ca1ab"),
    REVOKE("bc87c7b199d697cd2e85886f6ddfebacfd2b4051"),
    PROLONG("d3ee576b99b4db4cb700dba277d392b651af74e6"),
    CLEAN("3f9dc9c355338c0295a3170130fe44cf9e072901"),
    PLAIN_ACQUIRE("b03507157c8cdf108ca4443e9d8952b5efb2a887"),
    PLAIN_RELEASE("5be1f02493ef527ed6898df06a6f1a4644b8d1d0"),
    PLAIN_EXTEND("2c17aad8ee3413a2cf6b289cdf9bca9859de496d"),
    PLAIN_INFO("e067caa0ed9b1821daa664f4042003e55f05560f"),
    ADOPT("c880f9e8467ae523c8e056cded17de39a2ff699c"),
    ADOPTED("7ea75de13496c4355497ee8a0188b784cb26bd09"),
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
