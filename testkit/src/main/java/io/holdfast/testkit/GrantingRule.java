package io.holdfast.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Every lock is free to whoever asks: who holds it is set aside, and put back for the moment in which a script speaks of its
 * owner. What was granted last is what everybody sees.
 */
final class GrantingRule implements MemoryServer.Rule {
    /** Where the scripts of a queue have the owner among their arguments. */
    private static final int OWNER = 2;

    /** How many words stand for one hold where a script speaks of several. */
    private static final int WORDS = 3;

    /** Where what is seen at present is while another is in its place; the others have numbers from 1 on. */
    private static final long SEEN = 0;

    private final CommandTable commands;
    /** Which are set aside; the higher the number, the later it was, for the first time. */
    private final Map<HoldState, NavigableSet<Long>> aside = new HashMap<>();

    private long numbers;

    GrantingRule(CommandTable commands) {
        this.commands = commands;
    }

    @Override
    public Answer apply(Call call) {
        ScriptRun script = ScriptRun.of(call, commands);
        if (script == null) {
            return commands.run(call);
        }
        List<String> args = script.args();
        return switch (script.name()) {
            case "acquire", "line_acquire" -> acquire(call, hold(script), args.get(OWNER));
            case "plain_acquire" -> acquire(call, hold(script), args.get(0));
            case "confirm", "release", "line_release", "line_downgrade" -> speakOf(call, hold(script), args.get(OWNER));
            case "plain_extend", "plain_release" -> speakOf(call, hold(script), args.get(0));
            case "renew" -> renew(call, script);
            case "line_renew" -> renewOfLines(call, script);
            case "line_confirm" -> confirmOfLine(call, script);
            default -> commands.run(call);
        };
    }

    private static HoldState hold(ScriptRun script) {
        return script.hold(script.keys().get(0));
    }

    private Answer acquire(Call call, HoldState hold, String owner) {
        Keyspace data = call.keys();
        if (!hold.isOf(data, owner)) {
            long own = numberOf(data, hold, owner);
            putAside(data, hold, ++numbers);
            if (own != SEEN) {
                take(data, hold, own);
            }
        }
        return commands.run(call);
    }

    /** Runs a script about the hold of one owner, as if there were no other. */
    private Answer speakOf(Call call, HoldState hold, String owner) {
        Keyspace data = call.keys();
        long own = hold.isOf(data, owner) ? SEEN : numberOf(data, hold, owner);
        if (own == SEEN) {
            Answer answer = commands.run(call);
            putBack(data, hold);
            return answer;
        }
        hold.moveTo(data, hold.aside(SEEN));
        take(data, hold, own);
        Answer answer = commands.run(call);
        putAside(data, hold, own);
        hold.aside(SEEN).moveTo(data, hold);
        putBack(data, hold);
        return answer;
    }

    private Answer renew(Call call, ScriptRun script) {
        Answers answers = new Answers(script);
        for (int i = 0; i < script.keys().size(); i++) {
            String key = script.keys().get(i);
            List<String> words = script.args().subList(WORDS * i, WORDS * i + WORDS);
            answers.add(speakOf(answers.part(call, List.of(key), words), script.hold(key), words.get(0)));
        }
        return answers.all();
    }

    private Answer renewOfLines(Call call, ScriptRun script) {
        Answers answers = new Answers(script);
        for (int i = 0; i < script.keys().size() / 2; i++) {
            List<String> keys = script.keys().subList(2 * i, 2 * i + 2);
            for (List<String> words : eachOf(script.args().get(i))) {
                Call part = answers.part(call, keys, List.of(String.join(" ", words)));
                answers.add(speakOf(part, script.hold(keys.get(1)), words.get(0)));
            }
        }
        return answers.all();
    }

    private Answer confirmOfLine(Call call, ScriptRun script) {
        Answers answers = new Answers(script);
        for (List<String> words : eachOf(script.args().get(OWNER))) {
            List<String> args = new ArrayList<>(script.args().subList(0, OWNER));
            args.add(String.join(" ", words));
            answers.add(speakOf(answers.part(call, script.keys(), args), hold(script), words.get(0)));
        }
        return answers.all();
    }

    private static List<List<String>> eachOf(String text) {
        List<String> words = List.of(text.split(" "));
        List<List<String>> each = new ArrayList<>();
        for (int i = 0; i < words.size(); i += WORDS) {
            each.add(words.subList(i, i + WORDS));
        }
        return each;
    }

    /** The answers to a call about several holds, which is made for each of them by itself. */
    private static final class Answers {
        private final String number; // of the call, behind its arguments
        private final StringBuilder words = new StringBuilder();
        private String behind = ""; // the time, and the call's number
        private @Nullable Answer failure;

        Answers(ScriptRun script) {
            number = script.args().get(script.args().size() - 1);
        }

        Call part(Call call, List<String> keys, List<String> args) {
            List<String> all = new ArrayList<>(args);
            all.add(number);
            return ScriptRun.with(call, keys, all);
        }

        void add(Answer one) {
            if (one instanceof Answer.Bulk bulk) {
                int first = bulk.octets().indexOf(' ');
                words.append(bulk.octets(), 0, first).append(' ');
                behind = bulk.octets().substring(first + 1);
            } else {
                failure = one;
            }
        }

        Answer all() {
            return failure == null ? Answer.of(words + behind) : failure;
        }
    }

    /** The number under which the hold of an owner is set aside; that of what is seen if it is not. */
    private long numberOf(Keyspace data, HoldState hold, String owner) {
        for (long number : aside.getOrDefault(hold, new TreeSet<>())) {
            if (hold.aside(number).isOf(data, owner)) {
                return number;
            }
        }
        return SEEN;
    }

    private void putAside(Keyspace data, HoldState hold, long number) {
        if (hold.isHeld(data)) {
            hold.moveTo(data, hold.aside(number));
            aside.computeIfAbsent(hold, h -> new TreeSet<>()).add(number);
        } else {
            hold.clear(data);
        }
    }

    private void take(Keyspace data, HoldState hold, long number) {
        hold.aside(number).moveTo(data, hold);
        forget(hold, number);
    }

    private void forget(HoldState hold, long number) {
        NavigableSet<Long> numbersOfHold = aside.getOrDefault(hold, new TreeSet<>());
        numbersOfHold.remove(number);
        if (numbersOfHold.isEmpty()) {
            aside.remove(hold);
        }
    }

    /** Where nobody is seen, the latest is whose hold is not over, if any. */
    private void putBack(Keyspace data, HoldState hold) {
        while (!hold.isHeld(data) && aside.containsKey(hold)) {
            take(data, hold, aside.get(hold).last());
        }
    }
}
