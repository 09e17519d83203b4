package io.holdfast.model.conformance;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A real server, which nobody else uses: its database is emptied again and again. For use by one thread. */
public final class DriverScriptServer implements ScriptServer {
    private static final String DRIVER = "jedis";
    private static final String MARK = "mark ";
    /** A script that begins later in a millisecond may end in the next. */
    private static final long LATEST_MICROS = 600;

    private static final long PATIENCE_SECONDS = 10;

    private final RedisDriver driver;
    private final Map<String, String> loaded = new HashMap<>();
    private final Set<String> listening = new LinkedHashSet<>();
    private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
    private final boolean tellsExpiries;
    private List<String> heard = new ArrayList<>();
    private long marks;

    // how far the server's clock, when it was first read, was ahead of ours at the question before: last, and the
    // lesser of two
    private long askedMicros;
    private long lastAhead;
    private long ahead;

    private DriverScriptServer(RedisDriver driver) {
        this.driver = driver;
        if (answer(List.of("DBSIZE")).asLong() > 0) {
            throw new IllegalArgumentException(
                    "the database at " + driver.describe() + " has keys, and would be emptied");
        }
        this.tellsExpiries = answer(List.of("COMMAND", "INFO", "PEXPIRETIME"))
                .asList()
                .get(0)
                .isList();
        soon();
        ask(List.of(QueueBench.TIME));
        ahead = lastAhead;
    }

    /**
     * Connects.
     *
     * @throws IllegalArgumentException if there are keys, which would be lost
     * @throws DriverException if nothing answers there
     */
    public static DriverScriptServer at(RedisAddress address) {
        RedisDriver driver = ServiceLoader.load(RedisDriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(DRIVER))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the driver " + DRIVER + " is not on the class path"))
                .connect(address, ConnectOptions.defaults());
        try {
            return new DriverScriptServer(driver);
        } catch (RuntimeException e) {
            driver.close();
            throw e;
        }
    }

    // ---- time

    @Override
    public long soon() {
        while (Math.floorMod(micros() + ahead, 1_000L) > LATEST_MICROS) {
            Thread.onSpinWait();
        }
        askedMicros = micros();
        return (askedMicros + ahead) / 1_000;
    }

    private static long micros() {
        return System.nanoTime() / 1_000;
    }

    private void readClock(List<List<String>> commands, List<Reply> replies) {
        int first = commands.indexOf(QueueBench.TIME);
        if (first >= 0) {
            long now = QueueBench.microsOf(replies.get(first)) - askedMicros;
            ahead = Math.min(now, lastAhead); // one that was late is no rule
            lastAhead = now;
        }
    }

    // ---- commands

    @Override
    public List<Reply> ask(List<List<String>> commands) {
        List<List<String>> expiries = new ArrayList<>();
        List<CompletableFuture<Reply>> sent = new ArrayList<>();
        for (List<String> words : commands) {
            if (!tellsExpiries && words.get(0).equals("PEXPIRETIME")) {
                expiries.add(List.of("PTTL", words.get(1)));
            } else {
                sent.add(send(words.get(0).equals("EVAL") ? bySha1(words) : words));
            }
        }
        String mark = MARK + ++marks;
        for (String channel : listening) {
            sent.add(send(List.of("PUBLISH", channel, mark)));
        }
        Iterator<CompletableFuture<Reply>> answers = sent.iterator();
        Iterator<Reply> ends = expiries(expiries).iterator();
        List<Reply> replies = new ArrayList<>();
        for (List<String> words : commands) {
            boolean isExpiry = !tellsExpiries && words.get(0).equals("PEXPIRETIME");
            replies.add(isExpiry ? ends.next() : await(answers.next()));
        }
        answers.forEachRemaining(DriverScriptServer::await);
        awaitMarks(mark);
        readClock(commands, replies);
        return replies;
    }

    /** Before 7.0 no command tells when a key expires. Where the clock shows the same millisecond before and after, PTTL does. */
    private List<Reply> expiries(List<List<String>> commands) {
        if (commands.isEmpty()) {
            return List.of();
        }
        while (true) {
            CompletableFuture<Reply> before = send(QueueBench.TIME);
            List<CompletableFuture<Reply>> sent =
                    commands.stream().map(this::send).toList();
            CompletableFuture<Reply> after = send(QueueBench.TIME);
            long now = QueueBench.millisOf(await(before));
            List<Reply> replies = new ArrayList<>();
            for (CompletableFuture<Reply> each : sent) {
                long left = await(each).asLong();
                replies.add(Reply.of(left < 0 ? left : now + left));
            }
            if (QueueBench.millisOf(await(after)) == now) {
                return replies;
            }
        }
    }

    private List<String> bySha1(List<String> words) {
        List<String> known = new ArrayList<>(words);
        known.set(0, "EVALSHA");
        known.set(
                1,
                loaded.computeIfAbsent(
                        words.get(1),
                        text -> answer(List.of("SCRIPT", "LOAD", text)).asString()));
        return known;
    }

    private CompletableFuture<Reply> send(List<String> words) {
        return driver.send(new Command(null, words)).toCompletableFuture();
    }

    private Reply answer(List<String> words) {
        return await(send(words));
    }

    private static <T> T await(CompletableFuture<T> stage) {
        try {
            return stage.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("the server does not answer", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException(e);
    }

    // ---- messages

    @Override
    public void listen(String channel, boolean begin) {
        if (begin) {
            await(driver.subscribe(channel, text -> arrived.add(channel + " " + text))
                    .toCompletableFuture());
            listening.add(channel);
        } else {
            listening.remove(channel);
            await(driver.unsubscribe(channel).toCompletableFuture());
        }
    }

    /** Messages of one channel come in their order: with the mark, all before it have come. */
    private void awaitMarks(String mark) {
        Set<String> missing = new LinkedHashSet<>();
        listening.forEach(channel -> missing.add(channel + " " + mark));
        try {
            while (!missing.isEmpty()) {
                String message = arrived.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (message == null) {
                    throw new IllegalStateException("a message has not come: " + missing);
                }
                if (!missing.remove(message)) {
                    heard.add(message);
                }
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public List<String> heard() {
        List<String> all = heard;
        heard = new ArrayList<>();
        return all;
    }

    @Override
    public void close() {
        try {
            answer(List.of("FLUSHDB"));
        } finally {
            driver.close();
        }
    }
}
