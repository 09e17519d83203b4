package io.holdfast.model.conformance;

import io.holdfast.model.Checker;
import io.holdfast.model.ServerModel;
import io.holdfast.model.exclusive.AnyCalls;
import io.holdfast.model.line.AnyLineCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Visits the states of a server's part, nearest first, and has the shipped scripts run each call in each of them.
 *
 * @param <S> what the server knows
 * @param <C> a call of a script
 */
public final class Conformance<S, C> {
    /**
     * What a run came to.
     *
     * @param difference null if model and scripts agree
     * @param trace the way to the state and the call
     */
    public record Result(
            long states,
            long transitions,
            boolean complete,
            double seconds,
            @Nullable String difference,
            List<String> trace) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s%,d transitions of %s%,d states, %.1f s",
                    difference == null ? "scripts and model agree in " : "a difference after ",
                    transitions,
                    complete ? "all " : "the first ",
                    states,
                    seconds);
        }
    }

    private record Difference<S>(S state, String what, String text) {}

    /** Two servers in memory, each in a thread of its own. */
    public static final List<Supplier<ScriptServer>> IN_MEMORY =
            List.of(MemoryScriptServer::new, MemoryScriptServer::new);

    /** Stands behind the last state. */
    private static final Object END = new Object();

    private final ServerModel<S, C> model;
    private final List<Supplier<Bench<S, C>>> benches;
    private final LongConsumer progress;
    private final AtomicLong transitions = new AtomicLong();
    private final AtomicReference<@Nullable Difference<S>> difference = new AtomicReference<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * A run that has not begun.
     *
     * @param benches each makes one, for a thread of its own
     * @param progress is told, now and then, how many transitions there were
     */
    private Conformance(ServerModel<S, C> model, List<Supplier<Bench<S, C>>> benches, LongConsumer progress) {
        this.model = model;
        this.benches = benches;
        this.progress = progress;
    }

    /**
     * Of the exclusive lock.
     *
     * @param servers each makes one, for a thread of its own
     */
    public static Conformance<?, ?> ofLocks(
            AnyCalls model, Scripts scripts, List<Supplier<ScriptServer>> servers, LongConsumer progress) {
        return new Conformance<>(model, benches(servers, server -> new LockBench(model, scripts, server)), progress);
    }

    /**
     * Of shared lines.
     *
     * @param servers each makes one, for a thread of its own
     */
    public static Conformance<?, ?> ofLines(
            AnyLineCalls model, Scripts scripts, List<Supplier<ScriptServer>> servers, LongConsumer progress) {
        return new Conformance<>(model, benches(servers, server -> new LineBench(model, scripts, server)), progress);
    }

    private static <S, C> List<Supplier<Bench<S, C>>> benches(
            List<Supplier<ScriptServer>> servers, Function<ScriptServer, Bench<S, C>> bench) {
        List<Supplier<Bench<S, C>>> all = new ArrayList<>();
        servers.forEach(server -> all.add(() -> bench.apply(server.get())));
        return all;
    }

    /**
     * Runs until there were so many, or no state is left.
     *
     * @param most transitions, about
     */
    public Result run(long most) {
        return run(most, 1);
    }

    /**
     * Visits as many states as have so many transitions, and has the scripts run some of these: a sample from near and far.
     *
     * @param every of so many transitions, the scripts run one; best a prime, since states have much the same calls
     */
    public Result run(long most, int every) {
        long begin = System.nanoTime();
        BlockingQueue<Object> states = new ArrayBlockingQueue<>(1_000);
        List<Thread> threads = new ArrayList<>();
        for (Supplier<Bench<S, C>> bench : benches) {
            Thread thread = new Thread(() -> work(bench, states, every), "conformance-" + threads.size());
            thread.start();
            threads.add(thread);
        }
        long[] seen = {0, 0};
        Checker<S> checker = new Checker<>(model, Integer.MAX_VALUE, state -> {
            seen[0]++;
            seen[1] += model.calls(state).size() + 1;
            put(states, state);
            if (seen[0] % 2_000 == 0) {
                progress.accept(transitions.get());
            }
            return seen[1] < most && difference.get() == null && failure.get() == null;
        });
        Checker.Result looked = checker.violations();
        threads.forEach(thread -> put(states, END));
        threads.forEach(Conformance::join);
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException(thrown);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        Difference<S> found = difference.get();
        if (found != null) {
            List<String> trace = new ArrayList<>(checker.traceTo(found.state()));
            trace.add(found.what());
            return new Result(seen[0], transitions.get(), false, seconds, found.text(), trace);
        }
        if (looked.violation() != null) {
            return new Result(seen[0], transitions.get(), false, seconds, looked.violation(), looked.trace());
        }
        return new Result(seen[0], transitions.get(), looked.complete(), seconds, null, List.of());
    }

    private void work(Supplier<Bench<S, C>> made, BlockingQueue<Object> states, int every) {
        try (Bench<S, C> bench = made.get()) {
            int variant = 0;
            long passed = 0;
            for (Object next = states.take(); next != END; next = states.take()) {
                if (difference.get() != null || failure.get() != null) {
                    continue; // whoever hands on is not to wait
                }
                @SuppressWarnings("unchecked") // the queue has states, and END behind them
                S state = (S) next;
                for (C call : model.calls(state)) {
                    if (passed++ % every == 0) {
                        note(state, "The server runs the " + call + ":", bench.difference(state, call, variant++));
                    }
                }
                if (passed++ % every == 0) {
                    note(state, "A tick passes:", bench.differenceOfTick(state, variant++));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            drain(states);
        }
    }

    /** So that whoever hands on does not wait for ever. */
    private static void drain(BlockingQueue<Object> states) {
        try {
            Object state = states.take();
            while (state != END) {
                state = states.take();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void note(S state, String what, @Nullable String text) {
        transitions.incrementAndGet();
        if (text != null) {
            difference.compareAndSet(null, new Difference<>(state, what, text));
        }
    }

    private static void put(BlockingQueue<Object> states, Object state) {
        try {
            states.put(state);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
