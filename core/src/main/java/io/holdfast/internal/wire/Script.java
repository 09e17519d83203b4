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
    ACQUIRE("2390dc800ab403f7be6c005d99c0efe01d0af59d"),
    RELEASE("e38d172c1e802adfed928366c8c2d480b41540f1"),
    CONFIRM("6362b7143c21425458c2e85cefbc48655d1d93eb"),
    RENEW("7de3825d296f27b73a7233740ac9c53f10335025"),
    REFRESH("86b08f5fa229be15853f42b1b7d247a9c800ba1c"),
    INFO("195a30253c39c75346c9ebaaa4c8e3eb5ebc9a59"),
    REVOKE("debff31c494696d25a582d22b2c6bf68a08f46c2"),
    PROLONG("24fcb0325f88520159aa831bb626422849d6fd4e"),
    CLEAN("8ecfe59fe273a6a6f56d8ad382611d6c3b260163"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("2543db9c17b44a34fcc2a36be6f60e40494e7c21"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("935b679ec40788f16a2388801780456a4ebdb1c4"),
    LINE_RELEASE("da0aed67964134f9b888ad0c19eb61bc6fbf83af"),
    LINE_CONFIRM("970e3fcc93b6e3e3b64c03dd74e46ce943c67317"),
    LINE_RENEW("a67769cd7e211d5569be668b5353dadb53b10e10"),
    LINE_DOWNGRADE("04889e242c0af339756901d793de67bdc6946019"),
    LINE_REFRESH("c3c28e72213c77d412e8627adb9f8915e73bb22c"),
    LINE_INFO("038a499ecd4bad6639098f63c447f257e2803e8f"),
    LINE_REVOKE("9d71d71760f7257df705bdd4526c16de2bb1e443"),
    LINE_PROLONG("c41c3f5e4b3f1a49d04fb9e9b8de112543f322db"),
    LINE_LIMIT("9bc9e796801c757090c2685d18ba59573bc6e9eb"),
    LINE_CLEAN("25ba28f424d7e16cc00b99ee8a1537d552cee8ec"),
    MEMORY("333edba40b2ae96959c292c0d9957bef45d2c1fe");

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
