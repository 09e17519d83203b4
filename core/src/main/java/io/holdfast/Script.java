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
    ACQUIRE("bf1fbe1a3b976737d654540cac24f35a4b1c4d7a"),
    RELEASE("797e915a88b39c6e1a35f14b66cd8a50459a6108"),
    CONFIRM("96aa7b894dd837acc294e070c42164d3342f5504"),
    RENEW("8269db3f12f6a8c6e4d618c4c0efd45548e719fc"),
    REFRESH("7fa857b8cb6545b12611c871c36cbcba6d56e9a3"),
    INFO("fef180034de6b7dc63b7fab01b02ee7e18a3a45b"),
    REVOKE("fbb9905b31cb85898a39cc979d2f58a8c7f4da6a"),
    PROLONG("db40d950dcd9ad94ed9baed8669792bc34db1807"),
    CLEAN("c7a04bc44a6693621fa9cc40c9707f8c02175a4b"),
    PLAIN_ACQUIRE("b03507157c8cdf108ca4443e9d8952b5efb2a887"),
    PLAIN_RELEASE("5be1f02493ef527ed6898df06a6f1a4644b8d1d0"),
    PLAIN_EXTEND("2c17aad8ee3413a2cf6b289cdf9bca9859de496d"),
    PLAIN_INFO("e067caa0ed9b1821daa664f4042003e55f05560f"),
    ADOPT("b397bd3a883c6256a3116cf196b2c267526be24b"),
    ADOPTED("7ea75de13496c4355497ee8a0188b784cb26bd09"),
    FENCE("98e38cb2ed02675070fd193452fd9c5e7f3a066b"),
    QUORUM_ACQUIRE("d549dc77146e813a37a83c78c5a4d4d351d9b892"),
    QUORUM_RAISE("d7330b08436162fab31732d44d82663edc3de76c"),
    QUORUM_RELEASE("641c146b6a9ad966b083c120692696a78fa5ce41"),
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
