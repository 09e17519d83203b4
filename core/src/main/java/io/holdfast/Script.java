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
    ACQUIRE("6dd485543b69ab09fc7c13410cef1d65af1eee74"),
    RELEASE("832ef242b6b153c7d112e3c42ba70c93a5aba35c"),
    CONFIRM("ce8a04753010d308a42ec0b1cf1722b194b92950"),
    RENEW("c8b4cbcdb76923a76d3bf756ec32e501a912c44e"),
    REFRESH("f2821965ecb54ee5a9113c8b3a532df065e66c98"),
    INFO("b3daa2f8012245bfbcd01811e9b9e352b139a733"),
    REVOKE("85014fa00cabc8d77a37d1f7a498e1331dd30b3b"),
    PROLONG("07ca51ccbf7656def5ec93ba477ae323169185bf"),
    CLEAN("78f05e2a96ce7d16615a2631e64709fe2619097a"),
    PLAIN_ACQUIRE("e9af79af4e2384afcf14df9b4fe3b85a61069b31"),
    PLAIN_RELEASE("0074e3cc1d387c73dcc06416b44635485fc104c6"),
    PLAIN_EXTEND("856772a244607a3e13bce8d4703445c56d83f7d3"),
    PLAIN_INFO("358fffd97661a85cf49dcaa1ed6c73925b50895b"),
    ADOPT("4b6fa3fe3655b23a2375a80ede5a2cc01ed9e792"),
    ADOPTED("ad749820612652f4907677a6c14b344ae3c0715c"),
    FENCE("8382c3efd93d2ff7f590d02886eaba05d8b8fbbe"),
    QUORUM_ACQUIRE("ba3d86e501f78cdecf5bedbea4dc2319a880e5a5"),
    QUORUM_RAISE("d2f741604fd97e7b6619fe85b45860960448b0bd"),
    QUORUM_RELEASE("c5fc3d0e60a4d044a362b73822d4d6354358a14d"),
    MEMORY("e23394f0d82266a566be35375ab6227990e1a4fa");

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
