package io.holdfast.contracts.engine;

import io.holdfast.contracts.RewritingDriver;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A driver to a real server that is turned by hand: a command runs on the server at once, in the calling thread, unless
 * the test says what becomes of it; messages are received by the test, which passes them on when it wants to. For use by
 * one thread.
 */
final class HandDriver implements RedisDriver {
    /** What becomes of a script call. */
    enum Fate {
        /** It runs, and the answer is lost. */
        ANSWER_LOST,
        /** It runs, and the answer lies here until the test passes it on. */
        ANSWER_HELD,
        /** It lies here, as if on its way, until the test runs it. */
        REQUEST_HELD,
        /** It never runs, and the client hears that it did nothing. */
        PRETENDED
    }

    /** A call that the test holds in its hands. */
    final class Held {
        private final Command command;
        private final CompletableFuture<Reply> future = new CompletableFuture<>();
        private @Nullable Reply reply;

        private Held(Command command) {
            this.command = command;
        }

        /** The request arrives at the server; the answer is held. */
        Reply run() {
            Reply answer = HandDriver.this.run(command);
            reply = answer;
            return answer;
        }

        /** The answer arrives. */
        void answer() {
            future.complete(Objects.requireNonNull(reply, "it has not run"));
        }

        /** The answer to another call arrives in its place, as after a mistake in counting. */
        void answer(Reply ofAnother) {
            future.complete(ofAnother);
        }

        /** The last argument, which is to stand behind the answer. */
        String number() {
            return command.words().get(command.words().size() - 1);
        }

        /** No answer arrives, and the client hears of it. */
        void fail() {
            future.completeExceptionally(DriverException.unknown("lost on purpose", null));
        }
    }

    private final RespClient connection;
    private final RespClient mailbox;
    private final RewritingDriver rewriting;
    private final Map<Script, Deque<Fate>> fates = new EnumMap<>(Script.class);
    private final Map<Script, Fate> lasting = new EnumMap<>(Script.class);
    private final Map<Script, Deque<Held>> held = new EnumMap<>(Script.class);
    private final Map<Script, Runnable> afterRun = new EnumMap<>(Script.class);
    private @Nullable Consumer<String> subscriber;
    private @Nullable ConnectionListener listener;
    private int reconnects;

    /** Scripts are rewritten on their way, where a rule is to be switched off. */
    HandDriver(RedisServer server, UnaryOperator<String> rewrite) {
        connection = server.connect();
        mailbox = server.connect();
        rewriting = new RewritingDriver(new Direct(), rewrite);
    }

    // ---- what the test does

    /** The next call of a script has this fate. */
    void next(Script script, Fate fate) {
        fates.computeIfAbsent(script, s -> new ArrayDeque<>()).add(fate);
    }

    /** All calls of a script have this fate. */
    void always(Script script, Fate fate) {
        lasting.put(script, fate);
    }

    /** Calls of a script run again. */
    void release(Script script) {
        lasting.remove(script);
    }

    /** The oldest call of a script that is held, which is the test's from now on. */
    Held held(Script script) {
        Held oldest = held.computeIfAbsent(script, s -> new ArrayDeque<>()).poll();
        if (oldest == null) {
            throw new AssertionError("no call of " + script + " is held");
        }
        return oldest;
    }

    /** Does something each time a script has run on the server, before the client hears of it. */
    void afterRun(Script script, Runnable hook) {
        afterRun.put(script, hook);
    }

    /** The next message that the server sent to this client. */
    String receive() {
        return mailbox.read().asList().get(2).asString();
    }

    /** Passes a message on to the client. */
    void deliver(String message) {
        Objects.requireNonNull(subscriber, "nothing is subscribed").accept(message);
    }

    /** Tells the client that its connection broke and came back, perhaps to another server. */
    void reconnected() {
        ConnectionListener told = Objects.requireNonNull(listener);
        told.commandsDown();
        told.commandsUp();
    }

    /** How often the client has given its connections up. */
    int reconnects() {
        return reconnects;
    }

    /** How many scripts the switched-off rule has changed. */
    int changed() {
        return rewriting.changed();
    }

    // ---- the port

    @Override
    public CompletionStage<Reply> send(Command command) {
        Script script = scriptOf(command);
        if (script == null) {
            return rewriting.send(command);
        }
        Deque<Fate> queued = fates.get(script);
        Fate fate = queued == null || queued.isEmpty() ? lasting.get(script) : queued.poll();
        Held call = new Held(command);
        if (fate == null) {
            try {
                call.run();
            } catch (DriverException e) {
                return CompletableFuture.failedFuture(e);
            }
            Runnable hook = afterRun.get(script);
            if (hook != null) {
                hook.run();
            }
            call.answer();
            return call.future;
        }
        switch (fate) {
            case ANSWER_LOST -> {
                call.run();
                call.fail();
            }
            case ANSWER_HELD -> {
                call.run();
                held.computeIfAbsent(script, s -> new ArrayDeque<>()).add(call);
            }
            case REQUEST_HELD ->
                held.computeIfAbsent(script, s -> new ArrayDeque<>()).add(call);
            case PRETENDED -> {
                List<Reply> nothing = new ArrayList<>(List.of(Reply.of("GONE")));
                for (int i = 0; i < 8; i++) {
                    nothing.add(Reply.of(""));
                }
                nothing.addAll(List.of(Reply.of(0), Reply.of(0), Reply.of(1))); // the last: the time
                nothing.add(Reply.of(command.words().get(command.words().size() - 1)));
                call.future.complete(Reply.of(nothing));
            }
        }
        return call.future;
    }

    private static @Nullable Script scriptOf(Command command) {
        if (command.words().size() < 2) {
            return null;
        }
        for (Script script : Script.values()) {
            String second = command.words().get(1);
            if (second.equals(script.sha1()) || second.equals(script.text())) {
                return script;
            }
        }
        return null;
    }

    private Reply run(Command command) {
        try {
            return join(rewriting.send(command));
        } catch (DriverException e) {
            Script script = scriptOf(command);
            if (!e.code().equals("NOSCRIPT") || script == null) {
                throw e;
            }
            List<String> words = new ArrayList<>(command.words());
            words.set(0, "EVAL");
            words.set(1, script.text());
            return join(rewriting.send(new Command(command.key(), words)));
        }
    }

    private static Reply join(CompletionStage<Reply> stage) {
        CompletableFuture<Reply> unwrapped = new CompletableFuture<>();
        DriverException[] failed = new DriverException[1];
        stage.whenComplete((reply, failure) -> {
            if (failure instanceof DriverException e) {
                failed[0] = e;
            } else {
                unwrapped.complete(reply);
            }
        });
        if (failed[0] != null) {
            throw failed[0];
        }
        return unwrapped.join();
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        subscriber = onMessage;
        mailbox.command("SUBSCRIBE", channel);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void reconnect() {
        reconnects++;
    }

    @Override
    public void listen(ConnectionListener events) {
        listener = events;
    }

    @Override
    public String describe() {
        return "the server under test";
    }

    @Override
    public void close() {
        connection.close();
        mailbox.close();
    }

    /** The connection itself. */
    private final class Direct implements RedisDriver {
        @Override
        public CompletionStage<Reply> send(Command command) {
            try {
                return CompletableFuture.completedFuture(
                        connection.command(command.words().toArray(String[]::new)));
            } catch (DriverException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> unsubscribe(String channel) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void reconnect() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void listen(ConnectionListener events) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String describe() {
            return "direct";
        }

        @Override
        public void close() {}
    }
}
