package io.holdfast.benchmarks;

import io.holdfast.benchmarks.Scenario.Sample;
import io.holdfast.benchmarks.Scenario.Session;
import io.holdfast.benchmarks.Scenario.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs scenarios. In each round each contestant is measured once, and each round begins with another one, so that what
 * disturbs the machine for a while disturbs all.
 */
final class Run {
    private final Stage stage;
    private final Consumer<Result> results;
    private final Consumer<String> progress;

    Run(Stage stage, Consumer<Result> results, Consumer<String> progress) {
        this.stage = stage;
        this.results = results;
        this.progress = progress;
    }

    void run(Scenario scenario) {
        String obstacle = scenario.obstacle(stage);
        if (obstacle != null) {
            progress.accept(scenario.id() + ": left out, " + obstacle);
            results.accept(new Result(scenario.id(), 0, "", 0, Map.of(), null, obstacle));
            return;
        }
        for (int size : scenario.sizes(stage.scale())) {
            List<String> contestants = scenario.contestants(size).stream()
                    .filter(stage.scale()::takesPart)
                    .toList();
            long begin = System.nanoTime();
            if (scenario.isInTurn()) {
                measure(scenario, size, contestants);
            } else {
                contestants.forEach(each -> measure(scenario, size, List.of(each)));
            }
            progress.accept(String.format(
                    "%s%s: %d contestants, %.0f s",
                    scenario.id(), size == 0 ? "" : " " + size, contestants.size(), (System.nanoTime() - begin) / 1e9));
        }
    }

    private void measure(Scenario scenario, int size, List<String> contestants) {
        Map<String, Session> sessions = new LinkedHashMap<>();
        try {
            for (String contestant : contestants) {
                // One after the other: a dozen JVMs that start together keep each other from connecting in time.
                attempt(scenario, size, contestant, 0, sessions, () -> {
                    Session session = scenario.open(contestant, size, stage);
                    sessions.put(contestant, session);
                    session.warm();
                });
            }
            for (int round = 1; round <= scenario.rounds(stage.scale()); round++) {
                List<String> order = new ArrayList<>(sessions.keySet());
                Collections.rotate(order, 1 - round);
                for (String contestant : order) {
                    int number = round;
                    attempt(scenario, size, contestant, round, sessions, () -> {
                        Session session = sessions.get(contestant);
                        if (session != null) {
                            Sample sample = session.measure();
                            results.accept(new Result(
                                    scenario.id(),
                                    size,
                                    contestant,
                                    number,
                                    sample.values(),
                                    sample.histogram(),
                                    null));
                        }
                    });
                }
            }
        } finally {
            sessions.values().forEach(Session::close);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    /** A contestant that fails is told of, and takes no further part in the scenario. */
    private void attempt(
            Scenario scenario, int size, String contestant, int round, Map<String, Session> sessions, Step step) {
        try {
            step.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (Exception e) {
            String failure = e instanceof Crew.Failed ? String.valueOf(e.getMessage()) : e.toString();
            progress.accept(scenario.id() + ": " + contestant + " failed: " + failure);
            results.accept(new Result(scenario.id(), size, contestant, round, Map.of(), null, failure));
            Session session = sessions.remove(contestant);
            if (session != null) {
                session.close();
            }
        }
    }
}
