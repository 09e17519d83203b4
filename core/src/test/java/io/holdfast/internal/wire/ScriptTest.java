package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the header of each script with its body. The bodies are read as text: what is checked is how they are written. */
final class ScriptTest {
    private static final Pattern INDEXED = Pattern.compile("(KEYS|ARGV)\\[([^\\]]+)\\]");
    private static final Pattern LOCK_AT = Pattern.compile("(lock|line)At\\(([^)]+)\\)");

    /** How many keys the function takes for each lock. */
    private static final Map<String, Integer> KEYS_OF_EACH = Map.of("lock", 5, "line", 7);

    /** What is put into the middle of a script: it uses what the script has defined, and has no header of its own. */
    private static final Set<String> FRAGMENTS = Set.of(
            "read_request.lua",
            "bound_queue.lua",
            "return_parked.lua",
            "enqueue.lua",
            "drop_waiters.lua",
            "heartbeat.lua",
            "leave_tombstone.lua");
    /** What fragments may use without saying so. */
    private static final List<String> COMMON =
            List.of("common.lua", "time.lua", "token.lua", "queue.lua", "order.lua", "expiry.lua", "foreign.lua");

    private static final Set<String> LUA = Set.of(
            ("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"
                            + " redis string math table KEYS ARGV")
                    .split(" "));
    private static final Pattern DECLARED = Pattern.compile("\\blocal (?:function )?(\\w+(?:, \\w+)*)");
    private static final Pattern DECLARED_OUTSIDE =
            Pattern.compile("^local (?:function )?(\\w+(?:, \\w+)*)", Pattern.MULTILINE);
    private static final Pattern LOOPED = Pattern.compile("\\bfor (\\w+(?:, \\w+)*) (?:in|=)");
    private static final Pattern ASSIGNED = Pattern.compile("^ *([a-z]\\w*(?:, [a-z]\\w*)*) = ", Pattern.MULTILINE);
    private static final Pattern VARIABLE = Pattern.compile("(?<![.:\\w])([A-Za-z_]\\w*)\\b(?!\\()");
    /** Functions whose first argument is a key. */
    private static final Pattern OF_A_KEY =
            Pattern.compile("\\b(expireLater|readHold|grantHold|tellHold|writeToken|outlive|remove|quarantineLeft)\\(");

    private static final Pattern CALL = Pattern.compile("redis\\.(p?call)\\(");
    private static final Pattern WORD = Pattern.compile("'([A-Z]{2,})(?: [^']*)?'");
    private static final Pattern LISTED_WORD = Pattern.compile("^--   ([A-Z]{2,})\\b", Pattern.MULTILINE);

    /** What keys may be spelled as: elements of KEYS, and names that hold nothing else. */
    private static final Set<String> KEY_NAMES = Set.of(
            "lock.hold",
            "lock.queue",
            "lock.parked",
            "lock.details",
            "lock.token",
            "lock.members",
            "lock.cap",
            "line.hold",
            "line.queue",
            "line.parked",
            "line.details",
            "line.token",
            "line.members",
            "line.cap",
            "members",
            "evicted",
            "grave",
            "hold",
            "queue",
            "parked",
            "details",
            "counter",
            "key",
            "marker",
            "unpack(KEYS)");

    private static final Set<String> WITHOUT_KEYS = Set.of("TIME", "INFO", "PUBSUB", "PUBLISH", "SPUBLISH");
    private static final Set<String> ONLY_KEYS = Set.of("MGET", "EXISTS", "DEL");

    @ParameterizedTest
    @EnumSource(Script.class)
    void header_keysAndArguments_areExactlyThoseThatTheBodyUses(Script script) throws Exception {
        String file = resource(script.fileName());
        assertTrue(file.startsWith("-- " + script.fileName() + ": "), "the first line names the file");
        String body = bodyOf(file);
        Set<String> used = new TreeSet<>(indices(body));
        Matcher locks = LOCK_AT.matcher(body);
        while (locks.find()) {
            int keys = Objects.requireNonNull(KEYS_OF_EACH.get(locks.group(1)));
            String first = locks.group(2).equals("1") ? "1" : keys + locks.group(2) + "-" + (keys - 1);
            for (int i = 0; i < keys; i++) {
                used.add("KEYS " + plus(first, i));
            }
        }
        if (body.contains("unpack(KEYS)")) {
            used.add("KEYS i");
        }
        if (file.contains("-- include common.lua")) {
            Set<String> common = argumentsOf(code(resource("common.lua")));
            assertEquals(Set.of("ARGV 1", "ARGV 2"), common);
            assertTrue(header(file).contains("ARGV[1..2] see common.lua"));
            used.addAll(common);
        }
        assertEquals(used, new TreeSet<>(indices(header(file))));
    }

    @Test
    void header_ofTheCommonPart_documentsItsArguments() throws Exception {
        String file = resource("common.lua");
        assertEquals(argumentsOf(code(file)), new TreeSet<>(indices(header(file))));
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void header_replyWords_areExactlyThoseThatTheBodyReturns(Script script) throws Exception {
        String file = resource(script.fileName());
        Set<String> returned = new TreeSet<>();
        Matcher words = WORD.matcher(withoutCalls(bodyOf(file)).replaceAll("error\\(.*\\)", ""));
        while (words.find()) {
            returned.add(words.group(1));
        }
        Set<String> listed = new TreeSet<>();
        Matcher lines = LISTED_WORD.matcher(header(file));
        while (lines.find()) {
            listed.add(lines.group(1));
        }
        assertEquals(returned, listed);
    }

    @Test
    void header_replyWords_areThoseThatTheClientDecodes() throws Exception {
        assertEquals(names(LockScripts.AcquireWord.values()), listed("acquire.lua"));
        assertEquals(names(LockScripts.ReleaseWord.values()), listed("release.lua"));
        assertEquals(Set.of("HELD", "GONE"), listed("confirm.lua"));
        assertEquals(names(LockScripts.RevokeWord.values()), listed("revoke.lua"));
        Set<String> ofLines = new TreeSet<>(names(LockScripts.AcquireWord.values()));
        ofLines.remove("DONE"); // there are no records of what several may hold
        assertEquals(ofLines, listed("line_acquire.lua"));
        assertEquals(names(LockScripts.ReleaseWord.values()), listed("line_release.lua"));
        assertEquals(Set.of("DOWNGRADED", "GONE"), listed("line_downgrade.lua"));
        assertEquals(Set.of("OK", "RESEND"), listed("line_refresh.lua"));
        assertEquals(Set.of("OK", "RESEND"), listed("refresh.lua"));
        assertEquals(Set.of("GRANTED", "TAKEN"), listed("plain_acquire.lua"));
        assertEquals(Set.of("RELEASED", "GONE"), listed("plain_release.lua"));
        assertEquals(Set.of(), listed("plain_extend.lua"));
        assertEquals(Set.of("HELD", "FREE"), listed("plain_info.lua"));
        assertEquals(names(FenceScript.FenceWord.values()), listed("fence.lua"));
        assertEquals(names(QuorumScripts.QuorumWord.values()), listed("quorum_acquire.lua"));
        assertEquals(Set.of("KNOWS", "FRESH", "OTHER"), listed("memory.lua"));
        assertEquals(Set.of("HELD", "GONE"), listed("quorum_raise.lua"));
        assertEquals(Set.of("RELEASED", "GONE"), listed("quorum_release.lua"));
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void body_clock_isReadByTheFirstStatementAndNeverAgain(Script script) {
        String body = code(script.text());
        assertTrue(body.matches("(?s)\\s*local clock = redis\\.call\\('TIME'\\)\n.*"), body.substring(0, 80));
        assertEquals(1, count(body, "'TIME'"));
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void body_keysOfCommands_areDeclared(Script script) {
        String body = code(script.text());
        int calls = 0;
        Matcher call = CALL.matcher(body);
        while (call.find()) {
            List<String> arguments = arguments(body, call.end());
            String command = arguments.get(0).replace("'", "");
            assertTrue(command.matches("[A-Z]+"), "a command whose name is not written out: " + arguments);
            calls++;
            if (WITHOUT_KEYS.contains(command)) {
                continue;
            }
            int keys = ONLY_KEYS.contains(command) ? arguments.size() : 2;
            for (String key : arguments.subList(1, keys)) {
                assertTrue(isDeclared(key), () -> "not out of KEYS: " + key + " in " + arguments);
            }
        }
        assertTrue(calls > 1, "no calls found: " + calls);
        String uses = body.replaceAll("local function \\w+\\(", "");
        Matcher use = OF_A_KEY.matcher(uses);
        while (use.find()) {
            String key = arguments(uses, use.end()).get(0);
            assertTrue(isDeclared(key), "not out of KEYS: " + key);
        }
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void body_messages_areSentByPcallOnly(Script script) {
        assertFalse(
                code(script.text()).matches("(?s).*redis\\.call\\('S?PUBLISH'.*"),
                "a refused channel must not fail the script");
    }

    /** Whatever a script replies, by whatever way it ends, the time and the call's number are behind it. */
    @ParameterizedTest
    @EnumSource(Script.class)
    void body_reply_isFollowedByTheTimeAndTheLastArgument(Script script) {
        String text = code(script.text());
        assertTrue(text.stripTrailing().endsWith("""

                end
                local words, list = body()
                if words then
                return words .. ' ' .. nowText .. ' ' .. ARGV[#ARGV]
                end
                list[#list + 1] = nowText
                list[#list + 1] = ARGV[#ARGV]
                return list"""), text);
        assertFalse(
                code(script.text().replace("ARGV[#ARGV]", "")).contains("#ARGV"), "a body does not count arguments");
    }

    @Test
    void sha1_ofEveryScript_isThatOfTheBytesThatShip() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-1");
        Map<Script, String> changed = new TreeMap<>();
        for (Script script : Script.values()) {
            assertFalse(script.text().contains("-- include"), "nothing is left to be put in");
            String sha1 = HexFormat.of().formatHex(digest.digest(script.text().getBytes(StandardCharsets.UTF_8)));
            if (!sha1.equals(script.sha1())) {
                changed.put(script, sha1);
            }
        }
        assertEquals(Map.of(), changed, "to be written in Script.java");
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void rules_markedInTheText_areClosed(Script script) {
        int open = 0;
        for (String line : script.text().split("\n", -1)) {
            if (line.strip().startsWith("-- rule ")) {
                assertEquals(0, open++, "rules do not nest: " + line);
            } else if (line.strip().equals("-- end")) {
                assertEquals(1, open--, "an end without a rule");
            }
        }
        assertEquals(0, open);
    }

    /**
     * A fragment is put into a script as it stands, and shares its variables. Its header lists those that it expects, besides what the
     * common parts define, and those that it sets. Functions are not listed.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "read_request.lua",
                "bound_queue.lua",
                "return_parked.lua",
                "enqueue.lua",
                "drop_waiters.lua",
                "leave_tombstone.lua"
            })
    void header_ofAFragment_listsTheVariablesThatItExpectsAndSets(String fragment) throws Exception {
        Set<String> common = new TreeSet<>(LUA);
        for (String part : COMMON) {
            common.addAll(named(DECLARED_OUTSIDE, code(resource(part))));
        }
        String file = resource(fragment);
        String body = code(file).replaceAll("'[^']*'", "''");
        Set<String> inside = named(DECLARED, body);
        inside.addAll(named(LOOPED, body));
        Set<String> expected = named(VARIABLE, body);
        expected.removeAll(inside);
        expected.removeAll(common);
        Set<String> set = named(ASSIGNED, body);
        set.removeAll(inside);
        set.addAll(named(DECLARED_OUTSIDE, body));
        assertEquals(expected, names(file, "Expects"));
        assertEquals(set, names(file, "Sets"));
    }

    private static Set<String> names(String file, String what) {
        Matcher line =
                Pattern.compile("^-- " + what + ": (.*)$", Pattern.MULTILINE).matcher(file);
        assertTrue(line.find(), what);
        return new TreeSet<>(List.of(line.group(1).split(", ")));
    }

    /** The names of lists of names. */
    private static Set<String> named(Pattern pattern, String code) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = pattern.matcher(code);
        while (matcher.find()) {
            names.addAll(List.of(matcher.group(1).strip().split(", ")));
        }
        return names;
    }

    /** The code of a script, with the fragments, without what it includes besides. */
    private static String bodyOf(String file) throws IOException {
        StringBuilder body = new StringBuilder();
        for (String line : file.split("\n", -1)) {
            String part = line.startsWith("-- include ") ? line.substring("-- include ".length()) : "";
            body.append(FRAGMENTS.contains(part) ? code(resource(part)) : code(line));
        }
        return body.toString();
    }

    private static boolean isDeclared(String key) {
        return KEY_NAMES.contains(key) || key.matches("KEYS\\[[^\\]]+\\]|unpack\\(KEYS, .*\\)");
    }

    private static Set<String> names(Enum<?>[] values) {
        Set<String> names = new TreeSet<>();
        Stream.of(values).forEach(value -> names.add(value.name()));
        return names;
    }

    private static Set<String> listed(String file) throws IOException {
        Set<String> listed = new TreeSet<>();
        Matcher lines = LISTED_WORD.matcher(header(resource(file)));
        while (lines.find()) {
            listed.add(lines.group(1));
        }
        return listed;
    }

    /** "KEYS 4i-3" and the like, ranges taken apart. */
    private static List<String> indices(String text) {
        List<String> found = new ArrayList<>();
        Matcher matcher = INDEXED.matcher(text);
        while (matcher.find()) {
            String index = normal(matcher.group(2));
            String array = matcher.group(1) + " ";
            int dots = index.indexOf("..");
            if (index.equals("1..n")) {
                found.add(array + "i");
            } else if (dots > 0) {
                String last = index.substring(dots + 2);
                String at = index.substring(0, dots);
                for (int i = 0; !at.equals(last); i++) {
                    assertTrue(i < 100, "a range without an end: " + index);
                    found.add(array + at);
                    at = plus(index.substring(0, dots), i + 1);
                }
                found.add(array + last);
            } else {
                found.add(array + index);
            }
        }
        return found;
    }

    private static Set<String> argumentsOf(String body) {
        Set<String> arguments = new TreeSet<>(indices(body));
        arguments.removeIf(index -> index.startsWith("KEYS first"));
        return arguments;
    }

    private static String normal(String index) {
        return index.replace(" ", "").replace("*", "");
    }

    /** "5i-4" plus 1 is "5i-3", plus 4 is "5i"; "1" plus 1 is "2". */
    private static String plus(String index, int amount) {
        if (index.matches("\\d+")) {
            return Integer.toString(Integer.parseInt(index) + amount);
        }
        Matcher linear = Pattern.compile("(\\d*[a-z]+)([+-]\\d+)?").matcher(index);
        assertTrue(linear.matches(), index);
        int constant = (linear.group(2) == null ? 0 : Integer.parseInt(linear.group(2))) + amount;
        return linear.group(1) + (constant == 0 ? "" : constant > 0 ? "+" + constant : "" + constant);
    }

    /** The server creates every function of a script again in each call. */
    @ParameterizedTest
    @EnumSource(Script.class)
    void text_sent_definesNoFunctionThatItDoesNotUse(Script script) {
        List<String> unused = new ArrayList<>();
        Matcher function =
                Pattern.compile("^local function (\\w+)", Pattern.MULTILINE).matcher(script.text());
        while (function.find()) {
            long named = Pattern.compile("\\b" + function.group(1) + "\\b")
                    .matcher(script.text())
                    .results()
                    .count();
            if (named < 2) {
                unused.add(function.group(1));
            }
        }
        assertEquals(List.of(), unused);
    }

    /** What only people read is not sent, but for the name of the script and the marks of its rules. */
    @ParameterizedTest
    @EnumSource(Script.class)
    void text_sent_hasNoComments(Script script) {
        List<String> lines = script.text().lines().toList();
        assertTrue(lines.get(0).startsWith("-- " + script.fileName()), lines.get(0));
        List<String> comments = lines.stream()
                .skip(1)
                .filter(line -> line.isBlank() || line.contains("--"))
                .filter(line -> !line.startsWith("-- rule ") && !line.equals("-- end"))
                .toList();
        assertEquals(List.of(), comments);
    }

    private static String header(String file) {
        return file.substring(0, file.indexOf("\n\n"));
    }

    /** Without comments. */
    private static String code(String text) {
        StringBuilder code = new StringBuilder();
        for (String line : text.split("\n", -1)) {
            int comment = line.indexOf("--");
            code.append(comment < 0 ? line : line.substring(0, comment)).append('\n');
        }
        return code.toString();
    }

    private static String withoutCalls(String body) {
        StringBuilder rest = new StringBuilder();
        Matcher call = CALL.matcher(body);
        int from = 0;
        while (call.find(from)) {
            rest.append(body, from, call.start());
            from = end(body, call.end());
        }
        return rest.append(body.substring(from)).toString();
    }

    /** Where the bracket closes that was opened just before {@code from}. */
    private static int end(String body, int from) {
        int depth = 1;
        int at = from;
        while (depth > 0) {
            char c = body.charAt(at++);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        return at;
    }

    private static List<String> arguments(String body, int from) {
        String all = body.substring(from, end(body, from) - 1);
        List<String> arguments = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        for (int i = 0; i < all.length(); i++) {
            char c = all.charAt(i);
            if (c == '(' || c == '{' || c == '[') {
                depth++;
            } else if (c == ')' || c == '}' || c == ']') {
                depth--;
            } else if (c == ',' && depth == 0) {
                arguments.add(all.substring(begin, i).strip());
                begin = i + 1;
            }
        }
        arguments.add(all.substring(begin).strip());
        return arguments;
    }

    private static int count(String text, String part) {
        return (text.length() - text.replace(part, "").length()) / part.length();
    }

    private static String resource(String file) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(Script.class.getResourceAsStream("/io/holdfast/lua/" + file), file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
