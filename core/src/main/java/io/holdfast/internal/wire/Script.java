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
    ACQUIRE("909e4ca2c29ed5d4b83b1bc8e92a925b036084bf"),
    RELEASE("8d4dfd742dcaf85a36adfa5aa66158b033cee529"),
    CONFIRM("8a88adf0d1104c811db0ec60d80b00dea126e1fb"),
    RENEW("7de3825d296f27b73a7233740ac9c53f10335025"),
    REFRESH("6114580559e1384be1b40a20859112b290473790"),
    INFO("9baffb5cf28a0b70212e1612e18f44dfd1b07e2c"),
    REVOKE("8655178b6a1dd2d0b2598b4ba2a9b002a72bfe77"),
    PROLONG("615257eb9b3412362bd2fe76c83fc566de1b8db8"),
    CLEAN("99036936c97e43f8a0b56df193e7ca61cef5fd1f"),
    PLAIN_ACQUIRE("dcc55f2148235868faf0cae2fa7ee8307f6e7387"),
    PLAIN_RELEASE("6d4a9370cc595bd6ab7aaefdd3adbcf48a7afe7c"),
    PLAIN_EXTEND("01c24f469054ad3e806b1a7a7b3e09b8c369c5b7"),
    PLAIN_INFO("5ac74d46d29cfeafe6d5bff9cbebe94808dcf909"),
    ADOPT("c869f9f6dc4052499fdaed4d32aac5d315cc6d07"),
    ADOPTED("dad108f33e5060213b40de1626be7b5d1a1117a6"),
    FENCE("bed26b733723bb0af8aebc8c1fd46acc49519a1c"),
    QUORUM_ACQUIRE("396eb47a3b17923bea84391255d2321c5862c73b"),
    QUORUM_RAISE("f0702788082d7fc92da913899b1da2dc811b65f9"),
    QUORUM_RELEASE("baa848220d5de600f804d98578c79b08c752d010"),
    LINE_ACQUIRE("995da4a9abf8a9dd61e89a1a853a8744b4f71c28"),
    LINE_RELEASE("2b5b1e65f35fa7cb193bf2a69e42759dc395b743"),
    LINE_CONFIRM("7519fddf4b6b0ae3395bc42b861d6f67c18fed2a"),
    LINE_RENEW("ab76bfe4d187f40ebecd41ade853f8551f595e33"),
    LINE_DOWNGRADE("ae8e4d359b4f38ad5fa99b285766809aea49bf59"),
    LINE_REFRESH("693b7c343109ad6fcebb9c4185acbcd2815f8fd0"),
    LINE_INFO("77bde6c87c22bcce135733f667f06ec3c29f0276"),
    LINE_REVOKE("c56ea3624b2c629671472ac6bae118e4410581ea"),
    LINE_PROLONG("04482fb8df69ebc141947c7f3851800d6d82b168"),
    LINE_LIMIT("0163dc71fc88da87b91ea21df9bb4f3622b39651"),
    LINE_CLEAN("20c3c3607d99f0e8197d3d365f2074bd1940a290"),
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
