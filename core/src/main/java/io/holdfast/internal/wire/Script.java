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
    ACQUIRE("e65c089df49ccb6fb3958e7e2a2c9f53e7066e50"),
    RELEASE("2d142f3607fb4de36abc979ae69bb7b0fc282ef1"),
    CONFIRM("9f10350e8c0e8aad6c9ccd7ce5503ec2bbb5291b"),
    RENEW("7de3825d296f27b73a7233740ac9c53f10335025"),
    REFRESH("12d00b87513a12381839fc9d2989ceca838f13c4"),
    INFO("b0a28bf944a30fe82c22e4b0ad1ada417fc6e941"),
    REVOKE("2728f103c8c34f00c9563dab559e5661c64a4555"),
    PROLONG("24fcb0325f88520159aa831bb626422849d6fd4e"),
    CLEAN("07ce328094bded07fabcf8ab88eed6758cf944fa"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("a148187d1b5161436d0ccbf8ab7f3e619b10f0ae"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("c293dce284765c43dcb9adf36382812d8c3de8a7"),
    LINE_RELEASE("8c25a780bdc7ffc491e7b123319b372508a1dc4b"),
    LINE_CONFIRM("d74389f780cd6535bfbd1a736bc07238f08c625e"),
    LINE_RENEW("0d7d73b187100c5ba459013a1797a6ac1cc4aaf6"),
    LINE_DOWNGRADE("957a9c4a190e8f10678488b547a4f8e3ef8686df"),
    LINE_REFRESH("1feb05c93335589d82ee923650bcca2f90a36df9"),
    LINE_INFO("cc0837843baebe855ebd665b7ff3952a6e068304"),
    LINE_REVOKE("7f657c6d855fce619ac1d3bec17114967c9a5f40"),
    LINE_PROLONG("dd852af67834870d7c83dcf43fc3cbe10e852494"),
    LINE_LIMIT("7806dfc52026fd3f986e1db9839e87aab462c458"),
    LINE_CLEAN("80ba1c86351aca3f51ce4fcb5a7d1d7b47e3801e"),
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
