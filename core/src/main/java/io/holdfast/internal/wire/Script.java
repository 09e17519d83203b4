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
    ACQUIRE("eec6807f0ccd705f12fc918f3188476195a2d708"),
    RELEASE("c8be8cd16d76a9bbf640fd9f5c90cceb83671553"),
    CONFIRM("0ed529bb8211ff9b0bef7c23a2017ae4826a2e80"),
    RENEW("7de3825d296f27b73a7233740ac9c53f10335025"),
    REFRESH("d8a0038f4e63d18ffdb02d1358b2112d01b7c4f6"),
    INFO("3ed63e34c9c869557a40b83012389932d3e24113"),
    REVOKE("4dfc58b3a4e7c26ad32a8de03b1436931c1cccc6"),
    PROLONG("24fcb0325f88520159aa831bb626422849d6fd4e"),
    CLEAN("13e6aa9f16c3c144c4dd79ab17c125daf66bf934"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("b98ed93ca1b7dc56f3edea8a9370b95ecb7a3c6f"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("cfa41399152acc2b903034626064b91ca5206a39"),
    LINE_RELEASE("50a5b11fe8048c7e23263d14a56f5f13d38b7ffb"),
    LINE_CONFIRM("dd01d7a6c62482ee931148cb2e2c08cc6b83818a"),
    LINE_RENEW("0d7d73b187100c5ba459013a1797a6ac1cc4aaf6"),
    LINE_DOWNGRADE("7f3d52be2ea3dba58ef1a192b0901a63f3a9f0cb"),
    LINE_REFRESH("7f7a56072aa0ac96ad500234652e649b6878dec6"),
    LINE_INFO("18190d7280ee33fef4a296657903a4c8f6d444a4"),
    LINE_REVOKE("3228da5497e63d011afc60c9b3e1ad8642b19521"),
    LINE_PROLONG("dd852af67834870d7c83dcf43fc3cbe10e852494"),
    LINE_LIMIT("df7eeecfa3149c8f9759e47d93ef9100885e99ee"),
    LINE_CLEAN("4abcf84a53d67795940313c9823ad2e7caca69ff"),
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
