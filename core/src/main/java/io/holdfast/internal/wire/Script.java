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
    ACQUIRE("d25b1c2a24e6b5ed43528112d39ba479c16fff75"),
    RELEASE("121427d640f9dddbd9799612532afe58d7aa8f02"),
    CONFIRM("35f83ed859487b99a9ee3f0406725e18729ef244"),
    RENEW("2a988bd2d22f73bea30c2da9b05f8ee48a4c1dc1"),
    REFRESH("c6384f5accf6860b9d41a7658959b2e89054fa89"),
    INFO("0b4acbf3eb00c3fca25ab6ccc86807627be57a36"),
    REVOKE("e45ee75836888ce60d9e510671b719e7a46e6d0a"),
    PROLONG("72d0596354b8d2a4b1bf94dd1031a042c66c189a"),
    PAUSE("9a72350787ae7a829b63a31d1e33383627c73707"),
    CLEAN("45ce83d95b12cab9ec9d6a6af96ab926cf7cd8cf"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("ac454d63a64195636036ee777dd73e4b47e1faf4"),
    ADOPTED("50d82ada91eb1e19a3d34ab4eb01f13dddcb772e"),
    NOTE("fc8811dfbbcfb77c785f92b737b74babfb75177d"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("a78790854eb44e464399d8648784613af82a28a6"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("930a309d50c5d039e58c7cb18fe940d26beff2ed"),
    LINE_RELEASE("adc58e5674c7c43971843a8df804f642f59c7e34"),
    LINE_CONFIRM("22a76b2dcd440209aa8f60652a41deeadae74246"),
    LINE_RENEW("11f13b40c9b8af252a65290589135d93bff29dd0"),
    LINE_DOWNGRADE("f79afdebfd9544ee5d48df0873775bb685f7e4dc"),
    LINE_REFRESH("4dd2a81fbc65d2cdf0f2fb38107ac92fb956b8c1"),
    LINE_INFO("c4cf54f58972cac2c1cdc46d79956d3a2108ddf1"),
    LINE_REVOKE("d9f37cd73b56d0f60bcb854dc06f5e37412555da"),
    LINE_PROLONG("df6aa22f201920be49868c398b8515364adc6536"),
    LINE_LIMIT("c205e119b8a87c3d9a85767fa4950c40dc477010"),
    LINE_CLEAN("3f21fda699df014c80a62ffd38d617f70de0221a"),
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
