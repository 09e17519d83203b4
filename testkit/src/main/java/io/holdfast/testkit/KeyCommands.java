package io.holdfast.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Commands about keys of any type: existence, expiry, listing. */
final class KeyCommands {
    private KeyCommands() {}

    static void addTo(CommandTable table) {
        table.add("DEL", -2, KeyCommands::remove);
        table.add("UNLINK", -2, KeyCommands::remove);
        table.add("EXISTS", -2, call -> count(call, call.keys()::exists));
        table.add("TOUCH", -2, call -> count(call, call.keys()::exists));
        table.add("TYPE", 2, call -> new Answer.Status(call.keys().type(call.arg(1))));
        table.add("EXPIRE", -3, call -> expire(call, call.keys().nowMillis(), 1_000));
        table.add("PEXPIRE", -3, call -> expire(call, call.keys().nowMillis(), 1));
        table.add("EXPIREAT", -3, call -> expire(call, 0, 1_000));
        table.add("PEXPIREAT", -3, call -> expire(call, 0, 1));
        table.add("PTTL", 2, call -> left(call, call.keys().nowMillis(), 1));
        table.add("TTL", 2, call -> left(call, call.keys().nowMillis() - 500, 1_000));
        table.add("PEXPIRETIME", 2, call -> left(call, 0, 1));
        table.add("EXPIRETIME", 2, call -> left(call, -500, 1_000));
        table.add("PERSIST", 2, KeyCommands::persist);
        table.add("RENAME", 3, KeyCommands::rename);
        table.add("KEYS", 2, KeyCommands::keys);
        table.add("SCAN", -2, KeyCommands::scan);
        table.add("DBSIZE", 1, call -> Answer.of(call.keys().size()));
        table.add("RANDOMKEY", 1, call -> {
            List<String> keys = call.keys().keys();
            return keys.isEmpty() ? Answer.none() : Answer.of(keys.get(0));
        });
    }

    private interface Test {
        boolean test(String key);
    }

    private static Answer count(Call call, Test test) {
        int found = 0;
        for (int i = 1; i < call.size(); i++) {
            found += test.test(call.arg(i)) ? 1 : 0;
        }
        return Answer.of(found);
    }

    private static Answer remove(Call call) {
        return count(call, call.keys()::remove);
    }

    private static Answer expire(Call call, long base, long unitMillis) {
        long amount = call.integer(2);
        long at;
        try {
            at = Math.addExact(Math.multiplyExact(amount, unitMillis), base);
        } catch (ArithmeticException e) {
            throw CommandError.invalidExpiry(call.name());
        }
        boolean ifNone = false;
        boolean ifSome = false;
        boolean ifLater = false;
        boolean ifSooner = false;
        for (int i = 3; i < call.size(); i++) {
            switch (call.option(i)) {
                case "NX" -> ifNone = true;
                case "XX" -> ifSome = true;
                case "GT" -> ifLater = true;
                case "LT" -> ifSooner = true;
                default -> throw new CommandError("ERR Unsupported option " + call.arg(i));
            }
        }
        if (ifNone && (ifSome || ifLater || ifSooner)) {
            throw new CommandError("ERR NX and XX, GT or LT options at the same time are not compatible");
        }
        if (ifLater && ifSooner) {
            throw new CommandError("ERR GT and LT options at the same time are not compatible");
        }
        String key = call.arg(1);
        if (!call.keys().exists(key)) {
            return Answer.of(0);
        }
        long present = call.keys().expiry(key); // a key without expiry counts as one that expires last
        boolean expires = present != Keyspace.NEVER;
        if ((ifNone && expires) || (ifSome && !expires) || (ifLater && at <= present) || (ifSooner && at >= present)) {
            return Answer.of(0);
        }
        call.keys().expire(key, at);
        return Answer.of(1);
    }

    private static Answer left(Call call, long base, long unitMillis) {
        if (!call.keys().exists(call.arg(1))) {
            return Answer.of(-2);
        }
        long at = call.keys().expiry(call.arg(1));
        return Answer.of(at == Keyspace.NEVER ? -1 : Math.max(0, at - base) / unitMillis);
    }

    private static Answer persist(Call call) {
        if (call.keys().expiry(call.arg(1)) == Keyspace.NEVER) {
            return Answer.of(0);
        }
        call.keys().expire(call.arg(1), Keyspace.NEVER);
        return Answer.of(1);
    }

    private static Answer rename(Call call) {
        if (!call.keys().exists(call.arg(1))) {
            throw new CommandError("ERR no such key");
        }
        call.keys().rename(call.arg(1), call.arg(2));
        return Answer.ok();
    }

    private static Answer keys(Call call) {
        Glob pattern = new Glob(call.arg(1));
        return Answer.texts(call.keys().keys().stream().filter(pattern::matches).toList());
    }

    private static Answer scan(Call call) {
        Walk walk = Walk.read(call, 1);
        Keyspace.Page page = Keyspace.page(call.keys().keys(), walk.cursor(), walk.count());
        List<String> found = new ArrayList<>();
        for (String key : page.found()) {
            if (walk.pattern().matches(key)
                    && (walk.type().isEmpty() || walk.type().equals(call.keys().type(key)))) {
                found.add(key);
            }
        }
        return walk.answer(page, Answer.texts(found));
    }

    /** The arguments of {@code SCAN} and its kin. */
    record Walk(long cursor, long count, Glob pattern, String type) {
        static Walk read(Call call, int cursorAt) {
            long cursor;
            try {
                cursor = Long.parseUnsignedLong(call.arg(cursorAt));
            } catch (NumberFormatException e) {
                throw new CommandError("ERR invalid cursor");
            }
            long count = 10;
            Glob pattern = new Glob("*");
            String type = "";
            for (int i = cursorAt + 1; i < call.size(); i += 2) {
                String option = call.option(i);
                if (i + 1 >= call.size()) {
                    throw CommandError.syntax();
                }
                switch (option) {
                    case "COUNT" -> {
                        count = call.integer(i + 1);
                        if (count < 1) {
                            throw CommandError.syntax();
                        }
                    }
                    case "MATCH" -> pattern = new Glob(call.arg(i + 1));
                    case "TYPE" -> {
                        if (cursorAt != 1) {
                            throw CommandError.syntax();
                        }
                        type = call.arg(i + 1).toLowerCase(Locale.ROOT);
                    }
                    default -> throw CommandError.syntax();
                }
            }
            return new Walk(cursor, count, pattern, type);
        }

        Answer answer(Keyspace.Page page, Answer found) {
            return Answer.of(List.of(Answer.of(Long.toString(page.next())), found));
        }
    }
}
