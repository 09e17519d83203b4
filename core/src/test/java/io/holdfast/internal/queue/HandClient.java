package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.Faces;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.quorum.QuorumClient;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Script;
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
public final class HandClient {
    /** A script that the client has called and that nobody has answered. */
    public record Call(Script script, List<String> words, CompletableFuture<Reply> reply) {
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

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Call> open = new ArrayList<>(); // guarded by lock, as are the next three
    private final List<Call> sent = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private long now = Long.sum(Long.MAX_VALUE, -1_000_000_000L); // the clock overflows after a second
    private final AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
    private final AtomicReference<@Nullable Runnable> atTheTime = new AtomicReference<>();
    private final AtomicInteger readings = new AtomicInteger();
    private final AtomicInteger drawn = new AtomicInteger();
    private final HoldfastOptions options =
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCommandTimeout(Duration.ofMinutes(1));
    private final Environment environment = new Environment(this::readTime, HandTimers::new, this::draw);
    public final Client client;

    public HandClient() {
        client = new Client(new Driver(), options, environment);
        client.queue.mailboxes.open();
    }

    /** A client of three such servers, in the same time. */
    public QuorumClient quorum() {
        return quorum(new Driver(), new Driver(), new Driver());
    }

    /** A client of a quorum whose only node is this server. */
    public QuorumClient quorumOfOne() {
        return quorum(new Driver());
    }

    private QuorumClient quorum(RedisDriver... drivers) {
        return new QuorumClient(List.of(drivers), QuorumOptions.defaults().withClient(options), environment);
    }

    private byte[] draw(int count) {
        byte[] bytes = new byte[count];
        bytes[0] = (byte) drawn.incrementAndGet();
        return bytes;
    }

    // ---- time

    private long readTime() {
        if (readings.decrementAndGet() == 0) {
            Runnable does = atTheTime.getAndSet(null);
            if (does != null) {
                does.run();
            }
        }
        return now();
    }

    /** Another thread does something, once, when the client reads the clock for the n-th time from now on. Answers whether it has. */
    public void whenTheTimeIsRead(int nth, Runnable does) {
        atTheTime.set(does);
        readings.set(nth);
    }

    public long now() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    /** Moves the clock, and runs nothing. */
    public void pass(Duration time) {
        lock.lock();
        try {
            now += time.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Runs what is due, in the order of time, until nothing is. */
    public void runDue() {
        for (Runnable due = nextDue(); due != null; due = nextDue()) {
            due.run();
        }
    }

    /** Takes what is due next; null if nothing is. */
    @Nullable
    public Runnable nextDue() {
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
    public void whileATimerIsSet(Runnable does) {
        meanwhile.set(does);
    }

    // ---- the server

    /** Takes the oldest open call; null if there is none. */
    public @Nullable Call next() {
        lock.lock();
        try {
            return open.isEmpty() ? null : open.remove(0);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the oldest open call of a script about an owner; null if there is none. */
    @Nullable
    public Call next(Script script, String owner) {
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

    /** Whether a call is open. */
    boolean isAsked() {
        lock.lock();
        try {
            return !open.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** How many calls of a script about an owner were sent so far. */
    public int count(Script script, String owner) {
        return (int) calls().stream()
                .filter(call -> call.script() == script && call.isAbout(owner))
                .count();
    }

    /** How many calls of a script about an owner are open. */
    public int open(Script script, String owner) {
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
    public void answerAll() {
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
    public List<Call> calls() {
        lock.lock();
        try {
            return List.copyOf(sent);
        } finally {
            lock.unlock();
        }
    }

    public static void fail(Call call) {
        call.reply().completeExceptionally(DriverException.unknown("lost on purpose", null));
    }

    public static Reply granted(long token) {
        return list("GRANTED", token, 1_000_000L, 0);
    }

    /** The message of a handoff, whose grant has the token of {@link #lease}. */
    static String handoff(String owner, Keys keys) {
        return "G " + OwnerIds.publicPart(owner) + " 7 1000000 1000 0 " + keys.hold();
    }

    public static Reply queued() {
        return list("QUEUED", 1, 1, "", "", "", "", 0, 0, 20_000L, "somebody.0-1", 5, 1L, 30_000L, "a/b/c/d");
    }

    /** Of a server that has its memory. */
    public static Reply knows() {
        return list("KNOWS");
    }

    public static Reply released() {
        return list("RELEASED", "", "", "", "", 0, 0);
    }

    public static Reply held() {
        return list("HELD");
    }

    public static Reply renewed() {
        return list(1);
    }

    /** The answer to a call that confirms several grants: those with an odd token are held. */
    static Reply oddAreHeld(Call call) {
        String[] entries = call.words().get(call.words().size() - 2).split(" ", -1); // owner, token and term of each
        List<Object> held = new ArrayList<>();
        for (int i = 1; i < entries.length; i += 3) {
            held.add(Long.parseLong(entries[i]) % 2);
        }
        return list(held.toArray());
    }

    private static Reply list(Object... values) {
        List<Reply> replies = new ArrayList<>();
        for (Object value : values) {
            replies.add(value instanceof Number number ? Reply.of(number.longValue()) : Reply.of(value.toString()));
        }
        return Reply.of(replies);
    }

    // ---- requests

    public Request request(String lock, LockOptions options, Wait wait, String actor) {
        return new Request(
                client.queue, Demand.of(Keys.of(client.kit.options.prefix(), lock), options, wait, false, actor), 1);
    }

    /** A lease of a free lock. */
    public Lease lease(String lock, LockOptions options) {
        Request request = request(lock, options, Wait.none(), "actor");
        CompletableFuture<Attempt<Handle>> outcome = request.start();
        Call acquire = next(Script.ACQUIRE, request.owner);
        if (acquire == null) {
            throw new AssertionError("it was not asked for");
        }
        acquire.reply().complete(granted(7));
        return Faces.lease(outcome.join().orElseThrow());
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
