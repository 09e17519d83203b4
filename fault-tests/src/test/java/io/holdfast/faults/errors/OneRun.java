package io.holdfast.faults.errors;

import java.util.ArrayList;
import java.util.List;

/** One run of a scene; called from outside the loader of the engine that it steps through, with names of the JDK only. */
public final class OneRun {
    private OneRun() {}

    /** The names of the plays. */
    public static List<String> plays() {
        return List.copyOf(Plays.ALL.keySet());
    }

    /** From now on it is printed where the Error comes. */
    public static void trace() {
        Steps.traced = true;
    }

    /** How often each line is reached, up to the end of the play. */
    public static int[] hits(String play, String callbacks) {
        Scene scene = new Scene(Scene.Callbacks.valueOf(callbacks), Plays.isOfQuorum(play));
        Steps.begin(-1, 0);
        Plays.named(play).accept(scene);
        scene.settle();
        int[] hits = Steps.hits();
        Steps.end();
        new Aftermath(scene).check();
        return hits;
    }

    /** Throws at one hit of one line, or nowhere. Returns what was violated, a text for each check: its name comes first. */
    public static List<String> violations(String play, String callbacks, int line, int hit) {
        Scene scene = new Scene(Scene.Callbacks.valueOf(callbacks), Plays.isOfQuorum(play));
        Steps.begin(line, hit);
        try {
            Plays.named(play).accept(scene);
            scene.settle();
        } catch (Throwable e) {
            scene.found("PLAY", "the play itself failed: " + e);
        }
        Steps.end();
        try {
            new Aftermath(scene).check();
        } catch (Throwable e) {
            scene.found("PLAY", "looking afterwards failed: " + e);
        }
        List<String> texts = new ArrayList<>();
        scene.violations.forEach((check, text) -> texts.add(check + ": " + text));
        if (Steps.traced && !Steps.hasThrown()) {
            texts.add("UNREACHED: the line was not reached so often");
        }
        return texts;
    }
}
