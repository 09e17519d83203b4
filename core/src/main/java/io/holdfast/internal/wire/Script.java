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
    ACQUIRE("203544c5ca5103a84948c9d695222b3042c4c6c7"),
    RELEASE("43fbabedaa792ebd29e9933110da1762fe42d24d"),
    CONFIRM("77bc14ad7bd10696b72076a09b7d097e19912d5c"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("8346c4f77fdeaa605fbe2fe2c3df40ce1f110723"),
    INFO("08f3b6245565b111b3f1f9707e8c78b457f296a9"),
    REVOKE("7f428a445eaf056ad4cdcf34d8b4a0e72f3d1f78"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    CLEAN("96c13958476e9b1c2a353adef3e05bad2f062f67"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("aa8e332bce95bbee69d1b5e1f81b088abfb2eb1c"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("f8d7ee8221a72aab3b7b1b83c430d4c688b2dafa"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("07223cdaed7b3f40a18ab3ae542e4061f39bd68a"),
    LINE_RELEASE("adfe941f4b2e6fd5b8f1330dedc93590facb47c0"),
    LINE_CONFIRM("9b5f89b9253a00b1b8332cb5e2a332501faebf56"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("9f10cb65e9684f2fd25f3251e654680463e70edc"),
    LINE_REFRESH("d8b4324459d466fe21011bbcba5f3431851b9d94"),
    LINE_INFO("99e6017ad355e7399d4a7082146243ad9928ddc2"),
    LINE_REVOKE("37962fe531afcf2b53d54e2364d2155b8f8e74cf"),
    LINE_PROLONG("dd852af67834870d7c83dcf43fc3cbe10e852494"),
    LINE_LIMIT("5ab9fe44c95c73d7d01d26d6c8efd29df915141e"),
    LINE_CLEAN("b1da350c892be10e0e6624e5ba0a53f9908a2e62"),
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
