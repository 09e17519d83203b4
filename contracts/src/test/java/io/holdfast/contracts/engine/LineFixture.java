package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.holdfast.contracts.RewritingDriver;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * The scripts of lines on a real server, called one by one. Their clock is as far ahead of the server's as the test says, so that
 * nothing has to be waited for. An owner is "C.0-1~s"; its first letter is its client.
 */
@SuppressWarnings("NullAway.Init") // the server is started before the tests
abstract class LineFixture {
    static final String SOUND = "";
    static final Keys LINE = Keys.of("hf", Keys.Kind.READ_WRITE, "a");
    static final String W = "W:1:0";
    static final String R = "R:1:0";
    static final Duration TERM = Duration.ofSeconds(30);
    static final Duration CLAIM = Duration.ofSeconds(1);

    static final String A = "A.0-1~s";
    static final String A2 = "A.0-2~s"; // of the same client
    static final String B = "B.0-1~s";
    static final String C = "C.0-1~s";
    static final String D = "D.0-1~s";
    static final String E = "E.0-1~s";

    static RedisServer server;

    private Duration ahead = Duration.ZERO;
    private UnaryOperator<String> rewrite = UnaryOperator.identity();

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    final void startAnew() {
        server.command("FLUSHALL");
        ahead = Duration.ZERO;
        rewrite = UnaryOperator.identity();
    }

    /** So many of so many permits. */
    static String permits(int weight, int limit) {
        return "P:" + weight + ":" + limit;
    }

    final void advance(Duration by) {
        ahead = ahead.plus(by);
    }

    /** What a scenario finds wrong. */
    interface Scenario {
        String play();
    }

    /** Plays a scenario with a rule, when nothing may be found, and without it, when something must be. */
    final void assertNeeded(String rule, String otherwise, Scenario scenario) {
        assertNeeded(RewritingDriver.replacingRule(rule, otherwise), scenario);
    }

    final void assertNeeded(UnaryOperator<String> without, Scenario scenario) {
        assertEquals(SOUND, scenario.play(), "with the rule");
        startAnew();
        rewrite = without;
        String found = scenario.play();
        assertNotEquals(SOUND, found, "without the rule nothing was found: the scenario proves nothing");
        System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> "found without the rule: " + found);
    }

    // ---- the scripts

    final List<String> words(Reply reply) {
        return List.of(reply.asString().split(" ", -1));
    }

    final Reply call(Script script, List<String> keys, String... args) {
        String text = RewritingDriver.clockAhead(ahead).apply(rewrite.apply(script.text()));
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(List.of(args));
        words.add("7"); // the call's number
        return server.command(words.toArray(String[]::new));
    }

    private Reply callOf(Script script, List<String> keys, String client, String... args) {
        List<String> all = new ArrayList<>(List.of(client + " 30000 hf:to:", "3600000"));
        all.addAll(List.of(args));
        return call(script, keys, all.toArray(String[]::new));
    }

    /** Asks, and queues if the request is not granted. */
    final List<String> ask(String owner, String asked) {
        return ask(owner, asked, TERM, "1 0 0 F 0 T " + CLAIM.toMillis());
    }

    final List<String> ask(String owner, String asked, Duration term, String queueing) {
        return words(callOf(
                Script.LINE_ACQUIRE,
                LINE.allToAcquire(owner),
                owner.substring(0, 1),
                owner,
                Long.toString(term.toMillis()),
                term.toMillis() + " x/x",
                asked,
                queueing));
    }

    /** Asks, and does not queue. */
    final String tryAsk(String owner, String asked) {
        return ask(owner, asked, TERM, "0 0 0 F 0 T " + CLAIM.toMillis()).get(0);
    }

    /** Takes what is free; answers the token. */
    final long take(String owner, String asked) {
        return take(owner, asked, TERM);
    }

    final long take(String owner, String asked, Duration term) {
        List<String> words = ask(owner, asked, term, "0 0 0 F 0 T " + CLAIM.toMillis());
        assertEquals("GRANTED", words.get(0));
        return Long.parseLong(words.get(1));
    }

    final void queue(String owner, String asked) {
        assertEquals("QUEUED", ask(owner, asked).get(0));
    }

    final List<String> release(String owner) {
        return release(owner, "0 0 0 0");
    }

    final List<String> release(String owner, String how) {
        return words(callOf(Script.LINE_RELEASE, LINE.allWithTombstone(owner), owner.substring(0, 1), owner, how));
    }

    /** The client of the first reports, or checks if it names none. */
    final List<String> refresh(String client, String... owners) {
        Reply reply = callOf(
                Script.LINE_REFRESH,
                LINE.all(),
                client,
                "0",
                Integer.toString(owners.length),
                String.join(" ", owners));
        return words(reply.asList().get(0));
    }

    final boolean confirm(String owner) {
        return words(callOf(
                        Script.LINE_CONFIRM,
                        LINE.all(),
                        owner.substring(0, 1),
                        owner + " " + tokenOf(owner) + " " + TERM.toMillis()))
                .get(0)
                .equals("1");
    }

    final List<String> renew(String owner, long token) {
        return words(call(
                Script.LINE_RENEW,
                List.of(LINE.members(), LINE.hold()),
                publicOf(owner) + " " + token + " " + TERM.toMillis()));
    }

    final List<String> downgrade(String owner, long token) {
        return words(callOf(
                Script.LINE_DOWNGRADE,
                LINE.all(),
                owner.substring(0, 1),
                owner,
                Long.toString(token),
                Long.toString(TERM.toMillis())));
    }

    final List<String> info() {
        return words(callOf(Script.LINE_INFO, LINE.all(), "I", "100").asList().get(0));
    }

    /** An operator's limit; -1 for none. */
    final List<String> limit(int permits) {
        return limit(permits, Duration.ofMinutes(10));
    }

    final List<String> limit(int permits, Duration forHowLong) {
        return words(callOf(
                Script.LINE_LIMIT,
                LINE.all(),
                "I",
                Integer.toString(permits),
                Long.toString(forHowLong.toMillis()),
                "x/x"));
    }

    // ---- what is there

    private static String publicOf(String owner) {
        return owner.substring(0, owner.indexOf('~'));
    }

    /** Whether an owner holds, whether it has heard of it or not. */
    final boolean holds(String owner) {
        return holdOf(owner).length > 1;
    }

    private static String[] holdOf(String owner) {
        Reply hold = server.command("HGET", LINE.hold(), publicOf(owner));
        return hold.isNull() ? new String[0] : hold.asString().split(" ", -1);
    }

    final long tokenOf(String owner) {
        return Long.parseLong(holdOf(owner)[1]);
    }

    /** Whether it stands in the queue, or aside. */
    final boolean waits(String owner) {
        return !server.command("ZSCORE", LINE.queue(), owner).isNull()
                || !server.command("ZSCORE", LINE.parked(), owner).isNull();
    }

    final long count(String... command) {
        return server.command(command).asLong();
    }
}
