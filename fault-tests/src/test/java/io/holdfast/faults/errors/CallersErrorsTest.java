package io.holdfast.faults.errors;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Backoff;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.PlainOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Errors that the application's own code throws where the engine calls it, each once or always; afterwards all must be well. */
final class CallersErrorsTest {
    /** Those whose calls do not block. */
    private static final List<String> PLAYS = List.of(
            "turns",
            "handoff",
            "endings",
            "loss",
            "kept",
            "readwrite",
            "semaphore",
            "set",
            "plain",
            "rest",
            "deadlock");

    private static final int MOST = 60;
    private static final int SHOWN = 40;

    private final LoggedErrors log = new LoggedErrors();
    private boolean over; // the play: nothing is thrown any more
    private final List<String> found = new ArrayList<>();

    @AfterEach
    void close() {
        log.close();
    }

    /** Runs a play. */
    private void run(
            String what, Scene.Callbacks callbacks, UnaryOperator<HoldfastOptions> change, Consumer<Scene> play) {
        over = false;
        Scene scene = new Scene(callbacks, false, change);
        try {
            play.accept(scene);
            scene.settle();
            over = true;
            new Aftermath(scene).check();
        } catch (Throwable e) {
            scene.found("PLAY", e.toString());
        }
        if (!scene.violations.isEmpty()) {
            found.add(what + ": " + scene.violations);
        }
    }

    private void nothingFound() {
        assertEquals(
                "",
                String.join("\n", found.subList(0, Math.min(SHOWN, found.size()))),
                () -> found.size() + " runs went wrong");
    }

    // ---- what throws once, at each of its calls

    private void executor(Runnable failure) {
        for (String play : PLAYS) {
            boolean reached = true;
            for (int call = 1; call <= MOST && reached; call++) {
                int[] calls = new int[1];
                int at = call;
                run(
                        play + ", call " + call + " of the executor",
                        Scene.Callbacks.IN_TURN,
                        options -> {
                            Executor usual = Objects.requireNonNull(options.executor());
                            return options.withExecutor(task -> {
                                if (!over && ++calls[0] == at) {
                                    failure.run();
                                }
                                usual.execute(task);
                            });
                        },
                        Plays.named(play));
                reached = calls[0] >= call;
            }
        }
        nothingFound();
    }

    @Test
    void executor_throwsAnError() {
        executor(CallersErrorsTest::fail);
    }

    @Test
    void executor_refuses() {
        executor(() -> {
            throw new RejectedExecutionException("full");
        });
    }

    @Test
    void executor_throwsAnException() {
        executor(() -> {
            throw new Scene.PlayException();
        });
    }

    @Test
    void listener_alwaysThrows() {
        for (String play : PLAYS) {
            run(
                    play,
                    Scene.Callbacks.AT_ONCE,
                    options -> options.withListener(event -> {
                        throw new Injected("of a listener");
                    }),
                    Plays.named(play));
        }
        nothingFound();
    }

    @Test
    void eventData_alwaysThrows() {
        Logger steps = Logger.getLogger("io.holdfast.steps");
        Level before = steps.getLevel();
        steps.setLevel(Level.FINE);
        try {
            Object data = new Object() {
                @Override
                public String toString() {
                    throw new Injected("of the event data");
                }
            };
            for (String play : PLAYS) {
                run(
                        play,
                        Scene.Callbacks.AT_ONCE,
                        options ->
                                options.withLockDefaults(options.lockDefaults().withEventData(data)),
                        Plays.named(play));
            }
            run("handoff with data", Scene.Callbacks.AT_ONCE, UnaryOperator.identity(), scene -> withData(scene, data));
            nothingFound();
        } finally {
            steps.setLevel(before);
        }
    }

    private static void withData(Scene scene, Object data) {
        scene.uses("a", "b");
        for (LockOptions options : List.of(Scene.STRICT.withEventData(data), Scene.TURNS.withEventData(data))) {
            String name = options.localHandoffs() == 1 ? "a" : "b";
            for (int i = 0; i < 2; i++) {
                Holdfast client = i == 0 ? scene.one() : scene.two();
                scene.ask(client, "with data", () -> client.lock(name, options).acquireAsync(Wait.forever()));
            }
        }
        scene.pass(1_500);
    }

    // ---- callbacks of a lease

    @Test
    void lostAndWarning_throw() {
        for (Scene.Callbacks callbacks : Scene.Callbacks.values()) {
            run("callbacks of a lease, " + callbacks, callbacks, UnaryOperator.identity(), scene -> {
                scene.uses("a", "b");
                for (LockOptions options : List.of(Scene.STRICT, Scene.TURNS)) {
                    String name = options.equals(Scene.STRICT) ? "a" : "b";
                    scene.ask(
                            scene.one(),
                            "a lease of " + name,
                            () -> scene.one().lock(name, options).acquireAsync(Wait.forever()),
                            held -> {
                                held.lost().thenRun(CallersErrorsTest::fail);
                                held.lease().onWarning(left -> fail());
                            });
                    scene.ask(
                            scene.one(),
                            "the next",
                            () -> scene.one().lock(name, options).acquireAsync(Wait.forever()));
                }
                scene.pass(100);
                scene.server().freeze();
                scene.pass(3_600);
                scene.server().thaw();
                scene.pass(2_000);
            });
        }
        nothingFound();
    }

    private static void fail() {
        throw new Injected("of a callback");
    }

    // ---- what a request is given

    @Test
    void backoffAndValues_throw() {
        Backoff broken = Backoff.of(attempt -> fail(Duration.ZERO));
        PlainOptions options =
                PlainOptions.defaults().withLeaseDuration(Scene.TERM).withWaitLimit(Wait.upTo(Duration.ofSeconds(5)));
        for (PlainOptions each : List.of(options.withBackoff(broken), options.withValues(() -> fail("")))) {
            run("a plain lock", Scene.Callbacks.AT_ONCE, UnaryOperator.identity(), scene -> {
                scene.mustBeFree(
                        "plain", () -> scene.checker().plainLock("k", options).acquireAsync(Wait.forever()));
                Asked held = scene.ask(
                        scene.one(),
                        "the holder",
                        () -> scene.one().plainLock("k", options).attemptAsync(Wait.none()));
                scene.pass(50);
                scene.ask(
                        scene.two(),
                        "the waiter",
                        () -> scene.two().plainLock("k", each).attemptAsync(Wait.upTo(Duration.ofSeconds(5))));
                scene.pass(500);
                scene.release(held);
                scene.pass(500);
            });
        }
        nothingFound();
    }

    private static <T> T fail(T never) {
        fail();
        return never;
    }
}
