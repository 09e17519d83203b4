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
    ACQUIRE("d164dc80b941a8a1aadb93a8b733ab06f690af9f"),
    RELEASE("a9385c0f7b8e2e73887e8403c221664ad25d16c9"),
    CONFIRM("e43be1ffd0b686f728921c8cbe37300a5ea83d54"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("f0a296fbc1d8a90eb9e4478ca5b3fa192c3d7fd1"),
    INFO("2350a413f055efbe56ec3b0a6480f9e36b0d8c4c"),
    REVOKE("99a0629c819068c2ebb71293741b89e1c5c899de"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    CLEAN("0ecf0957f7a99be0550e423b24312c2e7db75eff"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("3e259abb8587f1dd53457dba4e17948e4500b80a"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("f8d7ee8221a72aab3b7b1b83c430d4c688b2dafa"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("92757a2f7d50553c820af7a3b44a8edbcc54669b"),
    LINE_RELEASE("d42aee1d4fdc245e025fdaca741ac72dd314968c"),
    LINE_CONFIRM("16dec86815634c1d24e7881bbd317d13e912e067"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("43da35b0223ffe6fa5a4d48a33c92114514ac966"),
    LINE_REFRESH("f1fcce8afb98754932aa98d6f5763b493effe5a1"),
    LINE_INFO("3f93f19f841bbce4b8f8cc36cecf0b040d367e85"),
    LINE_REVOKE("824d7ecf748a36ecdfb6edb9840e7458c4d3f849"),
    LINE_PROLONG("dd852af67834870d7c83dcf43fc3cbe10e852494"),
    LINE_LIMIT("f3bc5c8d11cceff4af5f98ebf0ab27523eb53e26"),
    LINE_CLEAN("7e8a0c28401104524d22b3d5e2b3eb4431c64842"),
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
