package io.holdfast.testkit;

import io.holdfast.testkit.Keyspace.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Every lock is free to whoever asks: a hold that stands in the way is set aside, and put back for the moment in which a
 * script speaks of it. What was granted last is what everybody sees.
 */
final class GrantingRule implements MemoryServer.Rule {
    /** @param number the higher, the later it was set aside for the first time */
    private record Hold(String text, long expiresMillis, long number) {}

    private final CommandTable commands;
    private final Map<String, NavigableSet<Hold>> aside = new HashMap<>(); // by key
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
        return switch (script.name()) {
            case "acquire" -> acquire(call, script, script.args().get(4));
            case "plain_acquire" -> acquire(call, script, script.args().get(0));
            case "confirm", "release" ->
                speakOf(call, script.keys().get(0), script.args().get(4));
            case "plain_extend", "plain_release" ->
                speakOf(call, script.keys().get(0), script.args().get(0));
            case "renew" -> renew(call, script);
            default -> commands.run(call);
        };
    }

    private Answer acquire(Call call, ScriptRun script, String owner) {
        String key = script.keys().get(0);
        if (!isOf(call.keys().text(key), owner)) {
            Hold own = take(call, key, owner);
            putAside(call, key, ++numbers);
            if (own != null) {
                put(call, key, own);
            }
        }
        return commands.run(call);
    }

    /** Runs a script about the hold of one owner, as if there were no other. */
    private Answer speakOf(Call call, String key, String owner) {
        Hold own = isOf(call.keys().text(key), owner) ? null : take(call, key, owner);
        if (own == null) {
            Answer answer = commands.run(call);
            if (!call.keys().exists(key)) {
                putBack(call, key);
            }
            return answer;
        }
        Hold latest = lift(call, key, 0);
        put(call, key, own);
        Answer answer = commands.run(call);
        putAside(call, key, own.number());
        if (latest != null) {
            put(call, key, latest);
        } else {
            putBack(call, key);
        }
        return answer;
    }

    /** Each hold of the batch by itself. */
    private Answer renew(Call call, ScriptRun script) {
        List<Answer> answers = new ArrayList<>();
        List<Answer> behind = List.of(); // the time, and the call's number
        String number = script.args().get(script.args().size() - 1);
        for (int i = 0; i < script.keys().size(); i++) {
            List<String> args = new ArrayList<>(script.args().subList(3 * i, 3 * i + 3));
            args.add(number);
            String key = script.keys().get(i);
            Answer one = speakOf(ScriptRun.with(call, List.of(key), args), key, args.get(0));
            if (!(one instanceof Answer.Many many)) {
                return one;
            }
            answers.add(many.elements().get(0));
            behind = many.elements().subList(1, 3);
        }
        answers.addAll(behind);
        return Answer.of(answers);
    }

    /** A hold begins with its owner; the value of a plain lock is its owner. */
    private static boolean isOf(@Nullable String text, String owner) {
        return text != null && (text.equals(owner) || text.startsWith(owner + " "));
    }

    private static @Nullable Hold lift(Call call, String key, long number) {
        String text = call.keys().text(key);
        Hold hold = text == null ? null : new Hold(text, call.keys().expiry(key), number);
        call.keys().remove(key);
        return hold;
    }

    private static void put(Call call, String key, Hold hold) {
        call.keys().put(key, new Text(hold.text()));
        call.keys().expire(key, hold.expiresMillis());
    }

    private void putAside(Call call, String key, long number) {
        Hold hold = lift(call, key, number);
        if (hold != null) {
            aside.computeIfAbsent(key, k -> new TreeSet<>(Comparator.comparingLong(Hold::number)))
                    .add(hold);
        }
    }

    /** The latest that has not expired, if any. */
    private void putBack(Call call, String key) {
        NavigableSet<Hold> holds = aside.get(key);
        if (holds == null) {
            return;
        }
        holds.removeIf(hold -> hold.expiresMillis() <= call.keys().nowMillis());
        Hold latest = holds.pollLast();
        if (latest != null) {
            put(call, key, latest);
        }
        if (holds.isEmpty()) {
            aside.remove(key);
        }
    }

    private @Nullable Hold take(Call call, String key, String owner) {
        NavigableSet<Hold> holds = aside.get(key);
        if (holds == null) {
            return null;
        }
        for (Hold hold : holds) {
            if (isOf(hold.text(), owner)) {
                holds.remove(hold);
                return hold.expiresMillis() > call.keys().nowMillis() ? hold : null;
            }
        }
        return null;
    }
}
