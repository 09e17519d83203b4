package io.holdfast.contracts;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server that does nothing by itself: every command lies here until the test answers it, refuses it, or never does. With
 * {@link VirtualTime} and an executor that runs tasks in the calling thread, a whole client runs in the thread of the test.
 *
 * <p>What a client asks when it connects is answered at once ({@code INFO}, the script {@code info}, subscriptions), as is
 * what {@link #answer} was told to. Scripts are learnt like by a real server: their SHA-1 is refused until the text has
 * come once; calls of them have the name that stands in the first line of the text. For use by one thread.
 *
 * <p>What clients report of themselves is taken aside: no test has to answer that.
 *
 * <p>It knows neither sharded channels nor second connections: it rejects both, as the defaults of {@link RedisDriver} do.
 */
public final class FakeDriver implements RedisDriver {
    private static final Pattern FIRST_LINE = Pattern.compile("-- (\\w+)\\.lua: ");
    private static final String NOBODY = "";

    private final VirtualTime time;
    private final Map<String, String> scripts = new HashMap<>(); // SHA-1 -> name
    private final List<Call> calls = new ArrayList<>(); // all of them, in the order of sending
    private final Map<String, Function<Call, Reply>> answers = new HashMap<>();
    private final Map<String, Consumer<String>> subscriptions = new LinkedHashMap<>();
    private final List<ConnectionListener> listeners = new ArrayList<>();
    private long serverOffsetMicros = 1_790_000_000_000_000L;
    private boolean answersReports = true;
    private boolean commandsUp = true;
    private boolean messagesUp = true;
    private int reconnects;

    /** One command that the client sent. */
    public final class Call {
        private final String name;
        private final List<String> words;
        private final int keys;
        private final Duration sent = time.elapsed();
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();
        private boolean taken;

        private Call(String name, List<String> words, int keys) {
            this.name = name;
            this.words = words;
            this.keys = keys;
        }

        /** The script's name without its ending, or the command's. */
        public String name() {
            return name;
        }

        /** When it was sent, as {@link VirtualTime#elapsed} was then. */
        public Duration sent() {
            return sent;
        }

        /** The declared keys of a script. */
        public List<String> keys() {
            return keys < 0 ? List.of() : words.subList(3, 3 + keys);
        }

        /** The n-th argument, counted from 1 as in the script. */
        public String arg(int n) {
            return words.get((keys < 0 ? 0 : 2 + keys) + n);
        }

        /** The owner that an acquire, a release or a confirmation speaks of. */
        public String owner() {
            return arg(3);
        }

        /** The life of the tombstone that a release asks for, in ms, "0" for none. */
        public String tombstone() {
            return arg(4).isEmpty() ? "0" : arg(4).split(" ", 2)[0];
        }

        /** The part of the owner that is shown. */
        public String publicOwner() {
            return owner().substring(0, owner().indexOf('~'));
        }

        /**
         * Answers it; of a script as its text says, for the time and the call's number are put behind it here. An answer to a
         * command that was answered already is dropped.
         */
        public void answer(Reply answer) {
            taken = true;
            reply.complete(keys < 0 ? answer : numbered(answer));
        }

        private Reply numbered(Reply answer) {
            List<Reply> elements = new ArrayList<>(answer.asList());
            elements.add(Reply.of(serverMicros()));
            elements.add(Reply.of(words.get(words.size() - 1)));
            return Reply.of(elements);
        }

        /** The server refuses it, with an error such as {@code OOM command not allowed}. */
        public void reject(String error) {
            taken = true;
            reply.completeExceptionally(DriverException.rejected(error));
        }

        /** The driver gives it up: the outcome is unknown. */
        public void fail() {
            taken = true;
            reply.completeExceptionally(DriverException.unknown("the connection broke", null));
        }

        @Override
        public String toString() {
            return name + " sent at " + sent;
        }
    }

    /** A server whose clock runs with this time. */
    public FakeDriver(VirtualTime time) {
        this.time = time;
        answer("INFO", call -> Reply.of("redis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:noeviction\r\n"));
        answer("memory", call -> list("KNOWS"));
        answer("PUBSUB", call -> Reply.of(List.of()));
        answer("info", call -> {
            List<Reply> replies = new ArrayList<>();
            for (int i = 0; i < call.keys().size() / 4; i++) {
                replies.add(list(0, "", 0));
            }
            return Reply.of(replies);
        });
    }

    // ---- what was sent

    /**
     * The oldest call of this name that was neither returned by this method nor answered.
     *
     * @throws AssertionError if there is none
     */
    public Call next(String name) {
        for (Call call : calls) {
            if (!call.taken && call.name.equals(name)) {
                call.taken = true;
                return call;
            }
        }
        throw new AssertionError("no call of " + name + "; open: " + open());
    }

    /** The calls that {@link #next} would return, of any name. */
    public List<Call> open() {
        return calls.stream().filter(call -> !call.taken).toList();
    }

    /** All calls of this name so far. */
    public List<Call> calls(String name) {
        return calls.stream().filter(call -> call.name.equals(name)).toList();
    }

    /** How often it was called so far. */
    public int count(String name) {
        return calls(name).size();
    }

    /** How many commands were sent so far. */
    public int count() {
        return calls.size();
    }

    /** Answers all calls of this name at once, also those that are open. */
    public void answer(String name, Function<Call, Reply> how) {
        answers.put(name, how);
        for (Call call : List.copyOf(calls)) {
            if (!call.taken && call.name.equals(name)) {
                call.answer(how.apply(call));
            }
        }
    }

    /** Does not answer reports of clients from now on: a server that answers them is not silent. */
    public void ignoreReports() {
        answersReports = false;
    }

    /** Leaves calls of this name to the test again. */
    public void stopAnswering(String name) {
        answers.remove(name);
    }

    // ---- the server's clock, and the replies of the scripts

    /** The server's clock. */
    public long serverMicros() {
        return serverOffsetMicros + time.elapsed().toNanos() / 1_000;
    }

    /** Sets the server's clock forward, or back. */
    public void stepServerClock(Duration by) {
        serverOffsetMicros += by.toNanos() / 1_000;
    }

    /** acquire: the owner holds the lock. */
    public Reply granted(long token) {
        return list("GRANTED", token, serverMicros(), 0);
    }

    /** acquire: the owner holds the lock, nobody else waits, and its client is told when others want it. */
    public Reply grantedToKeep(long token) {
        return list("GRANTED", token, serverMicros(), 1);
    }

    /** line_acquire: the owner holds the line, and nobody waits. */
    public Reply grantedLine(long token) {
        return list("GRANTED", token, serverMicros());
    }

    /** line_downgrade: the owner reads, and the queue is empty. */
    public Reply downgraded(long token) {
        return list("DOWNGRADED", token, serverMicros());
    }

    /** acquire: the owner waits; the present holder has so much left. */
    public Reply queued(int place, Duration remaining) {
        return acquireReply("QUEUED", place, place, remaining);
    }

    /** acquire: somebody else holds the lock, and the owner does not wait. */
    public Reply taken(Duration remaining) {
        return acquireReply("TAKEN", 0, 0, remaining);
    }

    /** acquire: the owner was ended before; confirm: the owner does not hold the lock with this token. */
    public Reply gone() {
        return list("GONE");
    }

    /** adopted: {@code ADOPTED} or {@code OTHER}. */
    public Reply adopted(String word) {
        return list(word);
    }

    /** adopt: the new owner holds the lock. */
    public Reply adoptedSince(long micros) {
        return list("HELD", micros);
    }

    /** confirm: the owner holds the lock. */
    public Reply held() {
        return list("HELD");
    }

    /** release: nobody holds the lock afterwards. The word is {@code RELEASED}, {@code WITHDRAWN} or {@code GONE}. */
    public Reply released(String word) {
        List<Object> reply = new ArrayList<>(List.of(word));
        reply.addAll(describe(NOBODY, Duration.ZERO, null));
        return list(reply.toArray());
    }

    /** release: the lock went to somebody of another client, for this claim window. */
    public Reply handedOff(Duration claim) {
        List<Object> reply = new ArrayList<>(List.of("RELEASED"));
        reply.addAll(describe("somebody.0-1", claim, null));
        reply.set(5, claim.toMillis());
        return list(reply.toArray());
    }

    /** renew: 1 for each hold that is held, 2 if others want it besides, 0 for each that is gone. */
    public Reply renewed(int... held) {
        return list(Arrays.stream(held).boxed().toArray());
    }

    /** renew: every hold of this call is held. */
    public Reply renewed(Call call) {
        int[] held = new int[call.keys().size()];
        Arrays.fill(held, 1);
        return renewed(held);
    }

    /** refresh: the server knows all waiters of each lock, and somebody else holds it. */
    public Reply refreshed(Call call) {
        return refreshed(call, Duration.ofSeconds(20));
    }

    /** refresh: as {@link #refreshed(Call)}; the holder has so much left. */
    public Reply refreshed(Call call, Duration remaining) {
        return refreshed(call, "OK", remaining, null);
    }

    /** refresh: the server does not know them. */
    public Reply unknownWaiters(Call call) {
        return refreshed(call, "RESEND", Duration.ofSeconds(20), null);
    }

    /** refresh: a claim of this client, which it may not have heard of. */
    public Reply refreshedWithClaim(Call call, Call acquire, long token, Duration claim) {
        return refreshed(
                call,
                "OK",
                Duration.ofSeconds(20),
                List.of(acquire.publicOwner(), token, serverMicros(), claim.toMillis()));
    }

    /** refresh: the queue is empty. */
    public Reply emptyQueue(Call call) {
        return refreshed(call, "OK", 0, Duration.ofSeconds(20), null);
    }

    private Reply refreshed(Call call, String state, Duration remaining, @Nullable List<Object> claim) {
        return refreshed(call, state, 1, remaining, claim);
    }

    private Reply refreshed(Call call, String state, int waiters, Duration remaining, @Nullable List<Object> claim) {
        List<Reply> replies = new ArrayList<>();
        for (int i = 0; i < call.keys().size() / 5; i++) {
            List<Object> one = new ArrayList<>(List.of(state, waiters));
            one.addAll(describe("somebody.0-1", remaining, claim));
            replies.add(list(one.toArray()));
        }
        return Reply.of(replies);
    }

    private Reply acquireReply(String word, int place, int waiters, Duration remaining) {
        List<Object> reply = new ArrayList<>(List.of(word, place, waiters));
        reply.addAll(describe("somebody.0-1", remaining, null));
        return list(reply.toArray());
    }

    /** What {@code describe} of the scripts tells. */
    private List<Object> describe(String holder, Duration remaining, @Nullable List<Object> claim) {
        List<Object> told = new ArrayList<>(claim == null ? List.of("", "", "", "") : claim);
        told.addAll(List.of(0, 0));
        if (!holder.equals(NOBODY)) {
            told.addAll(List.of(remaining.toMillis(), holder, 5, serverMicros(), 30_000, "app/host/1/main"));
        }
        return told;
    }

    private static Reply list(Object... values) {
        List<Reply> replies = new ArrayList<>();
        for (Object value : values) {
            replies.add(value instanceof Number number ? Reply.of(number.longValue()) : Reply.of(value.toString()));
        }
        return Reply.of(replies);
    }

    // ---- messages

    /** Delivers a message on every channel that the client listens to. */
    public void message(String text) {
        List.copyOf(subscriptions.values()).forEach(subscriber -> subscriber.accept(text));
    }

    /** Tells by message that a request was handed the lock now, or, if {@code ago} is positive, some time ago; others wait. */
    public void grant(Call acquire, long token, Duration claim, Duration ago) {
        grant(acquire, token, claim, ago, 0);
    }

    /** The same, where nobody else waits, so that the client is told when others want the lock. */
    public void grantToKeep(Call acquire, long token, Duration claim, Duration ago) {
        grant(acquire, token, claim, ago, 1);
    }

    private void grant(Call acquire, long token, Duration claim, Duration ago, int kept) {
        message("G " + acquire.publicOwner() + " " + token + " " + (serverMicros() - ago.toNanos() / 1_000) + " "
                + claim.toMillis() + " " + kept + " " + acquire.keys().get(0));
    }

    // ---- connections

    /** Both connections break: what is under way fails. */
    public void disconnect() {
        commands(false);
        messages(false);
    }

    /** Both connections are back, the one for messages with its subscriptions. */
    public void restore() {
        commands(true);
        messages(true);
    }

    /** How often the client has given its connections up. */
    public int reconnects() {
        return reconnects;
    }

    /** The connection for commands breaks, or comes back, alone. */
    public void commands(boolean up) {
        commandsUp = up;
        if (!up) {
            List.copyOf(calls).forEach(Call::fail);
        }
        List.copyOf(listeners).forEach(up ? ConnectionListener::commandsUp : ConnectionListener::commandsDown);
    }

    /** The connection for messages breaks, or comes back, alone. */
    public void messages(boolean up) {
        messagesUp = up;
        List.copyOf(listeners).forEach(up ? ConnectionListener::messagesUp : ConnectionListener::messagesDown);
    }

    // ---- the port

    @Override
    public CompletionStage<Reply> send(Command command) {
        List<String> words = command.words();
        if (!commandsUp) {
            return CompletableFuture.failedFuture(DriverException.unknown("not connected", null));
        }
        if (words.stream().anyMatch(word -> word.contains(LockSuite.REPORTS))) {
            if (!answersReports) {
                return new CompletableFuture<>();
            }
            boolean isScript = command.name().startsWith("EVAL");
            return CompletableFuture.completedFuture(
                    isScript ? list("KEPT", serverMicros(), words.get(words.size() - 1)) : Reply.of(List.of()));
        }
        Call call;
        switch (command.name()) {
            case "EVALSHA" -> {
                String script = scripts.get(words.get(1));
                if (script == null) {
                    return CompletableFuture.failedFuture(DriverException.rejected("NOSCRIPT No matching script"));
                }
                call = new Call(script, words, Integer.parseInt(words.get(2)));
            }
            case "EVAL" -> {
                Matcher first = FIRST_LINE.matcher(words.get(1));
                if (!first.lookingAt()) {
                    throw new AssertionError("a script without a name: " + words.get(1));
                }
                scripts.put(sha1(words.get(1)), first.group(1));
                call = new Call(first.group(1), words, Integer.parseInt(words.get(2)));
            }
            default -> call = new Call(command.name(), words, -1);
        }
        calls.add(call);
        Function<Call, Reply> answer = answers.get(call.name);
        if (answer != null) {
            call.answer(answer.apply(call));
        }
        return call.reply;
    }

    static String sha1(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        if (!messagesUp) {
            return CompletableFuture.failedFuture(DriverException.unknown("not connected", null));
        }
        subscriptions.put(channel, onMessage);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        subscriptions.remove(channel);
        return CompletableFuture.completedFuture(null);
    }

    /** The client gives its connections up: they break, and are back at once. */
    @Override
    public void reconnect() {
        reconnects++;
        disconnect();
        restore();
    }

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
    }

    @Override
    public String describe() {
        return "fake:6379";
    }

    @Override
    public void close() {
        commandsUp = false;
        List.copyOf(calls).forEach(Call::fail);
    }
}
