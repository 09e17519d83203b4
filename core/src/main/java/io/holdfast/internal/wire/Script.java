package io.holdfast.internal.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A script as it is sent: its text, with the common parts put in and around it and without comments, and the SHA-1 of exactly these bytes, by which the server
 * knows it. The SHA-1 is written here: a program that has just begun would take some twenty milliseconds to read and hash
 * the three scripts of its first lock. Where texts change, the tests say what is to be written.
 */
@SuppressWarnings("ImmutableEnumChecker") // the text is written late, and always with the same
public enum Script {
    ACQUIRE("c77469c01036a94454444dc79a24734ba7e47447"),
    RELEASE("1f4bcf371b477f59be4c4642310331d1d8cef400"),
    CONFIRM("89b9f1e6496cf5e39a40b3459f8b750cb5ca6e2f"),
    RENEW("badf8bccebc47a6fc38c135e6ffe01496b0ac545"),
    REFRESH("c4405ebd7ec563054c3f7799bb662378009a2495"),
    INFO("143bb4d759538b9859a3b166ac3ddf861d660a1b"),
    REVOKE("ccfb2f426146337e9813764b03fd786e2dcc8b91"),
    PROLONG("0a87855bfe7d742059c781b2bafa54fc2ee15513"),
    PAUSE("372ea08d8d4fe4c3a4ddffe0e53f538b0d69b765"),
    CLEAN("d991b65705f8c940b4eb021d679fae19c1067ed9"),
    PLAIN_ACQUIRE("38c32d1ee55395c8f02ae876758d8c1f76e2fe42"),
    PLAIN_RELEASE("72b9e51508670c469d597cb76a1d16f491b48087"),
    PLAIN_EXTEND("5ab0b8cabf269134e4ca1a984d3daafd47ff7bb5"),
    PLAIN_INFO("4094bcdf5195158e8b45d0d3c7d528bf54fdae45"),
    ADOPT("137d038e95f5c9d62c0f6757cef85e7f63ba585a"),
    ADOPTED("6b07eeff7c94867e26a0055140709854c9c2c79e"),
    NOTE("f67c17f3bfbadd5f968f6e494781179486b4236a"),
    FENCE("837b4a49967b345d0b0bbf44f8781151565ddda1"),
    QUORUM_ACQUIRE("e44d50d7969d265a4501ef479c9eff22caeee4b6"),
    QUORUM_RAISE("57a4ddac66a92b5fd4838ad4f90c14526a33bb1d"),
    QUORUM_RELEASE("8d119a952393d267a0b83125887887b138643a0c"),
    LINE_ACQUIRE("3bdffb6b73b50313835b4ddbcea52f3b2b6f8a69"),
    LINE_RELEASE("e365409b074605e32476e685ab68a57f74167b3d"),
    LINE_CONFIRM("a723111080d631a082740ea783ef49c2aa575f62"),
    LINE_RENEW("16b6380857b6dee4f011e465d9fef7015ccd8121"),
    LINE_DOWNGRADE("ccfd2f5d7dbba9263e41655f7a0e521ebdb9b912"),
    LINE_REFRESH("31d8dee01771362a2905d4332c3f710c53a471be"),
    LINE_INFO("69c804b40e2e4e60d8c97174707fb72fc0ad775e"),
    LINE_REVOKE("b21c2971e17227947de00a95fafb9fa9bbf8cc82"),
    LINE_PROLONG("a1ab7bcd35a8da759d4f38d07be33731a99eb56d"),
    LINE_LIMIT("8adc831ae1bbf84f5875db66a17ddd33ef6a0c51"),
    LINE_CLEAN("7d723da5e71fa16e40617de790e397f598a01f4f"),
    REPORT("999ff53841c00461b236c20867fe0587932be072"),
    MEMORY("6c70172ca4883eb4940f9a9fb548a22a300dc77b");

    /** The rest of such a line is the name of a file, whose text belongs in its place. */
    private static final String INCLUDE = "\n-- include ";

    /** Where reply.lua has the text of a script behind its header. */
    private static final String BODY = "-- body\n";

    private static final String FUNCTION = "local function ";

    /** A function at the margin of a file, whose lines are indented, and where it stands in the code. */
    private static final class Function { // no record, whose equals costs a fresh JVM more than all of this
        final String name;
        final int begin;
        final int end;
        boolean unused;

        Function(String name, int begin, int end) {
            this.name = name;
            this.begin = begin;
            this.end = end;
        }

        boolean has(int place) {
            return begin <= place && place < end;
        }
    }

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
     * Without what only people read, which is half of the bytes, and without functions of included files that the script does not use:
     * the server creates every function of a script again in each call. The first line stays, by which an operator knows the script, and
     * so do the marks of rules, by which tests switch them off.
     */
    private static String stripped(String script) {
        StringBuilder code = new StringBuilder(script.length());
        List<Function> functions = new ArrayList<>();
        String open = null; // the function at the margin to which the line belongs
        int begin = 0;
        for (String line : script.split("\n", -1)) {
            String rest = line.strip();
            boolean kept = code.isEmpty() || rest.startsWith("-- rule ") || rest.equals("-- end");
            int end = kept ? rest.length() : comment(rest);
            if (line.startsWith(FUNCTION)) {
                open = line.substring(FUNCTION.length(), line.indexOf('('));
                begin = code.length();
            }
            if (end > 0) {
                code.append(rest.substring(0, end).stripTrailing()).append('\n');
            }
            if (open != null && line.equals("end")) {
                functions.add(new Function(open, begin, code.length()));
                open = null;
            }
        }
        findUnused(code.toString(), functions);
        for (int i = functions.size() - 1; i >= 0; i--) {
            Function last = functions.get(i);
            if (last.unused) {
                code.delete(last.begin, last.end);
            }
        }
        return code.toString();
    }

    /** Marks functions whose names stand in themselves alone, or in others that are marked. A name in a text counts as a use. */
    private static void findUnused(String code, List<Function> functions) {
        boolean found = true;
        while (found) {
            found = false;
            for (Function each : functions) {
                if (!each.unused && !isUsed(each, code, functions)) {
                    each.unused = true;
                    found = true;
                }
            }
        }
    }

    private static boolean isUsed(Function function, String code, List<Function> functions) {
        String name = function.name;
        for (int at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + name.length())) {
            boolean counts =
                    !isOfAName(code.charAt(at - 1)) && !isOfAName(code.charAt(at + name.length())) && !function.has(at);
            for (Function other : functions) {
                counts = counts && !(other.unused && other.has(at));
            }
            if (counts) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfAName(char letter) {
        return Character.isLetterOrDigit(letter) || letter == '_';
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
