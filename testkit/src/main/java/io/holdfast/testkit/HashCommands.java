package io.holdfast.testkit;

import io.holdfast.testkit.Keyspace.Hash;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Commands about hashes. */
final class HashCommands {
    private HashCommands() {}

    static void addTo(CommandTable table) {
        table.add("HGET", 3, call -> StringCommands.bulk(fields(call).get(call.arg(2))));
        table.add("HMGET", -3, call -> {
            Map<String, String> fields = fields(call);
            List<Answer> found = new ArrayList<>();
            for (int i = 2; i < call.size(); i++) {
                found.add(StringCommands.bulk(fields.get(call.arg(i))));
            }
            return Answer.of(found);
        });
        table.add("HSET", -4, HashCommands::set);
        table.add("HMSET", -4, call -> {
            set(call);
            return Answer.ok();
        });
        table.add("HSETNX", 4, call -> {
            Hash hash = call.keys().make(call.arg(1), Hash.class, Hash::new);
            return Answer.of(hash.fields().putIfAbsent(call.arg(2), call.arg(3)) == null);
        });
        table.add("HDEL", -3, HashCommands::remove);
        table.add("HEXISTS", 3, call -> Answer.of(fields(call).containsKey(call.arg(2))));
        table.add("HLEN", 2, call -> Answer.of(fields(call).size()));
        table.add("HSTRLEN", 3, call -> {
            String value = fields(call).get(call.arg(2));
            return Answer.of(value == null ? 0 : value.length());
        });
        table.add("HKEYS", 2, call -> Answer.texts(fields(call).keySet()));
        table.add("HVALS", 2, call -> Answer.texts(fields(call).values()));
        table.add("HGETALL", 2, call -> pairs(fields(call), fields(call).keySet()));
        table.add("HINCRBY", 4, HashCommands::add);
        table.add("HSCAN", -3, call -> {
            KeyCommands.Walk walk = KeyCommands.Walk.read(call, 2);
            Map<String, String> fields = fields(call);
            Keyspace.Page page = Keyspace.page(fields.keySet(), walk.cursor(), walk.count());
            return walk.answer(
                    page,
                    pairs(
                            fields,
                            page.found().stream()
                                    .filter(walk.pattern()::matches)
                                    .toList()));
        });
    }

    /** The fields, none if there is no such key. For reading only. */
    private static Map<String, String> fields(Call call) {
        Hash hash = call.keys().find(call.arg(1), Hash.class);
        return hash == null ? Map.of() : hash.fields();
    }

    private static Answer pairs(Map<String, String> fields, Iterable<String> names) {
        List<Answer> pairs = new ArrayList<>();
        for (String name : names) {
            pairs.add(Answer.of(name));
            pairs.add(StringCommands.bulk(fields.get(name)));
        }
        return Answer.of(pairs);
    }

    private static Answer set(Call call) {
        if (call.size() % 2 != 0) {
            throw CommandTable.wrongNumber(call.name());
        }
        Hash hash = call.keys().make(call.arg(1), Hash.class, Hash::new);
        int added = 0;
        for (int i = 2; i < call.size(); i += 2) {
            added += hash.fields().put(call.arg(i), call.arg(i + 1)) == null ? 1 : 0;
        }
        return Answer.of(added);
    }

    private static Answer remove(Call call) {
        Hash hash = call.keys().find(call.arg(1), Hash.class);
        int removed = 0;
        if (hash != null) {
            for (int i = 2; i < call.size(); i++) {
                removed += hash.fields().remove(call.arg(i)) == null ? 0 : 1;
            }
            call.keys().removeIfEmpty(call.arg(1));
        }
        return Answer.of(removed);
    }

    private static Answer add(Call call) {
        long amount = call.integer(3);
        String text = fields(call).getOrDefault(call.arg(2), "0");
        long before;
        try {
            before = Call.integer(text);
        } catch (CommandError e) {
            throw new CommandError("ERR hash value is not an integer");
        }
        long sum = StringCommands.sum(before, amount);
        call.keys().make(call.arg(1), Hash.class, Hash::new).fields().put(call.arg(2), Long.toString(sum));
        return Answer.of(sum);
    }
}
