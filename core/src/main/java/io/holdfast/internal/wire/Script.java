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
    ACQUIRE("9dc02121bac7e4813e47b31f4faec945c0497d37"),
    RELEASE("c9f1ce8fa873a9563e102f22421b35698909d54b"),
    CONFIRM("dec3651b8f1d449c87f57401ecc7955748883108"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("dfa7a27dfe35a249e7b2bd36090fe483cf9f9548"),
    INFO("f87386ce12543a84ef7fe0ec50293807abcbcf16"),
    REVOKE("87f6633efdab09b9c3fa174cb8bcdd2897acbe7e"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    PAUSE("6e4c0396e389cc548221f93eef72641cd9f41ff8"),
    CLEAN("2150628e825b59bc740214043fbb9d442ee6ef24"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("c00f853bf98effec389aafb088e5f5b151690e75"),
    ADOPTED("50d82ada91eb1e19a3d34ab4eb01f13dddcb772e"),
    NOTE("c6cd6383a36dfe4147b69ee3f2daa8642186e881"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("a78790854eb44e464399d8648784613af82a28a6"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("fc36d31818c9f82c552ee5128995e2fc59b503dc"),
    LINE_RELEASE("e084e61e92c4fb5a05b9c66b53ed28c5afdee161"),
    LINE_CONFIRM("1af837cefb1c0468d388c5b0159d1ce1bcbdf199"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("2cd94f8925cb22a5cb04ed6f3f179124f3eaa3e5"),
    LINE_REFRESH("39ecfe00badd1054933d29d50bb83a58b2a29c3a"),
    LINE_INFO("92800edbb4fc343f83b1dfa1297032d9a55d5d9e"),
    LINE_REVOKE("b97415953c1ba357271cd99e83c852319759531b"),
    LINE_PROLONG("df6aa22f201920be49868c398b8515364adc6536"),
    LINE_LIMIT("ddf23ea472e4d7b316fbad537a37329f062f2d0c"),
    LINE_CLEAN("2260a18227d6def161cc5c2891fd316722c2da5f"),
    REPORT("7512b29fa010353bb11e7b1ff474861bec41a36b"),
    MEMORY("0b7ff54b1e20fa438c1be4f59e68f3b01a2a87a6");

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
