package io.holdfast.model;

import io.holdfast.model.Worlds.World;
import io.holdfast.model.conformance.Conformance;
import io.holdfast.model.conformance.DriverScriptServer;
import io.holdfast.model.conformance.ScriptServer;
import io.holdfast.model.conformance.Scripts;
import io.holdfast.model.deadlock.Detection;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.exclusive.Settings;
import io.holdfast.model.line.LineRule;
import io.holdfast.model.line.LineSettings;
import io.holdfast.model.quorum.Quorum;
import io.holdfast.model.sets.LockSets;
import io.holdfast.model.turns.TurnWorlds;
import io.holdfast.model.wake.Wake;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The command {@code model/run}. */
public final class Run {
    static final int SOUND = 0;
    static final int FOUND = 1;
    static final int USAGE = 2;

    private static final String HELP = """
            Visits the states of the models of Holdfast's locks, and looks for what must never be.

            Usage: model/run [--setting NAME] [--without RULE] [--most N]
                   model/run --conformance [--setting NAME] [--without RULE] [--scripts-without RULE]
                             [--server URL] [--every N] [--most N]
                   model/run --list | --help

              --setting NAME          which clients, and what goes wrong; without it, all of them one after the other
              --without RULE          the model without one of its rules: then something is found, mostly
              --conformance           has the shipped scripts run each call in each state of the server's part
              --scripts-without RULE  the scripts without one of the rules that they mark: then they differ
              --server URL            on this server, which must be empty, in place of the one in memory: redis://host:port
              --every N               with --conformance, run one of N transitions: a sample from near and far
              --most N                visit so many states, or with --conformance make so many transitions (default 1,000,000)
              --list                  settings and rules

            Exit codes: 0 nothing was found; 1 a violation or a difference was, with a shortest way to it; 2 wrong usage.

            Examples:
              model/run --setting small
              model/run --setting copies --without tombstone
              model/run --conformance --setting silent --most 20000000
              model/run --conformance --scripts-without rearm --most 50000
              model/run --conformance --setting permits --without weightback
              model/run --conformance --setting kept --server redis://127.0.0.1:7000
            """;

    /** All that are looked at as worlds, and not against scripts. */
    private static final List<Worlds> MODELS = List.of(
            Settings.worlds(),
            LineSettings.worlds(),
            Quorum.worlds(),
            TurnWorlds.all(),
            LockSets.worlds(),
            Wake.worlds(),
            Detection.worlds());

    private final PrintStream out;
    private String setting = "";
    private String without = "";
    private String scriptsWithout = "";
    private List<Supplier<ScriptServer>> servers = Conformance.IN_MEMORY;
    private boolean conformance;
    private long every = 1;
    private long most = 1_000_000;
    private long lastTold = System.nanoTime();

    private Run(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) {
        System.exit(run(System.out, args));
    }

    static int run(PrintStream out, String... args) {
        try {
            return new Run(out).obey(new ArrayDeque<>(List.of(args)));
        } catch (IllegalArgumentException | DriverException e) {
            out.println("model/run: " + e.getMessage() + "; see model/run --help");
            return USAGE;
        }
    }

    private int obey(Deque<String> args) {
        while (!args.isEmpty()) {
            String option = args.remove();
            switch (option) {
                case "--help", "-h" -> {
                    out.print(HELP);
                    return SOUND;
                }
                case "--list" -> {
                    list();
                    return SOUND;
                }
                case "--conformance" -> conformance = true;
                case "--setting" -> setting = value(option, args);
                case "--without" -> without = value(option, args);
                case "--scripts-without" -> scriptsWithout = value(option, args);
                case "--server" -> servers = List.of(server(value(option, args)));
                case "--every" -> every = number(option, value(option, args));
                case "--most" -> most = number(option, value(option, args));
                default -> throw new IllegalArgumentException("unknown option " + option);
            }
        }
        Map<String, World> worlds = conformance ? Map.of() : worlds();
        Set<String> known = conformance ? callSettings() : worlds.keySet();
        if (!setting.isEmpty() && !known.contains(setting)) {
            throw new IllegalArgumentException("no setting " + setting + " here, but " + String.join(", ", known));
        }
        boolean sound = true;
        for (String each : known) {
            if (setting.equals(each) || (setting.isEmpty() && !each.equals(Settings.OUTSIDE))) {
                World world = worlds.get(each);
                sound &= world == null ? conforms(each) : holds(each, world);
            }
        }
        return sound ? SOUND : FOUND;
    }

    /** Of each kind of lock. */
    private static Set<String> callSettings() {
        Set<String> all = new LinkedHashSet<>(Settings.calls().keySet());
        all.addAll(LineSettings.calls().keySet());
        return all;
    }

    /** Of a kind of lock, without the one that is left out. */
    private <R extends Enum<R> & ModelRule> Set<R> rules(Class<R> type) {
        Set<R> left = ModelRule.allBut(type, Set.of(without));
        if (!without.isEmpty() && left.size() == type.getEnumConstants().length) {
            throw new IllegalArgumentException("no rule has the name " + without);
        }
        return left;
    }

    /** Connects, so that what is wrong with a server is told before anything is run. */
    private static Supplier<ScriptServer> server(String url) {
        RedisAddress address = RedisAddress.parse(url);
        DriverScriptServer.at(address).close();
        return () -> DriverScriptServer.at(address);
    }

    private static String value(String option, Deque<String> args) {
        if (args.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return args.remove();
    }

    private static long number(String option, String text) {
        try {
            return Long.parseLong(text.replace(",", ""));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " needs a number, and not " + text, e);
        }
    }

    /** Of all models that have the rule that is left out. */
    private Map<String, World> worlds() {
        Map<String, World> all = new LinkedHashMap<>();
        for (Worlds model : MODELS) {
            if (without.isEmpty() || model.rules().containsKey(without)) {
                all.putAll(model.worlds());
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("no rule has the name " + without);
        }
        return all;
    }

    private boolean holds(String name, World world) {
        AtomicLong visited = new AtomicLong();
        Checker.Result result = world.look(
                without.isEmpty() ? Set.of() : Set.of(without),
                most,
                () -> progress(visited.incrementAndGet(), "states"));
        boolean all = result.isSound() && result.complete() && !world.goal().isEmpty();
        out.println(name + ": " + result + (all ? ", " + world.goal() : ""));
        return told(result.violation(), result.trace());
    }

    private boolean conforms(String name) {
        Scripts scripts = scriptsWithout.isEmpty() ? Scripts.shipped() : Scripts.without(scriptsWithout);
        LongConsumer told = count -> progress(count, "transitions");
        LineSettings.Calls lines = LineSettings.calls().get(name);
        Conformance<?, ?> run = lines == null
                ? Conformance.ofLocks(Settings.calls(name).model(rules(Rule.class)), scripts, servers, told)
                : Conformance.ofLines(lines.model(rules(LineRule.class)), scripts, servers, told);
        Conformance.Result result = run.run(most, Math.toIntExact(Math.max(1, every)));
        out.println(name + ": " + result);
        return told(result.difference(), result.trace());
    }

    private boolean told(@Nullable String found, List<String> trace) {
        if (found == null) {
            return true;
        }
        out.println(found);
        for (int i = 0; i < trace.size(); i++) {
            out.println(String.format("%4d  %s", i + 1, trace.get(i)));
        }
        return false;
    }

    /** A line every ten seconds, for those who watch. */
    private void progress(long count, String what) {
        long now = System.nanoTime();
        if (now - lastTold > 10_000_000_000L) {
            lastTold = now;
            System.err.println(String.format("… %,d %s", count, what));
        }
    }

    private void list() {
        for (Worlds model : MODELS) {
            out.println("Settings of " + model.about() + ":");
            model.worlds().forEach((name, world) -> out.println("  " + name + ": " + world.about()));
        }
        out.println("Settings for --conformance:");
        Settings.calls().forEach((name, calls) -> out.println("  " + name + ": " + calls.about()));
        LineSettings.calls().forEach((name, calls) -> out.println("  " + name + ": " + calls.about()));
        for (Worlds model : MODELS) {
            out.println("Rules of " + model.about() + ":");
            model.rules().forEach((name, meaning) -> out.println("  " + name + ": " + meaning));
        }
        out.println("Rules of lines, with --conformance and one of their settings:");
        Arrays.stream(LineRule.values()).forEach(rule -> out.println("  " + rule.text() + ": " + rule.meaning()));
    }
}
