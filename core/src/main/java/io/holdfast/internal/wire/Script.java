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
    ACQUIRE("36a1ce0a75e5d1505ea99d1a339c51bde8c2dd37"),
    RELEASE("5b2a9ed6f3c432a4bc6167e2b9e762507ca14968"),
    CONFIRM("2e0999474338c94bd101eb33227ebdfd1784d4a1"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("1fe685169154f5cf799dc12ea703eaf157c44b13"),
    INFO("cc2029d47ba74f6a3153d54bf0032c7d622104cf"),
    REVOKE("77109331ed71381851d19692e1eb1dea6beeae78"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    CLEAN("e59ff27336297dec236ac12061df96a1b601438c"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("4f3bc23bcf0373a0d3a96b8812ab7be487cb7655"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("f8d7ee8221a72aab3b7b1b83c430d4c688b2dafa"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("a1f642fbe510c775b836ff5201ff117afbeb0ccd"),
    LINE_RELEASE("04f7fee6715dffefb4bd5a65be03a61fad5c07d1"),
    LINE_CONFIRM("81ead88b6c4f823505e885888e30a8d7b6d40a4f"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("06e1f2946a94e044c7dc1b41070ab60591e02e14"),
    LINE_REFRESH("ecac2551efecd45d4cdcd48b6b21e65e4e0ff68b"),
    LINE_INFO("d67bc21ecac3ac4e8084b49e598e28e2e003f65f"),
    LINE_REVOKE("1f3a5d3ba98ce8eb13fb080b65315b5fff17945c"),
    LINE_PROLONG("dd852af67834870d7c83dcf43fc3cbe10e852494"),
    LINE_LIMIT("6f04ea327871d85a10940589014efbcbdd3ee004"),
    LINE_CLEAN("5d15a59d77267cab57b87ba8e3430a643d1665ef"),
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
