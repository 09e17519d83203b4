package io.holdfast.benchmarks;

import io.holdfast.contracts.servers.RedisServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Scripts without what they think: of each recorded call the commands that the server ran in it, word for word and in their
 * order, in a script that does nothing else. What these take, no other wording of the same script can go below.
 */
final class BareCommands {
    /** As long as the times of expiries are in milliseconds. */
    private static final int MILLIS_DIGITS = 13;

    private static final long DAY_MILLIS = 86_400_000;

    private BareCommands() {}

    /** The same calls, each of a bare script. */
    static List<List<Recorder.Call>> of(RedisServer server, List<List<Recorder.Call>> recorded) {
        Map<String, List<Recorder.Call>> shapes = recorded.stream()
                .flatMap(List::stream)
                .collect(Collectors.groupingBy(BareCommands::shape, LinkedHashMap::new, Collectors.toList()));
        Map<Recorder.Call, Recorder.Call> bare = new HashMap<>();
        shapes.values().forEach(calls -> bare.putAll(ofOneShape(server, calls)));
        return recorded.stream()
                .map(calls -> calls.stream().map(bare::get).toList())
                .toList();
    }

    /** Calls of one shape ran the same commands with as many words. */
    private static String shape(Recorder.Call call) {
        return call.within().stream().map(words -> words.get(0) + words.size()).collect(Collectors.joining(" "));
    }

    private static Map<Recorder.Call, Recorder.Call> ofOneShape(RedisServer server, List<Recorder.Call> calls) {
        // What stood at a place, by call. What was always the same is part of the script, the rest are its arguments.
        Map<List<String>, Integer> arguments = new LinkedHashMap<>();
        StringBuilder text = new StringBuilder();
        List<List<String>> first = calls.get(0).within();
        for (int i = 0; i < first.size(); i++) {
            int command = i;
            text.append("redis.call('").append(first.get(i).get(0)).append('\'');
            for (int j = 1; j < first.get(i).size(); j++) {
                int place = j;
                List<String> words = calls.stream()
                        .map(call -> lasting(call.within().get(command).get(place)))
                        .toList();
                text.append(", ")
                        .append(
                                words.stream().distinct().count() == 1
                                        ? quoted(words.get(0))
                                        : "ARGV[" + arguments.computeIfAbsent(words, w -> arguments.size() + 1) + "]");
            }
            text.append(")\n");
        }
        String sha1 = server.command("SCRIPT", "LOAD", text.toString()).asString();
        Map<Recorder.Call, Recorder.Call> bare = new HashMap<>();
        for (int i = 0; i < calls.size(); i++) {
            List<String> words = new ArrayList<>(List.of("EVALSHA", sha1, "0"));
            for (List<String> argument : arguments.keySet()) {
                words.add(argument.get(i));
            }
            bare.put(calls.get(i), new Recorder.Call(words, calls.get(i).within()));
        }
        return bare;
    }

    /** A key must not expire while its calls are repeated: what is missing costs less. */
    private static String lasting(String word) {
        return word.length() == MILLIS_DIGITS && word.chars().allMatch(Character::isDigit)
                ? Long.toString(Long.parseLong(word) + DAY_MILLIS)
                : word;
    }

    private static String quoted(String word) {
        return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
