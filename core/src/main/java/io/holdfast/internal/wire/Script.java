package io.holdfast.internal.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A script as it is sent: its text, with the common parts put in and around it and without comments, and the SHA-1 of exactly these bytes, by which the server
 * knows it. The SHA-1 is written here: a program that has just begun would take some twenty milliseconds to read and hash
 * the three scripts of its first lock. Where texts change, the tests say what is to be written.
 */
@SuppressWarnings("ImmutableEnumChecker") // the text is written late, and always with the same
public enum Script {
    ACQUIRE("91e50e6fad0ccb88e10129a7f9ffb019b27d1b3d"),
    RELEASE("6bd8e7a121571676cc59d00e5b07fd06153e5623"),
    CONFIRM("9dc6c9823db2b261a77d9f09dee93eca94486da3"),
    RENEW("badf8bccebc47a6fc38c135e6ffe01496b0ac545"),
    REFRESH("9678d9f23040ad9522bab693e55c46f79f0a2007"),
    INFO("4f00165fc7d97717873643307adbf35e3bc68a33"),
    REVOKE("e589a3aa238d248a4f0144821d26d75736adc8fb"),
    PROLONG("f07985d2ac896b9bf0e6351bcd374f3cbc93f4ad"),
    PAUSE("b44003d0dbe1248eed9626dceb50fcbfe20710b7"),
    CLEAN("7597edc8c53a6358b947c0ee6a73e5a9866dbb92"),
    PLAIN_ACQUIRE("38c32d1ee55395c8f02ae876758d8c1f76e2fe42"),
    PLAIN_RELEASE("72b9e51508670c469d597cb76a1d16f491b48087"),
    PLAIN_EXTEND("5ab0b8cabf269134e4ca1a984d3daafd47ff7bb5"),
    PLAIN_INFO("4094bcdf5195158e8b45d0d3c7d528bf54fdae45"),
    ADOPT("0cbf5623d3d3f2b3aeaae107b9fb825badb3f282"),
    ADOPTED("babd1a1ab5cf7886443a97ba5791cc9f04daf004"),
    NOTE("b65037d951499df11d396c7035d28594a4a3ea11"),
    FENCE("837b4a49967b345d0b0bbf44f8781151565ddda1"),
    QUORUM_ACQUIRE("e44d50d7969d265a4501ef479c9eff22caeee4b6"),
    QUORUM_RAISE("57a4ddac66a92b5fd4838ad4f90c14526a33bb1d"),
    QUORUM_RELEASE("8d119a952393d267a0b83125887887b138643a0c"),
    LINE_ACQUIRE("ed33a16655b1cab6f816b1c08663270c4c7ed504"),
    LINE_RELEASE("469b73307287c87098c03e5b9b2fb2f126b7855e"),
    LINE_CONFIRM("2f7d57ab2050e4aaa3c5033a9e226fe303944e4a"),
    LINE_RENEW("16b6380857b6dee4f011e465d9fef7015ccd8121"),
    LINE_DOWNGRADE("b88e11fbf7bfa51ffcc76c5cecfd9b49ffe72fcd"),
    LINE_REFRESH("651397e740edc9529e98083eb43a1960ff9aca99"),
    LINE_INFO("ab76255216b362fabed1e404eb94e2b01bc0c78f"),
    LINE_REVOKE("821c2ee17fd22b8fc0369916d14f68604edf147d"),
    LINE_PROLONG("a1ab7bcd35a8da759d4f38d07be33731a99eb56d"),
    LINE_LIMIT("ac3c2e1734090011232b958faad59a58dcf86fc1"),
    LINE_CLEAN("45527511ea1a496373d4d61de1162933004e6ff9"),
    REPORT("999ff53841c00461b236c20867fe0587932be072"),
    MEMORY("6c70172ca4883eb4940f9a9fb548a22a300dc77b");

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
            read = stripped(assemble(wrap(resource(fileName()))));
            text = read;
        }
        return read;
    }

    public String sha1() {
        return sha1;
    }

    public String fileName() {
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

    /**
     * Without what only people read: half of the bytes. The first line stays, by which an operator knows the script, and so do the
     * marks of rules, by which tests switch them off.
     */
    private static String stripped(String script) {
        StringBuilder code = new StringBuilder(script.length());
        for (String line : script.split("\n", -1)) {
            String rest = line.strip();
            boolean kept = code.isEmpty() || rest.startsWith("-- rule ") || rest.equals("-- end");
            int end = kept ? rest.length() : comment(rest);
            if (end > 0) {
                code.append(rest.substring(0, end).stripTrailing()).append('\n');
            }
        }
        return code.toString();
    }

    /** Where the comment of a line begins, or the line ends. */
    private static int comment(String line) {
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            if (line.charAt(i) == '\'') {
                quoted = !quoted;
            } else if (!quoted && line.startsWith("--", i)) {
                return i;
            }
        }
        return line.length();
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
