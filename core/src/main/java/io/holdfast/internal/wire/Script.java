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
    ACQUIRE("e4bc674adca45c63876fa6cebd8f60b7a5b15b75"),
    RELEASE("f731210b15c0a2765aef3c334a7bd08a8442e975"),
    CONFIRM("c2651ccf819fdc0819b8a09371267aaa1406d38c"),
    RENEW("7b230574ab02e13a498a72d274ed6678e27a7e3c"),
    REFRESH("59f8b8451f6c7af43c01986e343368377c8accbe"),
    INFO("984f5a078b5550e66ed5b04acd207277cf7e3b8e"),
    REVOKE("636d4640c86eea811fb0338c805706fdcf5cfe1b"),
    PROLONG("06d4036f93f70c636ee739254e501430b87f5318"),
    CLEAN("36a154922775d4b06f292aebf60779e492dc4cfe"),
    PLAIN_ACQUIRE("2507564e3f86c84a8a7c0f9fb6473f07805e2417"),
    PLAIN_RELEASE("2ba5a9d315fe56d62cdf72239d31f7d0dac6be00"),
    PLAIN_EXTEND("b3c6dfe3b331d0a96e90400b19bb6a956e589557"),
    PLAIN_INFO("19b0573d7c0eca1ce55983b52400ad007683f321"),
    ADOPT("8a859d3a79f2bf1c893e9d460511b93fe5a4efe8"),
    ADOPTED("bb9a6889c56bffc5767f78dd16c863839dc84aab"),
    FENCE("4908b3af92d9615d34ef72fc58a496e18daaded1"),
    QUORUM_ACQUIRE("49ffbae5879ed16391da5a558b5ab49e378fa235"),
    QUORUM_RAISE("f7f586a9b9f83821424d065ec82d04cf059e5c5a"),
    QUORUM_RELEASE("3ece26958551ca1745b634a62090cd1ce88288f6"),
    MEMORY("2c83ba24fe6fb53615703e4a36fbafd219550ccc");

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
