package io.holdfast.testkit;

import io.holdfast.testkit.Keyspace.Items;
import io.holdfast.testkit.Keyspace.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Commands about sets and lists. */
final class CollectionCommands {
    private CollectionCommands() {}

    static void addTo(CommandTable table) {
        table.add("SADD", -3, call -> {
            Members set = call.keys().make(call.arg(1), Members.class, Members::new);
            int added = 0;
            for (int i = 2; i < call.size(); i++) {
                added += set.members().add(call.arg(i)) ? 1 : 0;
            }
            return Answer.of(added);
        });
        table.add("SREM", -3, call -> {
            Members set = call.keys().find(call.arg(1), Members.class);
            int removed = 0;
            if (set != null) {
                for (int i = 2; i < call.size(); i++) {
                    removed += set.members().remove(call.arg(i)) ? 1 : 0;
                }
                call.keys().removeIfEmpty(call.arg(1));
            }
            return Answer.of(removed);
        });
        table.add("SISMEMBER", 3, call -> Answer.of(members(call).contains(call.arg(2))));
        table.add("SMISMEMBER", -3, call -> {
            Set<String> members = members(call);
            List<Answer> found = new ArrayList<>();
            for (int i = 2; i < call.size(); i++) {
                found.add(Answer.of(members.contains(call.arg(i))));
            }
            return Answer.of(found);
        });
        table.add("SCARD", 2, call -> Answer.of(members(call).size()));
        table.add("SMEMBERS", 2, call -> Answer.texts(members(call)));
        table.add("SSCAN", -3, call -> {
            KeyCommands.Walk walk = KeyCommands.Walk.read(call, 2);
            Keyspace.Page page = Keyspace.page(members(call), walk.cursor(), walk.count());
            return walk.answer(
                    page,
                    Answer.texts(page.found().stream()
                            .filter(walk.pattern()::matches)
                            .toList()));
        });
        table.add("LPUSH", -3, call -> push(call, true));
        table.add("RPUSH", -3, call -> push(call, false));
        table.add("LPOP", 2, call -> pop(call, true));
        table.add("RPOP", 2, call -> pop(call, false));
        table.add("LLEN", 2, call -> Answer.of(items(call).size()));
        table.add("LRANGE", 4, call -> {
            List<String> items = items(call);
            Range range = Range.of(call.integer(2), call.integer(3), items.size());
            return Answer.texts(items.subList(range.from(), range.to()));
        });
        table.add("LREM", 4, CollectionCommands::removeItems);
    }

    /** Places in a list, the end not included; places below zero count from the end. */
    record Range(int from, int to) {
        static Range of(long first, long last, int size) {
            long from = Math.max(0, first < 0 ? first + size : first);
            long to = Math.min(size, (last < 0 ? last + size : last) + 1);
            return from >= to ? new Range(0, 0) : new Range((int) from, (int) to);
        }
    }

    private static Set<String> members(Call call) {
        Members set = call.keys().find(call.arg(1), Members.class);
        return set == null ? Set.of() : set.members();
    }

    private static List<String> items(Call call) {
        Items list = call.keys().find(call.arg(1), Items.class);
        return list == null ? List.of() : list.items();
    }

    private static Answer push(Call call, boolean head) {
        List<String> items =
                call.keys().make(call.arg(1), Items.class, Items::new).items();
        for (int i = 2; i < call.size(); i++) {
            items.add(head ? 0 : items.size(), call.arg(i));
        }
        return Answer.of(items.size());
    }

    private static Answer pop(Call call, boolean head) {
        Items list = call.keys().find(call.arg(1), Items.class);
        if (list == null) {
            return Answer.none();
        }
        String item = list.items().remove(head ? 0 : list.items().size() - 1);
        call.keys().removeIfEmpty(call.arg(1));
        return Answer.of(item);
    }

    private static Answer removeItems(Call call) {
        long count = call.integer(2);
        Items list = call.keys().find(call.arg(1), Items.class);
        if (list == null) {
            return Answer.of(0);
        }
        List<String> items = list.items();
        long most = count == 0 ? Long.MAX_VALUE : Math.abs(count);
        int removed = 0;
        while (removed < most) {
            int at = count < 0 ? items.lastIndexOf(call.arg(3)) : items.indexOf(call.arg(3));
            if (at < 0) {
                break;
            }
            items.remove(at);
            removed++;
        }
        call.keys().removeIfEmpty(call.arg(1));
        return Answer.of(removed);
    }
}
