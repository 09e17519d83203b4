package io.holdfast.internal.wire;

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
public enum Script {
    ACQUIRE("f87f641f9ad2f2b31caad124e686df3009cef5dc"),
    RELEASE("7daca354be51f675fca47e8f9d9e29aa0bc0de71"),
    CONFIRM("04aac10e5924bd86774dd37f9c5fe40cca3cb17a"),
    RENEW("f68e09bd4cb6fd3f82f7947f0097896fa7fc7c7c"),
    REFRESH("a71effa9f21c074cfba7cf7b7b42db4e926bfacb"),
    INFO("208c359c5f40a8760851b09cc5e411a9d244543a"),
    REVOKE("c9fa1262fadebb9069444ca663a8e5e1f411396b"),
    PROLONG("c31579443148c5472275ec9fff1a6fd15a29cfbe"),
    CLEAN("4904b4d7a0ef1841825ab6019eb0ef0e915b9b91"),
    PLAIN_ACQUIRE("2507564e3f86c84a8a7c0f9fb6473f07805e2417"),
    PLAIN_RELEASE("2ba5a9d315fe56d62cdf72239d31f7d0dac6be00"),
    PLAIN_EXTEND("b3c6dfe3b331d0a96e90400b19bb6a956e589557"),
    PLAIN_INFO("19b0573d7c0eca1ce55983b52400ad007683f321"),
    ADOPT("fb5ffebeb7e43c8eaa2161743b23cfbedcb85377"),
    ADOPTED("d459bbd491693ea367dd1f52bf6538d74db2de25"),
    FENCE("4908b3af92d9615d34ef72fc58a496e18daaded1"),
    QUORUM_ACQUIRE("f1be4b630bc713c19da4a0e11f4a9ae05094493f"),
    QUORUM_RAISE("215c818c2590971e1c5bc35fd07ca69aae974ad2"),
    QUORUM_RELEASE("22ff4ef369c6c62e7039d59162a604db854aed94"),
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

    public String text() {
        String read = text;
        if (read == null) {
            read = assemble(wrap(resource(fileName())));
            text = read;
        }
        return read;
    }

    public String sha1() {
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
        try (InputStream in = Script.class.getResourceAsStream("/io/holdfast/lua/" + file)) {
            if (in == null) {
                throw new IllegalStateException("script " + file + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("script " + file + " cannot be read", e);
        }
    }
}
