package io.holdfast.faults.errors;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An engine that steps, and runs of it with an Error at one of its lines. For one thread. */
final class ErrorRuns {
    private final List<String> lines = new ArrayList<>();
    private final Set<String> warm = new HashSet<>();
    private final Class<?> run;

    ErrorRuns() {
        try {
            run = new SteppedLoader(lines).loadClass(OneRun.class.getName());
        } catch (ClassNotFoundException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** A line that a play reaches, and when the Error comes there: at its first hit is 1. */
    record Step(String play, String callbacks, int line, String place, int hit) {
        @Override
        public String toString() {
            return play + " " + callbacks + " " + place + " " + hit;
        }
    }

    /** What a run with one Error has violated. */
    record Finding(Step step, String violation) {
        String check() {
            return violation.substring(0, violation.indexOf(':'));
        }
    }

    @SuppressWarnings("unchecked")
    List<String> plays() {
        return (List<String>) call("plays");
    }

    /** What goes wrong although no Error comes. */
    @SuppressWarnings("unchecked")
    List<String> undisturbed(String play, String callbacks) {
        return (List<String>) call("violations", play, callbacks, -1, 0);
    }

    /** The first hit of each line, and its last. */
    List<Step> steps(String play, String callbacks) {
        if (warm.add(play + callbacks)) {
            call("hits", play, callbacks); // initializes classes, which happens once
        }
        int[] hits = (int[]) call("hits", play, callbacks);
        List<Step> steps = new ArrayList<>();
        for (int line = 0; line < lines.size(); line++) {
            if (hits[line] > 0) {
                steps.add(new Step(play, callbacks, line, lines.get(line), 1));
            }
            if (hits[line] > 1) {
                steps.add(new Step(play, callbacks, line, lines.get(line), hits[line]));
            }
        }
        return steps;
    }

    Step step(String play, String callbacks, String place, int hit) {
        steps(play, callbacks); // loads what the play needs
        int line = lines.indexOf(place);
        if (line < 0) {
            throw new IllegalArgumentException("not reached: " + place);
        }
        return new Step(play, callbacks, line, place, hit);
    }

    @SuppressWarnings("unchecked")
    List<Finding> findings(Step step) {
        List<String> violations = (List<String>) call("violations", step.play, step.callbacks, step.line, step.hit);
        return violations.stream().map(each -> new Finding(step, each)).toList();
    }

    /** From now on it is printed where the Error comes. */
    void trace() {
        call("trace");
    }

    private Object call(String name, Object... arguments) {
        try {
            for (Method method : run.getDeclaredMethods()) {
                if (method.getName().equals(name)) {
                    return method.invoke(null, arguments);
                }
            }
            throw new LinkageError("no " + name);
        } catch (InvocationTargetException e) {
            throw new AssertionError(name + " failed", e.getCause());
        } catch (IllegalAccessException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
