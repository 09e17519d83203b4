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
    ACQUIRE("f2803d53697d288e196c20c66d49202186f5f3a7"),
    RELEASE("2b08ffc3a3995196eca87229f52319c9567ef626"),
    CONFIRM("3c83fc1828dc943dc470ee76828f849d55d5504d"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("8aedf4badaa24b43c0a8e1f7cc7bdf326c430a75"),
    INFO("14c48b64f54cbcdbdd5948f076c7c345a10a486d"),
    REVOKE("7e5f24ed86a730de0fe83b63d9bcaf6cb6fe2191"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    CLEAN("e9b4950987929259584fb8bc8d8da0bdeceef99f"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("13d5e71f2acc9aff86532ba98cf8367c2a873420"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("1732692e8eb584956b7af8716d2c00de31ad2170"),
    LINE_RELEASE("141ae2ce28c9936ed2088df36e1aea24dd0b0297"),
    LINE_CONFIRM("734a0a44f43a0fd533f758c2089eda71964dec1c"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("8f895477a87075417b525c47001ee896ac993da1"),
    LINE_REFRESH("7009c9ae9e2556c302fffcd9008d2d07a066411f"),
    LINE_INFO("f4af5b16d29ce8c732b8d0067b4df30d57c13258"),
    LINE_REVOKE("5e7b1d4baa46c5eb85ff77909b331b17acbb96af"),
    LINE_PROLONG("dd852af67834870d7c83dcf43fc3cbe10e852494"),
    LINE_LIMIT("d922592d00d0e579f5f6908cf5fe2e1b878a4c71"),
    LINE_CLEAN("57a05853758e33c370794cbded6ea4a3fdadb8e6"),
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
