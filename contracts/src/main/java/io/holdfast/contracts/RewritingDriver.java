package io.holdfast.contracts;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A driver that rewrites the scripts on their way to the server: for tests in which the server's clock is wrong, or in
 * which one rule of a script is switched off to see that a test notices.
 *
 * <p>A script that is asked for by its SHA-1 and has not passed as text yet is answered with {@code NOSCRIPT}, as by a
 * server that was started just now, so that its text comes. From then on the SHA-1 is translated to that of the rewritten
 * text. Everything else goes to the driver underneath as it is.
 */
public final class RewritingDriver extends ForwardingDriver {
    /** A function of texts, and the rewritten scripts' SHA-1 by that of the original, as far as they have passed. */
    private record Rewriting(UnaryOperator<String> rewrite, Map<String, String> shas) {
        static Rewriting with(UnaryOperator<String> rewrite) {
            return new Rewriting(rewrite, new ConcurrentHashMap<>());
        }
    }

    private final AtomicInteger changed = new AtomicInteger();
    private volatile Rewriting current;

    /**
     * Rewrites what is sent to a driver.
     *
     * @param rewrite takes the text of a script, and returns the text to send in its place; called on any thread
     */
    public RewritingDriver(RedisDriver driver, UnaryOperator<String> rewrite) {
        super(driver);
        this.current = Rewriting.with(rewrite);
    }

    /** Rewrites in another way from now on. */
    public void rewrite(UnaryOperator<String> rewrite) {
        current = Rewriting.with(rewrite);
    }

    /**
     * How many scripts were changed so far: each counts once, and once more after {@link #rewrite}. A test that expects a
     * change to matter checks that this is not zero.
     */
    public int changed() {
        return changed.get();
    }

    /**
     * Lets scripts read a clock that is ahead of the server's, or behind if the offset is negative. Expiries are set as
     * the scripts say: a server whose clock was ahead, and came back, would keep these keys as long.
     */
    public static UnaryOperator<String> clockAhead(Duration offset) {
        String shifted = "(function() local t = redis.call('TIME')"
                + " local m = tonumber(t[1]) * 1000000 + tonumber(t[2]) + (" + offset.toNanos() / 1_000 + ")"
                + " return { string.format('%.0f', math.floor(m / 1000000)), string.format('%.0f', m % 1000000) }"
                + " end)()";
        return text -> withLivesFromItsClock(text.replace("redis.call('TIME')", shifted));
    }

    /**
     * The script, for a clock that is not the server's: what is to last for so long from now on lasts from that clock's time
     * on.
     */
    public static String withLivesFromItsClock(String text) {
        return text.replaceAll("'PX', (\\w+(\\[\\d\\])?)", "'PXAT', math.floor(nowText / 1000) + $1");
    }

    /**
     * Takes out what stands between {@code -- rule name} and the next {@code -- end}, and puts something else there.
     * Scripts without such a rule stay as they are.
     *
     * @param replacement Lua source; empty for nothing
     */
    public static UnaryOperator<String> replacingRule(String name, String replacement) {
        Pattern rule = Pattern.compile(
                "^[ \\t]*-- rule " + Pattern.quote(name) + "\\n.*?^[ \\t]*-- end\\n",
                Pattern.MULTILINE | Pattern.DOTALL);
        String put = Matcher.quoteReplacement(replacement.isEmpty() ? "" : replacement + "\n");
        return text -> rule.matcher(text).replaceAll(put);
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        List<String> words = command.words();
        Rewriting now = current;
        switch (command.name()) {
            case "EVALSHA" -> {
                String sha = now.shas().get(words.get(1));
                return sha == null
                        ? CompletableFuture.failedFuture(
                                DriverException.rejected("NOSCRIPT No matching script: it is to be rewritten"))
                        : driver.send(with(command, sha));
            }
            case "EVAL" -> {
                String text = words.get(1);
                String rewritten = now.rewrite().apply(text);
                if (now.shas().put(FakeDriver.sha1(text), FakeDriver.sha1(rewritten)) == null
                        && !rewritten.equals(text)) {
                    changed.incrementAndGet();
                }
                return driver.send(with(command, rewritten));
            }
            default -> {
                return driver.send(command);
            }
        }
    }

    private static Command with(Command command, String script) {
        List<String> words = new ArrayList<>(command.words());
        words.set(1, script);
        return new Command(command.key(), words);
    }

    /** It rewrites as this one does at the time of the call; {@link #rewrite} and {@link #changed} are of this one only. */
    @Override
    public RedisDriver another(String key) {
        return new RewritingDriver(driver.another(key), current.rewrite());
    }
}
