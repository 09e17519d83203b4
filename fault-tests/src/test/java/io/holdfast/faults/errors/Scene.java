package io.holdfast.faults.errors;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.PlainLease;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Two clients of one server in virtual time, what their callers ask, and what becomes of it. Callers behave: what they obtain they
 * release, and they release again if that threw.
 */
final class Scene {
    /** When the executor of the clients runs what it is given. */
    enum Callbacks {
        AT_ONCE,
        IN_TURN,
        AT_THE_END
    }

    static final Duration TERM = Duration.ofSeconds(3);
    static final Duration CLAIM = Duration.ofSeconds(1);
    static final Duration REFRESH = Duration.ofSeconds(1);
    static final LockOptions TURNS = LockOptions.defaults()
            .withLeaseDuration(TERM)
            .withHandoffTimeout(CLAIM)
            .withWaitLimit(Wait.forever());
    static final LockOptions STRICT = TURNS.withStrictOrder();
    static final HoldfastOptions OPTIONS = HoldfastOptions.defaults()
            .withLockDefaults(TURNS)
            .withRefreshInterval(REFRESH)
            .withCommandTimeout(Duration.ofSeconds(1))
            .withTokenLife(Duration.ofSeconds(5))
            .withCloseTimeout(Duration.ofMillis(2))
            .withDeadlockDetection(Duration.ofSeconds(1));

    /** What must be free in the end: taken by a third client. */
    record Free(String what, Supplier<? extends CompletableFuture<? extends AutoCloseable>> take) {}

    final VirtualTime time = new VirtualTime();
    final List<MemoryServer> servers = new ArrayList<>();
    final List<Object> clients = new ArrayList<>(); // the last one only looks afterwards
    final List<Asked> asked = new CopyOnWriteArrayList<>();
    final List<Held> held = new CopyOnWriteArrayList<>();
    final List<Free> free = new ArrayList<>();
    final List<Object> closed = new ArrayList<>();
    final Map<String, Integer> heard = new LinkedHashMap<>(); // events, by client and word
    final Map<String, String> violations = new LinkedHashMap<>(); // the first of each check
    int permits;
    boolean nested; // an actor may have several leases of one lock
    private final List<Wire> wires = new ArrayList<>();
    private final List<DrivenThread> threads = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
    private Callbacks when;
    private volatile boolean settling;
    private final Timers own = time.timers();
    private final UnaryOperator<HoldfastOptions> change;
    private boolean pumping;

    Scene(Callbacks when, boolean quorum) {
        this(when, quorum, options -> options);
    }

    /** @param change of the options of the two clients */
    Scene(Callbacks when, boolean quorum, UnaryOperator<HoldfastOptions> change) {
        this.when = when;
        this.change = change;
        for (int i = 0; i < (quorum ? 3 : 1); i++) {
            servers.add(MemoryServer.start(time));
        }
        for (int i = 0; i < 3; i++) {
            clients.add(quorum ? quorum(i) : Holdfast.over(wire(servers.get(0)), options(i), time.environment(i)));
        }
        wires.forEach(Wire::delay);
    }

    private Quorum quorum(int number) {
        return Quorum.connect(
                servers.stream().map(server -> QuorumNode.over(wire(server))).toList(),
                QuorumOptions.defaults()
                        .withClient(options(number).withDeadlockDetection(null))
                        .withMaxLeaseDuration(TERM.multipliedBy(2)),
                time.environment(number));
    }

    private Wire wire(MemoryServer server) {
        Wire wire = new Wire(server.driver(), own);
        wires.add(wire);
        return wire;
    }

    private HoldfastOptions options(int client) {
        Executor executor = client == 2 ? Runnable::run : this::execute;
        HoldfastOptions usual = OPTIONS.withExecutor(executor)
                .withListener(event -> heard.merge(
                        client + " " + event.getClass().getSimpleName() + " "
                                + event.subject().lockName(),
                        1,
                        Integer::sum));
        return client == 2 ? usual : change.apply(usual);
    }

    private void execute(Runnable task) {
        if (when == Callbacks.AT_ONCE) {
            task.run();
        } else {
            callbacks.add(task);
        }
    }

    static void quietly(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            // As the thread of a pool, or of timers, catches it.
        }
    }

    // ---- clients

    MemoryServer server() {
        return servers.get(0);
    }

    Holdfast one() {
        return (Holdfast) clients.get(0);
    }

    Holdfast two() {
        return (Holdfast) clients.get(1);
    }

    Holdfast checker() {
        return (Holdfast) clients.get(2);
    }

    static DistributedLock lock(Object client, String name, LockOptions options) {
        return client instanceof Quorum quorum ? quorum.lock(name, options) : ((Holdfast) client).lock(name, options);
    }

    /** An exclusive lock that has to be free in the end. */
    void uses(String... names) {
        for (String name : names) {
            mustBeFree(name, () -> lock(clients.get(2), name, STRICT).acquireAsync(Wait.forever()));
        }
    }

    void mustBeFree(String what, Supplier<? extends CompletableFuture<? extends AutoCloseable>> take) {
        free.add(new Free(what, take));
    }

    // ---- what callers do

    /** Asks; what is obtained is released in the callback. */
    Asked askAndRelease(Object client, String text, Supplier<? extends CompletableFuture<?>> call) {
        return ask(client, text, call, this::release);
    }

    Asked ask(Object client, String text, Supplier<? extends CompletableFuture<?>> call) {
        return ask(client, text, call, any -> {});
    }

    Asked ask(Object client, String text, Supplier<? extends CompletableFuture<?>> call, Consumer<Held> then) {
        Asked one = new Asked(text);
        asked.add(one);
        CompletableFuture<?> future;
        boolean before = Steps.on();
        try {
            future = call.get();
        } catch (Throwable e) {
            one.thrown = e;
            one.over = true;
            return one;
        } finally {
            Steps.back(before);
        }
        one.future = future;
        future.whenComplete((value, failure) -> quietly(() -> ended(client, one, value, failure, then)));
        return one;
    }

    private void ended(
            Object client, Asked one, @Nullable Object value, @Nullable Throwable failure, Consumer<Held> then) {
        boolean before = Steps.off();
        try {
            one.over = true;
            one.thrown =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            Object lease = leaseOf(value);
            if (lease != null) {
                Held got = new Held(one.text, client, lease, nested);
                got.lost().thenRun(() -> got.told = true);
                one.held = got;
                held.add(got);
                look();
                if (settling) {
                    release(got);
                } else {
                    then.accept(got);
                }
            }
        } finally {
            Steps.back(before);
        }
    }

    private static @Nullable Object leaseOf(@Nullable Object value) {
        if (value instanceof Attempt<?> attempt) {
            return attempt.asOptional().orElse(null);
        }
        return value instanceof Lease || value instanceof LeaseSet || value instanceof PlainLease ? value : null;
    }

    void release(Asked of) {
        Held got = of.held;
        if (got != null) {
            release(got);
        }
    }

    void release(Held what) {
        what.left = true;
        what.threw = ask(what.client, "release of " + what, what::releaseAsync).future == null;
    }

    /** The server loses a key. A hold's lease may be valid until its next renewal. */
    void forget(MemoryServer at, String key) {
        held.forEach(each -> each.given = true);
        at.command("DEL", key);
    }

    void cancel(Asked request) {
        CompletableFuture<?> future = request.future;
        if (future != null) {
            boolean before = Steps.on();
            quietly(() -> future.cancel(false));
            Steps.back(before);
        }
    }

    /** Something with a lease, if there is one. */
    void with(Asked request, String text, java.util.function.Function<Held, CompletableFuture<?>> act) {
        Held got = request.held;
        if (got != null) {
            ask(got.client, text, () -> act.apply(got));
        }
    }

    /** Calls that block, on a thread of their own, as far as they get before they block. */
    Asked call(Object client, String text, Callable<?> body) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        DrivenThread thread = thread(() -> {
            try {
                result.complete(body.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        Asked made = ask(client, text, () -> result);
        thread.start();
        pump();
        return made;
    }

    Asked closing(Object client, AutoCloseable what) {
        return call(client, "the end of " + what.getClass().getSimpleName(), () -> {
            what.close();
            return "";
        });
    }

    /** A thread that runs only while the scene waits for it. */
    DrivenThread thread(Runnable task) {
        return new DrivenThread(task, new DrivenThread.Hooks() {
            @Override
            public void starts(DrivenThread thread) {
                threads.add(thread);
            }

            @Override
            public java.util.function.BooleanSupplier after(long nanos) {
                boolean[] passed = new boolean[1];
                own.schedule(nanos, () -> passed[0] = true);
                return () -> passed[0];
            }
        });
    }

    // ---- time

    CompletableFuture<String> after(long millis, String value) {
        CompletableFuture<String> later = new CompletableFuture<>();
        own.schedule(Duration.ofMillis(millis).toNanos(), () -> quietly(() -> later.complete(value)));
        return later;
    }

    void pass(long millis) {
        passUntil(millis, () -> false);
    }

    boolean passUntil(long millis, java.util.function.BooleanSupplier condition) {
        boolean[] over = new boolean[1];
        boolean[] so = new boolean[1];
        boolean before = Steps.on();
        Runnable marker = own.schedule(Duration.ofMillis(millis).toNanos(), () -> over[0] = true);
        while (!over[0] && !so[0]) {
            try {
                time.runUntil("the end of a pause", Duration.ofMillis(millis + 1), () -> {
                    pump();
                    so[0] = condition.getAsBoolean();
                    return over[0] || so[0];
                });
            } catch (Injected e) {
                // As the thread of timers catches it, which then runs the task again.
            }
        }
        marker.run();
        Steps.back(before);
        return so[0];
    }

    /** Everything that can go on without time does. */
    private void pump() {
        if (pumping || Thread.currentThread() instanceof DrivenThread) {
            return; // the present pump goes on until nothing is left
        }
        pumping = true;
        boolean before = Steps.on();
        boolean more = true;
        while (more) {
            more = false;
            for (DrivenThread thread : threads) {
                more |= thread.drive();
            }
            threads.removeIf(DrivenThread::isOver);
            Runnable next = when == Callbacks.AT_THE_END ? null : callbacks.poll();
            if (next != null) {
                quietly(next);
                more = true;
            }
        }
        Steps.back(before);
        pumping = false;
        look();
    }

    /** The scene is over: callbacks run, and all that is held or obtained yet is released. */
    void settle() {
        settling = true;
        if (when == Callbacks.AT_THE_END) {
            when = Callbacks.IN_TURN;
        }
        pump();
        releaseAll();
        pump();
    }

    void releaseAll() {
        for (Held each : held) {
            if (each.isValid() || each.threw) {
                release(each);
            }
        }
    }

    void closeAll() {
        wires.forEach(Wire::hurry);
        for (Object client : clients) {
            try {
                ((AutoCloseable) client).close();
            } catch (Throwable e) {
                found("CLOSE", "closing throws " + e);
            }
        }
    }

    /** From now on nothing stands in the way of a callback. */
    void open() {
        pump();
        when = Callbacks.AT_ONCE;
    }

    // ---- exclusion

    private void look() {
        if (violations.containsKey("EXCLUSION")) {
            return;
        }
        boolean counting = Steps.off();
        try {
            List<Held> valid = held.stream().filter(Held::isValid).toList();
            for (Held first : valid) {
                for (Held second : valid) {
                    if (first != second && first.excludes(second)) {
                        found("EXCLUSION", "valid at one time: " + first + " and " + second);
                    }
                }
            }
            int out = valid.stream().mapToInt(Held::permits).sum();
            if (out > permits) {
                found("EXCLUSION", out + " permits are out: " + valid);
            }
        } finally {
            Steps.back(counting);
        }
    }

    void found(String check, String text) {
        violations.putIfAbsent(check, text);
    }

    /** Whether callers must reckon with it: the Error itself, or what the library throws. */
    static boolean isExpected(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof Injected
                    || each instanceof PlayException
                    || each instanceof CancellationException
                    || each instanceof InterruptedException
                    || each instanceof io.holdfast.HoldfastException) {
                return true;
            }
        }
        return false;
    }

    /** What work under a lock throws, or an executor. */
    static final class PlayException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
