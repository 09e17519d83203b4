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
    ACQUIRE("bd1656049def5bed2505b33e9860ce52817a8e71"),
    RELEASE("14b319bbf1533d5c59fbe139b76ff00d8b3ec84a"),
    CONFIRM("fa5bb6bba9134e5b1fd2611352d0d7e2b471963f"),
    RENEW("7de3825d296f27b73a7233740ac9c53f10335025"),
    REFRESH("38f6b3f9e2d43e19726ffcfcd94910cc8d5cd753"),
    INFO("9ac953f7f1d77f768fd6c22c63049b50c90e19d7"),
    REVOKE("940358437454a5b50943ef9508019569bf9e6a3a"),
    PROLONG("24fcb0325f88520159aa831bb626422849d6fd4e"),
    CLEAN("148125d307e06e73a214901a3af43d78f31b4ecb"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("8b8633eb4fed80bbac97833e5ab8289fc640e68a"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("98306a6c3c989dff589c48af7e4cbc9f5fc8df4f"),
    LINE_RELEASE("69ae58adce7046632e13feb8eccfaeb6b677a386"),
    LINE_CONFIRM("6ca1854ad179500229017bd034011e2cec9f2138"),
    LINE_RENEW("a67769cd7e211d5569be668b5353dadb53b10e10"),
    LINE_DOWNGRADE("dbff23f8a2cda0f29a1ef4cedfe73991b70d9d85"),
    LINE_REFRESH("864bfd4012a8f5bc4ff6f6d251280b74028bb697"),
    LINE_INFO("6881080f716870c0e1de07334d47a18f59e306ba"),
    LINE_REVOKE("ede410a335b21e30bfaefcd2e7e7177aed3fdb8a"),
    LINE_PROLONG("c41c3f5e4b3f1a49d04fb9e9b8de112543f322db"),
    LINE_LIMIT("b83176cc65082bfb208a796932b619f98056508e"),
    LINE_CLEAN("d520a0b99818ffd65d49cc3dc8412e63bb83cde3"),
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
