package io.holdfast;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A script as it ships: its text, with the common parts put in and around it, and the SHA-1 of exactly these bytes, by which the server
 * knows it. The SHA-1 is written here: a program that has just begun would take some twenty milliseconds to read and hash
 * the three scripts of its first lock. Where texts change, the tests say what is to be written.
 */
@SuppressWarnings("ImmutableEnumChecker") // the text is written late, and always with the same
enum Script {
    ACQUIRE("79824098178f555421dd753cf38ecc16344fd605"),
    RELEASE("38907913bd66b55407557becebd12e5024323ea9"),
    CONFIRM("93efcf73e7e85feea6c86c0f762a096ffffa8eae"),
    RENEW("808c9c62f8a28d6911fbc1c3374e4896e327ed92"),
    REFRESH("d078187a108df2f091a7b76acc818f7287548231"),
    INFO("bf860644129136e9e7ff5d02546b9a7e53423b66"),
    REVOKE("30fa82ee06933635c4f4f9397455c2bad1dd3259"),
    PROLONG("b3e4d42b8fc26443b98526fdb2c8c66a0ed7372a"),
    CLEAN("1179a086c3cb84080031ba178af8d2d82c5b0fdc"),
    PLAIN_ACQUIRE("2507564e3f86c84a8a7c0f9fb6473f07805e2417"),
    PLAIN_RELEASE("2ba5a9d315fe56d62cdf72239d31f7d0dac6be00"),
    PLAIN_EXTEND("3c2eb57d950cbd4aef35361a445f78b660cbac87"),
    PLAIN_INFO("19b0573d7c0eca1ce55983b52400ad007683f321"),
    ADOPT("929a412195cf57e8847320f31731e7efbdd3750a"),
    ADOPTED("f9232ec3f5ca19aed75dbed82a63a223e21e4054"),
    FENCE("4908b3af92d9615d34ef72fc58a496e18daaded1"),
    QUORUM_ACQUIRE("447eb106f6663d358969d59e3a5fb36ad4f80a7e"),
    QUORUM_RAISE("1d47f1dc322cea86c78713ed0f55bdc1cabee9ad"),
    QUORUM_RELEASE("f135a833bb5226feac8ea8d3c989187df86a5600"),
    MEMORY("2c83ba24fe6fb53615703e4a36fbafd219550ccc");

    /** The rest of such a line is the name of a file, whose text belongs in its place. */
    private static final String INCLUDE = "\n-- include ";

    /** Where reply.lua has the text of a script behind its header. */
    private static final String BODY = "-- body\n";

    private final String sha1;

    // Read when a server does not know it, which is seldom. Two threads may both read; what they read is the same.
    private volatile @Nullable String text;

    Script(String sha1) {
        this.sha1 = sha1;
    }

    String text() {
        String read = text;
        if (read == null) {
            read = assemble(wrap(resource(fileName())));
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

    /** The header stays in front: it names the script. */
    private static String wrap(String script) {
        int header = script.indexOf("\n\n") + 2;
        String around = resource("reply.lua");
        int start = around.indexOf("\n\n") + 2;
        int body = around.indexOf(BODY);
        return script.substring(0, header)
                + around.substring(start, body)
                + script.substring(header)
                + around.substring(body + BODY.length());
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
