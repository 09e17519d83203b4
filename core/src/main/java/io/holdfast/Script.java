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
    ACQUIRE("c98ee93fa74804d8d815464b767bd04686b79523"),
    RELEASE("c621b2c4be3d52f8c897611953725550201d2a3c"),
    CONFIRM("90fa8f20b502f3dc15e7965c1cf24603e61fd744"),
    RENEW("6af67957f11a0adf9d41a7afab196875a8e47847"),
    REFRESH("6a839a3904d652c4dee2c072e3704f7f867e8635"),
    INFO("ece2b196921d8ec5a92a1104593389f937ee2321"),
    REVOKE("ef2023ba9c7a13db71a568982a7aaf6c2de49b47"),
    PROLONG("ce05c89c89841976da69b1acbefcfd73a4b1e950"),
    CLEAN("48d772f4e07fb39eac3791ec5540e7f4e79299d4"),
    PLAIN_ACQUIRE("e9af79af4e2384afcf14df9b4fe3b85a61069b31"),
    PLAIN_RELEASE("0074e3cc1d387c73dcc06416b44635485fc104c6"),
    PLAIN_EXTEND("ccfb1358c032be26322af49338c0911ffc6a96b1"),
    PLAIN_INFO("358fffd97661a85cf49dcaa1ed6c73925b50895b"),
    FENCE("8382c3efd93d2ff7f590d02886eaba05d8b8fbbe"),
    QUORUM_ACQUIRE("7a55fdeda2ae31a68400c358be49b33f9b14bb80"),
    QUORUM_RAISE("d2f741604fd97e7b6619fe85b45860960448b0bd"),
    QUORUM_RELEASE("9584be9be4782ece65a2a38910961f8e5e9ca6e6");

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
