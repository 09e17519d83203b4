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
    ACQUIRE("522e2df8a18c54dda30a456354e79af16ba2d8bc"),
    RELEASE("7ad435fb8471c981ae2b613836ef8e9c8c1765ad"),
    CONFIRM("62e0ca247f94f46950a953591abf120c014c8c92"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("b4717521bd1da7385aa0a9acacdb0c4115a8e29e"),
    INFO("4ee45703d2e236bb9b800e811993fc404c332dbf"),
    REVOKE("e67af1d2caf403b4075fde6d6822e865185d39a6"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    PAUSE("6515c705eba29eaa4ed21be3b319016fa378fe3a"),
    CLEAN("80133eb6d7308dd2d2c6d4b74b89d90a69564cd3"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("ebc5369061e609735d58bea4a96d5816d65ed31f"),
    ADOPTED("50d82ada91eb1e19a3d34ab4eb01f13dddcb772e"),
    NOTE("c6cd6383a36dfe4147b69ee3f2daa8642186e881"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("a78790854eb44e464399d8648784613af82a28a6"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("114fa3c13d92136869cd4425ea8ae5dab4fe4b2e"),
    LINE_RELEASE("0be339bf38e13c36a3d556f9d39511a2c9633ab2"),
    LINE_CONFIRM("9f693ffc80834b0ea5470ead962c54d2745d56c9"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("a3bff20f64ba1af4134a92fd78f08463271f815b"),
    LINE_REFRESH("c4a8f712d31d9b6c17af2a7016fb898ecb524eee"),
    LINE_INFO("7bd6e0725f00b16ef0e1e6a0a65522c3bdc3ee11"),
    LINE_REVOKE("9889f4e91772c660f47b1f2d739c691de4613024"),
    LINE_PROLONG("df6aa22f201920be49868c398b8515364adc6536"),
    LINE_LIMIT("6a589b9b437bda1c3ac8e77bebbe32658824a95a"),
    LINE_CLEAN("3a12c5d6755b639b065b96d6a9282be04f1cd0e0"),
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
