package io.holdfast.faults.schedules;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs plays by their names, each once. {@code fault-tests/schedules/run} has them run under a scheduler that decides who goes on. */
public final class Schedules {
    /** Behind the name of a play whose server has a thread of its own. */
    private static final String THREADED = "-threaded";

    private Schedules() {}

    /** The names of all plays. */
    static List<String> names() {
        List<String> names = new ArrayList<>();
        for (Play play : Play.values()) {
            String name = play.name().toLowerCase(Locale.ROOT).replace('_', '-');
            names.add(name);
            if (!play.timed) {
                names.add(name + THREADED);
            }
        }
        return names;
    }

    static void run(String name) throws Exception {
        boolean threaded = name.endsWith(THREADED);
        String play = threaded ? name.substring(0, name.length() - THREADED.length()) : name;
        try (Stage stage = new Stage(threaded)) {
            Play.valueOf(play.toUpperCase(Locale.ROOT).replace('-', '_')).on(stage);
        }
    }

    /** Runs the plays that are named; without a name, prints the names. */
    public static void main(String[] plays) throws Exception {
        for (String play : plays) {
            run(play);
        }
        if (plays.length == 0) {
            names().forEach(System.out::println);
        }
    }
}
