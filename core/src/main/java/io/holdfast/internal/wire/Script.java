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
    ACQUIRE("baaed606b2d541d7b349f8d99038b9ac59b98c1d"),
    RELEASE("761b8fd68b6afdcb0419003393ccfa865c3c6e43"),
    CONFIRM("255bdb102bdf5be91928ef6fc8b31f153e98d4f4"),
    RENEW("7de3825d296f27b73a7233740ac9c53f10335025"),
    REFRESH("5a189fc259a1992b8e14d0bbad4b50a528d5893d"),
    INFO("24e2b10ee383d157df175f4a0f5dbbb6ca374860"),
    REVOKE("a0663fe8dec9b01634bb6345443deaef7a327208"),
    PROLONG("24fcb0325f88520159aa831bb626422849d6fd4e"),
    CLEAN("a6abc5356071dbdc77dba59cd8099515074c6a11"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("1f4217003f09ea4480ec82c87699a47bf76a4d57"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("ca9f8299ed18ccbbac28d0df83d3f4e1d837071e"),
    LINE_RELEASE("360969489e3ff698bd7b0ee8a6ad2d3b1deb48b0"),
    LINE_CONFIRM("582e0b5fab694dcd4a8cf8049bac6c5a35bf5f2c"),
    LINE_RENEW("a67769cd7e211d5569be668b5353dadb53b10e10"),
    LINE_DOWNGRADE("24d441e15b15cee3df0ee3f05bfd1e1866246b13"),
    LINE_REFRESH("9f6c54a59b03cfb1a299427c9b261e83008bb699"),
    LINE_INFO("5c8be31d22ddde27224cc85817c42497ceadf5ac"),
    LINE_REVOKE("d17262fb3af3895fb4799dec1c5ae027ae6db6b1"),
    LINE_PROLONG("c41c3f5e4b3f1a49d04fb9e9b8de112543f322db"),
    LINE_LIMIT("db8b74a1be508912d8a0edce452bdd903d89286d"),
    LINE_CLEAN("edb09666564745b2ffa8cf8f1ed5a5a6ddd18a31"),
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
