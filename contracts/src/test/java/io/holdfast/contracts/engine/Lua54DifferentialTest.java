package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.Lua54Scripts;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The scripts of core, called at random, reply and write under Lua 5.4 what they do under Lua 5.1, and send the same messages. Two
 * servers in memory are told the same: one runs the scripts itself, for the other Lua 5.4 does.
 */
@Tag("long")
final class Lua54DifferentialTest implements DrawnCalls.Servers {
    private static final int CALLS = 4_000;
    /** What differs in the keys stays so, mostly, and to look at all of them costs more than a call. */
    private static final int CALLS_BETWEEN_LOOKS = 10;
    /** Lines for errors that a server in memory never raises, or for what hardly ever is there. */
    private static final int MOST_NOT_RUN = 30;

    private static final Pattern LISTED_WORD = Pattern.compile("^--   ([A-Z]{2,})\\b", Pattern.MULTILINE);
    private static final Pattern RAISED = Pattern.compile("error\\('([A-Z]+ [^']*)'");
    private static final Pattern STATEMENT =
            Pattern.compile("^(?!--|local function )(.*[^=]=[^=].*|.*\\(.*|return.*|break)$");
    /** A server in memory always has a run_id. */
    private static final String NEVER_RAISED = "NORUNID the server does not tell its run_id";

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer older = MemoryServer.start(time);
    private final MemoryServer newer = MemoryServer.start(time);
    private final Lua54Scripts lua54 = new Lua54Scripts(words -> newerSays(words.toArray(String[]::new)));
    private final long seed = DifferentialFixture.seed();
    private final Random random = new Random(seed);
    private final Map<Script, Set<String>> words = new EnumMap<>(Script.class);
    private final Set<String> errors = new TreeSet<>();
    private final Map<String, List<RedisDriver>> listening = new TreeMap<>();
    private final List<String> olderMessages = new ArrayList<>();
    private final List<String> newerMessages = new ArrayList<>();
    private int scripts;
    private final List<String> asked = new ArrayList<>();

    @AfterEach
    void close() {
        lua54.close();
        older.close();
        newer.close();
    }

    @Test
    @Timeout(180)
    void scripts_calledAtRandom_replyAndWriteUnderLua54WhatTheyDoUnderLua51() {
        for (Script script : Script.values()) {
            older.command("SCRIPT", "LOAD", script.text());
        }
        DrawnCalls calls = new DrawnCalls(random, this);
        for (int i = 0; i < CALLS; i++) {
            time.advance(
                    random.nextInt(40) == 0
                            ? Duration.ofSeconds(random.nextInt(90))
                            : Duration.ofNanos(random.nextInt(3_000_000)));
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4, 5, 6 -> calls.exclusive();
                case 7 -> calls.adoption();
                case 8, 9 -> calls.quorum();
                case 10 -> calls.fence();
                case 11 -> calls.report();
                default -> calls.line();
            }
        }
        calls.foreignKeys();
        calls.crowd(DrawnCalls.LOCKS.get(0));
        calls.crowd(DrawnCalls.LINES.get(0));
        calls.groups(DrawnCalls.LOCKS.get(0));
        assertSameKeys();
        for (Script script : Script.values()) {
            Set<String> expected = matches(LISTED_WORD, script.text());
            Set<String> seen = words.getOrDefault(script, Set.of());
            assertTrue(seen.size() > 0 && seen.containsAll(expected), () -> script + ": " + seen + ", not " + expected);
            Set<String> raised = matches(RAISED, script.text());
            raised.remove(NEVER_RAISED);
            assertTrue(errors.containsAll(raised), () -> script + ": " + errors + ", not " + raised);
        }
        Set<String> notRun = notRun();
        assertTrue(notRun.size() < MOST_NOT_RUN, () -> "not run:\n" + String.join("\n", notRun));
    }

    /** Lines of statements that ran in no script: of those that several include, one has to run each. */
    private Set<String> notRun() {
        Set<String> ran = new TreeSet<>();
        Set<String> all = new TreeSet<>();
        for (Script script : Script.values()) {
            List<String> lines = script.text().lines().map(String::strip).toList();
            lua54.linesThatRan(script.text()).forEach(line -> ran.add(lines.get(line - 1)));
            all.addAll(lines);
        }
        all.removeAll(ran);
        all.removeIf(line -> !STATEMENT.matcher(line).find());
        return all;
    }

    private static Set<String> matches(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        pattern.matcher(text).results().forEach(match -> found.add(match.group(1)));
        return found;
    }

    // ---- telling both the same

    @Override
    public String both(String... command) {
        asked.add(String.join(" ", command));
        String here = shown(() -> older.command(command));
        assertEquals(here, shown(() -> newerSays(command)), this::history);
        return here;
    }

    @Override
    public String run(Script script, List<String> keys, List<String> args) {
        List<String> numbered = new ArrayList<>(args);
        numbered.add("7");
        asked.add(script + " " + keys + " " + numbered);
        List<String> command = new ArrayList<>(List.of("EVALSHA", script.sha1(), Integer.toString(keys.size())));
        command.addAll(keys);
        command.addAll(numbered);
        String reply = shown(() -> older.command(command.toArray(String[]::new)));
        String other = withoutPlace(lua54.run(script.text(), keys, numbered));
        if (script == Script.INFO || script == Script.LINE_INFO) {
            // A key that is dropped by force makes two waiters of one order, which each Lua sorts in its own way.
            assertEquals(sorted(reply), sorted(other), this::history);
        } else {
            assertEquals(reply, other, this::history);
        }
        if (++scripts % CALLS_BETWEEN_LOOKS == 0) {
            assertSameKeys();
        }
        assertEquals(olderMessages, newerMessages, this::history);
        String word = reply.replaceAll("^\\[*(\\d+ (?=[A-Z]))?", "").replaceAll("[ ,\\]].*", "");
        if (word.equals("error")) {
            errors.add(reply.substring(6));
        }
        words.computeIfAbsent(script, s -> new TreeSet<>()).add(word);
        return reply;
    }

    /** The two tell different names of the process. */
    private Reply newerSays(String... command) {
        Reply reply = newer.command(command);
        return command[0].equals("INFO") ? Reply.of(reply.asString().replace(newer.runId(), older.runId())) : reply;
    }

    private static List<String> sorted(String reply) {
        return Stream.of(reply.split("[ ,\\[\\]]", -1)).sorted().toList();
    }

    private interface Asking {
        Reply ask();
    }

    private static String shown(Asking asking) {
        try {
            return String.valueOf(DifferentialFixture.value(asking.ask()));
        } catch (DriverException e) {
            return withoutPlace("error " + e.getMessage());
        }
    }

    /** An error without the line that it came from, which a text has that was raised by the script, or again. */
    private static String withoutPlace(String reply) {
        return reply.startsWith("error ")
                ? reply.replaceFirst(" script: .*", "")
                        .replaceFirst("^error (ERR )?(user_script:\\d+: )?(ERR )?", "error ")
                : reply;
    }

    private void assertSameKeys() {
        Map<String, List<Object>> here = DifferentialFixture.keyspace(older::command);
        Map<String, List<Object>> there = DifferentialFixture.keyspace(this::newerSays);
        if (!here.equals(there)) {
            here.forEach((key, value) -> assertEquals(value, there.get(key), () -> key + "\n" + history()));
            assertEquals(here.keySet(), there.keySet(), this::history);
        }
    }

    @Override
    public void listen(String client) {
        String channel = "hf:to:" + client;
        List<RedisDriver> open = listening.remove(client);
        if (open != null) {
            open.forEach(RedisDriver::close);
            return;
        }
        RedisDriver one = older.driver();
        one.subscribe(channel, message -> olderMessages.add(channel + " " + message));
        RedisDriver other = newer.driver();
        other.subscribe(channel, message -> newerMessages.add(channel + " " + message));
        listening.put(client, List.of(one, other));
    }

    private String history() {
        return "-Dholdfast.test.seed=" + seed + ", after " + asked.size() + ":\n  "
                + String.join("\n  ", asked.subList(Math.max(0, asked.size() - 12), asked.size()));
    }
}
