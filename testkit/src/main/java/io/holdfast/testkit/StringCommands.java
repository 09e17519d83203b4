package io.holdfast.testkit;

import io.holdfast.testkit.Keyspace.Text;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands about texts. */
final class StringCommands {
    private StringCommands() {}

    static void addTo(CommandTable table) {
        table.add("GET", 2, call -> bulk(call.keys().text(call.arg(1))));
        table.add("SET", -3, StringCommands::set);
        table.add("SETNX", 3, call -> {
            boolean free = !call.keys().exists(call.arg(1));
            if (free) {
                call.keys().put(call.arg(1), new Text(call.arg(2)));
            }
            return Answer.of(free);
        });
        table.add("SETEX", 4, call -> setWithTerm(call, 1_000));
        table.add("PSETEX", 4, call -> setWithTerm(call, 1));
        table.add("GETSET", 3, call -> {
            Answer before = bulk(call.keys().text(call.arg(1)));
            call.keys().put(call.arg(1), new Text(call.arg(2)));
            return before;
        });
        table.add("GETDEL", 2, call -> {
            Answer before = bulk(call.keys().text(call.arg(1)));
            call.keys().remove(call.arg(1));
            return before;
        });
        table.add("MGET", -2, StringCommands::getMany);
        table.add("MSET", -3, StringCommands::setMany);
        table.add("STRLEN", 2, call -> {
            String text = call.keys().text(call.arg(1));
            return Answer.of(text == null ? 0 : text.length());
        });
        table.add("APPEND", 3, call -> {
            String before = call.keys().text(call.arg(1));
            String after = (before == null ? "" : before) + call.arg(2);
            call.keys().replace(call.arg(1), new Text(after));
            return Answer.of(after.length());
        });
        table.add("INCR", 2, call -> add(call, 1));
        table.add("DECR", 2, call -> add(call, -1));
        table.add("INCRBY", 3, call -> add(call, call.integer(2)));
        table.add("DECRBY", 3, call -> add(call, Math.negateExact(call.integer(2))));
    }

    static Answer bulk(@Nullable String octets) {
        return octets == null ? Answer.none() : Answer.of(octets);
    }

    private static Answer add(Call call, long amount) {
        String present = call.keys().text(call.arg(1));
        long sum = sum(present == null ? 0 : Call.integer(present), amount);
        call.keys().replace(call.arg(1), new Text(Long.toString(sum)));
        return Answer.of(sum);
    }

    static long sum(long present, long amount) {
        try {
            return Math.addExact(present, amount);
        } catch (ArithmeticException e) {
            throw new CommandError("ERR increment or decrement would overflow");
        }
    }

    private static Answer getMany(Call call) {
        List<Answer> found = new ArrayList<>();
        for (int i = 1; i < call.size(); i++) {
            // A key of another type counts as none here.
            boolean text = call.keys().type(call.arg(i)).equals("string");
            found.add(text ? bulk(call.keys().text(call.arg(i))) : Answer.none());
        }
        return Answer.of(found);
    }

    private static Answer setMany(Call call) {
        if (call.size() % 2 == 0) {
            throw CommandTable.wrongNumber("mset");
        }
        for (int i = 1; i < call.size(); i += 2) {
            call.keys().put(call.arg(i), new Text(call.arg(i + 1)));
        }
        return Answer.ok();
    }

    private static Answer setWithTerm(Call call, long unitMillis) {
        long at = expiry(call, 2, unitMillis, call.keys().nowMillis());
        call.keys().put(call.arg(1), new Text(call.arg(3)));
        call.keys().expire(call.arg(1), at);
        return Answer.ok();
    }

    private static long expiry(Call call, int i, long unitMillis, long base) {
        long amount = call.integer(i);
        try {
            if (amount > 0) {
                return Math.addExact(Math.multiplyExact(amount, unitMillis), base);
            }
        } catch (ArithmeticException e) {
            // told below
        }
        throw CommandError.invalidExpiry(call.name());
    }

    private static Answer set(Call call) {
        boolean ifNone = false;
        boolean ifSome = false;
        boolean tell = false;
        boolean keep = false;
        int expiryAt = 0;
        for (int i = 3; i < call.size(); i++) {
            switch (call.option(i)) {
                case "NX" -> ifNone = true;
                case "XX" -> ifSome = true;
                case "GET" -> tell = true;
                case "KEEPTTL" -> keep = true;
                case "EX", "PX", "EXAT", "PXAT" -> {
                    if (expiryAt > 0 || i + 1 >= call.size()) {
                        throw CommandError.syntax();
                    }
                    expiryAt = i++;
                }
                default -> throw CommandError.syntax();
            }
        }
        if ((ifNone && ifSome) || (keep && expiryAt > 0)) {
            throw CommandError.syntax();
        }
        long at = Keyspace.NEVER;
        if (expiryAt > 0) {
            String unit = call.option(expiryAt);
            at = expiry(
                    call,
                    expiryAt + 1,
                    unit.startsWith("E") ? 1_000 : 1,
                    unit.endsWith("AT") ? 0 : call.keys().nowMillis());
        }
        String key = call.arg(1);
        Answer before = tell ? bulk(call.keys().text(key)) : Answer.ok();
        if (call.keys().exists(key) ? ifNone : ifSome) {
            return tell ? before : Answer.none();
        }
        if (keep) {
            call.keys().replace(key, new Text(call.arg(2)));
        } else {
            call.keys().put(key, new Text(call.arg(2)));
            call.keys().expire(key, at);
        }
        return before;
    }
}
