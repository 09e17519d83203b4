package io.holdfast;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client over a server, timers and a clock that a test turns by hand, from any number of threads. Small, so that every
 * interleaving of the threads can be gone through.
 */
final class HandClient {
    /** A script that the client has called and that nobody has answered. */
    record Call(Script script, List<String> words, CompletableFuture<Reply> reply) {
        /** The n-th argument after the keys, from 0. */
        String arg(int n) {
            return words.get(3 + Integer.parseInt(words.get(2)) + n);
        }

        boolean isAbout(String owner) {
            return words.contains(owner);
        }
    }

    private static final class Task {
        final long due;
        final Runnable run;

        Task(long due, Runnable run) {
            this.due = due;
            this.run = run;
        }
    }

    private static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCommandTimeout(Duration.ofMinutes(1));

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Call> open = new ArrayList<>(); // guarded by lock, as are the next three
    private final List<Call> sent = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private long now = Long.sum(Long.MAX_VALUE, -1_000_000_000L); // the clock overflows after a second
    private final AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
    private final AtomicInteger drawn = new AtomicInteger();
    final Client client;

    HandClient() {
        client = new Client(new Driver(), OPTIONS, environment());
        client.queue.mailboxes.open();
    }

    /** A client of a quorum whose only node is this server. */
    QuorumClient quorum() {
        QuorumClient quorum =
                new QuorumClient(List.of(new Driver()), QuorumOptions.defaults().withClient(OPTIONS), environment());
        if (!quorum.nodes.get(0).begin().isDone()) {
            throw new AssertionError("it was not looked at");
        }
        return quorum;
    }

    private Environment environment() {
        return new Environment(this::now, HandTimers::new, this::draw);
    }

    private byte[] draw(int count) {
        byte[] bytes = new byte[count];
        bytes[0] = (byte) drawn.incrementAndGet();
        return bytes;
    }

    // ---- time

    long now() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    /** Moves the clock, and runs nothing. */
    void pass(Duration time) {
        lock.lock();
        try {
            now += time.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Runs what is due, in the order of time, until nothing is. */
    void runDue() {
        for (Runnable due = nextDue(); due != null; due = nextDue()) {
            due.run();
        }
    }

    /** Takes what is due next; null if nothing is. */
    @Nullable
    Runnable nextDue() {
        lock.lock();
        try {
            Task first = null;
            for (Task task : tasks) {
                if (task.due - now <= 0 && (first == null || task.due - first.due < 0)) {
                    first = task;
                }
            }
            if (first != null) {
                tasks.remove(first);
            }
            return first == null ? null : first.run;
        } finally {
            lock.unlock();
        }
    }

    /** Another thread does something, once, while the next timer is being set. */
    void whileATimerIsSet(Runnable does) {
        meanwhile.set(does);
    }

    // ---- the server

    /** Takes the oldest open call; null if there is none. */
    @Nullable
    Call next() {
        lock.lock();
        try {
            return open.isEmpty() ? null : open.remove(0);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the oldest open call of a script about an owner; null if there is none. */
    @Nullable
    Call next(Script script, String owner) {
        lock.lock();
        try {
            for (Call call : open) {
                if (call.script() == script && call.isAbout(owner)) {
                    open.remove(call);
                    return call;
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** How many calls of a script about an owner were sent so far. */
    int count(Script script, String owner) {
        return (int) calls().stream()
                .filter(call -> call.script() == script && call.isAbout(owner))
                .count();
    }

    /** How many calls of a script about an owner are open. */
    int open(Script script, String owner) {
        lock.lock();
        try {
            return (int) open.stream()
                    .filter(call -> call.script() == script && call.isAbout(owner))
                    .count();
        } finally {
            lock.unlock();
        }
    }

    /** Answers what is open, and what is sent because of that: the lock is granted, held, and released. */
    void answerAll() {
        for (Call call = next(); call != null; call = next()) {
            switch (call.script()) {
                case ACQUIRE -> call.reply().complete(granted(7));
                case CONFIRM -> call.reply().complete(held());
                case RELEASE -> call.reply().complete(released());
                default -> fail(call);
            }
        }
    }

    /** All calls so far. */
    List<Call> calls() {
        lock.lock();
        try {
            return List.copyOf(sent);
        } finally {
            lock.unlock();
        }
    }

    static void fail(Call call) {
        call.reply().completeExceptionally(DriverException.unknown("lost on purpose", null));
    }

    static Reply granted(long token) {
        return list("GRANTED", token, 1_000_000L, 0);
    }

    static Reply queued() {
        return list("QUEUED", 1, 1, "somebody.0-1", 5, 1L, 20_000L, "a/b/c/d", "", "", "", 0, 0);
    }

    static Reply released() {
        return list("RELEASED", "", "", "", "", "", "", "", "", 0, 0);
    }

    static Reply held() {
        return list("HELD");
    }

    static Reply renewed() {
        return list(1);
    }

    private static Reply list(Object... values) {
        List<Reply> replies = new ArrayList<>();
        for (Object value : values) {
            replies.add(value instanceof Number number ? Reply.of(number.longValue()) : Reply.of(value.toString()));
        }
        return Reply.of(replies);
    }

    // ---- requests

    Request request(String lock, LockOptions options, Wait wait, String actor) {
        return new Request(
                client.queue, Demand.of(Keys.of(client.kit.options.prefix(), lock), options, wait, false, actor), 1);
    }

    /** A lease of a free lock. */
    Lease lease(String lock, LockOptions options) {
        Request request = request(lock, options, Wait.none(), "actor");
        CompletableFuture<Answer<Attempt>> outcome = request.start();
        Call acquire = next(Script.ACQUIRE, request.owner);
        if (acquire == null) {
            throw new AssertionError("it was not asked for");
        }
        acquire.reply().complete(granted(7));
        Handle handle = outcome.join().handle();
        if (handle == null) {
            throw new AssertionError("no lease: " + outcome);
        }
        return new Lease(handle);
    }

    private final class HandTimers implements Timers {
        @Override
        public Runnable schedule(long delayNanos, Runnable run) {
            Runnable first = meanwhile.getAndSet(null);
            if (first != null) {
                first.run();
            }
            lock.lock();
            try {
                Task task = new Task(now + Math.max(0, delayNanos), run);
                tasks.add(task);
                return () -> withdraw(task);
            } finally {
                lock.unlock();
            }
        }

        private void withdraw(Task task) {
            lock.lock();
            try {
                tasks.remove(task);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private final class Driver implements RedisDriver {
        @Override
        public CompletionStage<Reply> send(Command command) {
            if (command.name().equals("INFO")) {
                return CompletableFuture.completedFuture(Reply.of("redis_version:7.0.15\r\nrole:master\r\n"));
            }
            for (Script script : Script.values()) {
                if (command.words().get(1).equals(script.sha1())) {
                    Call call = new Call(script, command.words(), new CompletableFuture<>());
                    lock.lock();
                    try {
                        open.add(call);
                        sent.add(call);
                    } finally {
                        lock.unlock();
                    }
                    // As the server does, behind the reply the time and the call's number.
                    return call.reply().thenApply(reply -> {
                        List<Reply> numbered = new ArrayList<>(reply.asList());
                        numbered.add(Reply.of(1_000_000L));
                        numbered.add(
                                Reply.of(command.words().get(command.words().size() - 1)));
                        return Reply.of(numbered);
                    });
                }
            }
            throw new AssertionError("no script: " + command);
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> unsubscribe(String channel) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void reconnect() {}

        @Override
        public void listen(ConnectionListener listener) {}

        @Override
        public String describe() {
            return "hand:6379";
        }

        @Override
        public void close() {}
    }
}
