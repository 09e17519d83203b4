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
    ACQUIRE("1293828a43eac573a3a2f47b22eb59e888a3f87f"),
    RELEASE("5c62487242fba02139ac1c73846b708fca541ecc"),
    CONFIRM("1fe4b3bdb163cf6e620dd3b289c31680d5ce8a72"),
    RENEW("badf8bccebc47a6fc38c135e6ffe01496b0ac545"),
    REFRESH("452413f41d963aa12724955697cf11283e58ae2b"),
    INFO("2d76a9a02d195a1dc1111f06d3114a93f3ddcc8e"),
    REVOKE("744b73e60b9503a58c7a72f9670bb65a4eb635a3"),
    PROLONG("0a87855bfe7d742059c781b2bafa54fc2ee15513"),
    PAUSE("53a9a6e1798175f9f107890acb0c57bba29af90a"),
    CLEAN("209241c51327d99a35997f8bf6a1a3948def7b21"),
    PLAIN_ACQUIRE("38c32d1ee55395c8f02ae876758d8c1f76e2fe42"),
    PLAIN_RELEASE("72b9e51508670c469d597cb76a1d16f491b48087"),
    PLAIN_EXTEND("5ab0b8cabf269134e4ca1a984d3daafd47ff7bb5"),
    PLAIN_INFO("4094bcdf5195158e8b45d0d3c7d528bf54fdae45"),
    ADOPT("87333d5f93a748a3777aaf77b7c3a40a5973bf72"),
    ADOPTED("6b07eeff7c94867e26a0055140709854c9c2c79e"),
    NOTE("f67c17f3bfbadd5f968f6e494781179486b4236a"),
    FENCE("837b4a49967b345d0b0bbf44f8781151565ddda1"),
    QUORUM_ACQUIRE("e44d50d7969d265a4501ef479c9eff22caeee4b6"),
    QUORUM_RAISE("57a4ddac66a92b5fd4838ad4f90c14526a33bb1d"),
    QUORUM_RELEASE("8d119a952393d267a0b83125887887b138643a0c"),
    LINE_ACQUIRE("24b58cf8c0b56ac7ce36dc2887b381c572e61e5f"),
    LINE_RELEASE("6fe3c125d341060485c1ef8d5132acf708c07ab0"),
    LINE_CONFIRM("63d5e55683eda0420e8880ca2bc6e753676f1fab"),
    LINE_RENEW("16b6380857b6dee4f011e465d9fef7015ccd8121"),
    LINE_DOWNGRADE("ef44b41839610eb9108fc0745b6aad017e84f49c"),
    LINE_REFRESH("79c83d39fc436748e5e56ccb270e380d60689a69"),
    LINE_INFO("1e4f45e9279706f4ad69b6f09a0579b1b0e02d38"),
    LINE_REVOKE("16a51911dd45231e182527568157c4c96f8293fe"),
    LINE_PROLONG("a1ab7bcd35a8da759d4f38d07be33731a99eb56d"),
    LINE_LIMIT("ef58ede836d643cf757e1d8625356835732ecf9f"),
    LINE_CLEAN("19b041b1e1081614b17aa3eb91d68f78989981c6"),
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
