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
    ACQUIRE("9942b2d975c4f210e63aa98a798928233a20a811"),
    RELEASE("e0d6001ee0307a8e0c89247770734572b0bc8919"),
    CONFIRM("f6daf4b0b042f91f2bfcde6bad02bbc7a155bbfe"),
    RENEW("7de3825d296f27b73a7233740ac9c53f10335025"),
    REFRESH("3130fd95108c3f37ce16a6d81547620ade1737cb"),
    INFO("ea32d1bb81a7afaee0163300c090b848711b8207"),
    REVOKE("533c33faa7038de673690319867e6cf88d2d6a3f"),
    PROLONG("24fcb0325f88520159aa831bb626422849d6fd4e"),
    CLEAN("989e072db53b5097519d39aed3fe0ee32459abb2"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("689901f5d25ed9b8d0128eb17c3b36b8585004d4"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("03804c09112b50815ad7288b170c8095254ebe53"),
    LINE_RELEASE("bccd11e3d45509988f77d60884958b68ce89be6f"),
    LINE_CONFIRM("fa4f4c0d116c96a875a73bf2e29d258fa15ebaa6"),
    LINE_RENEW("a67769cd7e211d5569be668b5353dadb53b10e10"),
    LINE_DOWNGRADE("4a239f289bccd16ccd1fdfcaea9e0711e9d8ddf2"),
    LINE_REFRESH("f91ccc2f76bf80c9e7925758dec7f9793e1d8e19"),
    LINE_INFO("5c7553f432d8bf18838850ff5642f69afb619170"),
    LINE_REVOKE("0b6d7766ce3fda3af727bf83a39b88b9728ba9da"),
    LINE_PROLONG("c41c3f5e4b3f1a49d04fb9e9b8de112543f322db"),
    LINE_LIMIT("9701420354a73ed966e2d5d176a51a70f653a19d"),
    LINE_CLEAN("387c5d9d5cf4fb3aa50c7b64952eaed795621ff4"),
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
