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
    ACQUIRE("d25b1c2a24e6b5ed43528112d39ba479c16fff75"),
    RELEASE("a11f89702e9fa4ed7173b15b2ceeb70a9f21cefe"),
    CONFIRM("35f83ed859487b99a9ee3f0406725e18729ef244"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("c6384f5accf6860b9d41a7658959b2e89054fa89"),
    INFO("0b4acbf3eb00c3fca25ab6ccc86807627be57a36"),
    REVOKE("e45ee75836888ce60d9e510671b719e7a46e6d0a"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    PAUSE("9a72350787ae7a829b63a31d1e33383627c73707"),
    CLEAN("45ce83d95b12cab9ec9d6a6af96ab926cf7cd8cf"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("ac454d63a64195636036ee777dd73e4b47e1faf4"),
    ADOPTED("50d82ada91eb1e19a3d34ab4eb01f13dddcb772e"),
    NOTE("c6cd6383a36dfe4147b69ee3f2daa8642186e881"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("a78790854eb44e464399d8648784613af82a28a6"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("f354c819b7ed4d3b8005c1a7a3ff14a790f0bde5"),
    LINE_RELEASE("09bccfcacddb0480a94b0b35c4e4dbae2786d192"),
    LINE_CONFIRM("4e4f501f1b5cd1dd05d6f04d31b5d7f083ac88eb"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("b8c6c3efffb26296580302776ea49451f3e9b32d"),
    LINE_REFRESH("be5b773174f486e984b4a09619668a1a2c6f711d"),
    LINE_INFO("8aeff7c5f4bd677fd5b67b0011af4996b58d1e09"),
    LINE_REVOKE("b2707922efe89030b31802423138251337d26277"),
    LINE_PROLONG("df6aa22f201920be49868c398b8515364adc6536"),
    LINE_LIMIT("73a07f5ee6cf76b3009263ba4d5a0d2672edb2f8"),
    LINE_CLEAN("2b69227b0ca7ab1656caa8288028b6321b8be0dc"),
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
