package io.holdfast.testkit;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The commands that {@link MemoryServer} knows. */
final class CommandTable {
    /** Carries out one command, under the server's lock. */
    interface Handler {
        Answer run(Call call);
    }

    /** @param arity the number of words, or if negative the least number */
    private record Entry(int arity, Handler handler) {}

    /** What may need memory: {@code denyoom}, as servers have it. */
    private static final Set<String> NEED_MEMORY = Set.of(
            "APPEND", "DECR", "DECRBY", "GETSET", "HINCRBY", "HMSET", "HSET", "HSETNX", "INCR", "INCRBY", "LPUSH",
            "MSET", "PSETEX", "RPUSH", "SADD", "SET", "SETEX", "SETNX", "ZADD", "ZINCRBY");

    private static final Set<String> OTHER_WRITES = Set.of(
            "DEL",
            "EXPIRE",
            "EXPIREAT",
            "FLUSHALL",
            "FLUSHDB",
            "GETDEL",
            "HDEL",
            "LPOP",
            "LREM",
            "PERSIST",
            "PEXPIRE",
            "PEXPIREAT",
            "RENAME",
            "RPOP",
            "SREM",
            "UNLINK",
            "ZPOPMAX",
            "ZPOPMIN",
            "ZREM",
            "ZREMRANGEBYRANK",
            "ZREMRANGEBYSCORE");

    private static final Set<String> NOT_IN_SCRIPTS = Set.of("EVAL", "EVALSHA", "SCRIPT", "CLIENT", "CONFIG", "WAIT");

    private final Map<String, Entry> entries = new HashMap<>();

    private final LuaScripts scripts;

    /** Whether the present command, or a command of the present script, writes: from then on a script is not stopped halfway. */
    private boolean writes;

    CommandTable(LuaScripts scripts) {
        this.scripts = scripts;
        KeyCommands.addTo(this);
        StringCommands.addTo(this);
        HashCommands.addTo(this);
        SortedSetCommands.addTo(this);
        CollectionCommands.addTo(this);
        ServerCommands.addTo(this, scripts);
    }

    void add(String name, int arity, Handler handler) {
        entries.put(name, new Entry(arity, handler));
    }

    /** Runs what a client has sent. */
    Answer run(Call call) {
        try {
            Entry entry = entries.get(call.option(0));
            if (entry == null) {
                throw new CommandError(unknown(call));
            }
            if (!fits(entry, call)) {
                throw wrongNumber(call.name());
            }
            writes = false;
            refuseIfFull(call);
            return entry.handler().run(call);
        } catch (CommandError e) {
            return new Answer.Failure(e.text());
        }
    }

    /** Runs what a script calls. */
    Answer runInScript(Call call) {
        try {
            String name = call.option(0);
            @Nullable Entry entry = entries.get(name);
            if (entry == null) {
                throw new CommandError("ERR Unknown Redis command called from script");
            }
            if (!fits(entry, call)) {
                throw new CommandError("ERR Wrong number of args calling Redis command from script");
            }
            if (NOT_IN_SCRIPTS.contains(name)) {
                throw new CommandError("ERR This Redis command is not allowed from script");
            }
            refuseIfFull(call);
            return entry.handler().run(call);
        } catch (CommandError e) {
            return new Answer.Failure(e.text());
        }
    }

    private void refuseIfFull(Call call) {
        String name = call.option(0);
        boolean needsMemory = NEED_MEMORY.contains(name);
        if (needsMemory && !writes && call.server().isFull()) {
            throw new CommandError("OOM command not allowed when used memory > 'maxmemory'.");
        }
        writes |= needsMemory || OTHER_WRITES.contains(name);
    }

    /** The text of a script that was loaded; null if there is none. */
    @Nullable
    String scriptText(String sha1) {
        return scripts.knows(sha1) ? scripts.known(sha1).text() : null;
    }

    static CommandError wrongNumber(String name) {
        return new CommandError("ERR wrong number of arguments for '" + name.toLowerCase(Locale.ROOT) + "' command");
    }

    private static boolean fits(Entry entry, Call call) {
        return entry.arity() > 0 ? call.size() == entry.arity() : call.size() >= -entry.arity();
    }

    private static String unknown(Call call) {
        StringBuilder text =
                new StringBuilder("ERR unknown command '").append(call.arg(0)).append("', with args beginning with: ");
        for (int i = 1; i < call.size() && text.length() < 128; i++) {
            text.append('\'').append(call.arg(i)).append("' ");
        }
        return text.toString();
    }
}
