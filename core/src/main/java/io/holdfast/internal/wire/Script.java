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
    ACQUIRE("14b9c1b33825c5047c41189663128d8925ccba48"),
    RELEASE("6c6ea67c030264c9f93e6fbda85217d5b7c61f80"),
    CONFIRM("0fabc2e74459596d9143cb8e5f480d5fb5a04d26"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("497ce62a3c77fb7cd4213248a1e4bd6252a2bb5a"),
    INFO("e79d918b9a5bb908d93bc6304fbf203108acd66f"),
    REVOKE("fb44c10fd6bcd54f1ee943fd8235194441b7c4f5"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    PAUSE("6cb65864173ef7899b650da10195d1d190b7bcc3"),
    CLEAN("e72a5c5c7dc37c6263d2b89441d4dcbcb22abbe3"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("47aad69288e5c823a44244f8f2d4aa9238163baf"),
    ADOPTED("50d82ada91eb1e19a3d34ab4eb01f13dddcb772e"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("a78790854eb44e464399d8648784613af82a28a6"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("a8c7e02e38584c94749a5e8c52c92ddbbba02e3a"),
    LINE_RELEASE("92aad46247d50e7cd4409750ead646544435009f"),
    LINE_CONFIRM("9eec8665e4da26fb1c36d42001a3f0222f113e5a"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("a2c5db6db37bd5e5eea71e3e30df2a394ed97e6f"),
    LINE_REFRESH("f6bca00311a024200e34b418f212a155f5b55c03"),
    LINE_INFO("f26d2ff67ff1af5a340f2899551f41286ec7443f"),
    LINE_REVOKE("788298769b0665e0d5d3434c5b36cbb0c1ff843d"),
    LINE_PROLONG("df6aa22f201920be49868c398b8515364adc6536"),
    LINE_LIMIT("45e1f96e1843bdaa85ecc80c43a146c4a426b3d2"),
    LINE_CLEAN("fe14b95f351fecac1f9d88b2e5ad4f7c1f2cd340"),
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
