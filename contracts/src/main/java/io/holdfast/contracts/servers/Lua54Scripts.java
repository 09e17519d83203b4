package io.holdfast.contracts.servers;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import party.iroiro.luajava.JFunction;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.lua54.Lua54;

/**
 * Runs scripts in Lua 5.4 over a server's commands, as a server does whose engine is no longer Lua 5.1: a number that a command
 * answers is an integer, {@code unpack} is in {@code table} alone, and {@code pcall} answers the error that was raised. A global that
 * is not there is an error. For use by one thread.
 *
 * <p>Who uses it needs {@code luajava}, {@code lua54} and its C library on the class path.
 */
public final class Lua54Scripts implements AutoCloseable {
    private static final String AROUND = """
            local compiled, ran, redis = {}, {}, {}
            local seen = {
              error = error, ipairs = ipairs, pairs = pairs, pcall = pcall, select = select, tonumber = tonumber,
              tostring = tostring, type = type, math = math, string = string, table = table, redis = redis,
            }
            setmetatable(seen, {
              __index = function(_, name) error('nonexistent global variable ' .. name) end,
              __newindex = function(_, name) error('readonly table ' .. name) end,
            })
            local function word(value)
              if math.type(value) == 'integer' then
                return string.format('%d', value)
              elseif math.type(value) == 'float' then
                return string.format('%.17g', value)
              elseif type(value) == 'string' then
                return value
              end
              error({ err = 'ERR Lua redis lib command arguments must be strings or integers' })
            end
            local function call(...)
              local words = { ... }
              for i = 1, select('#', ...) do
                words[i] = word(words[i])
              end
              return ask(table.unpack(words))
            end
            redis.pcall = call
            function redis.call(...)
              local answer = call(...)
              if type(answer) == 'table' and answer.err then
                error(answer)
              end
              return answer
            end
            function redis.sha1hex(text)
              return ask('sha1hex', text)
            end
            local function shown(value)
              if type(value) == 'string' then
                return value
              elseif type(value) == 'number' then
                return string.format('%d', value // 1 | 0)
              elseif type(value) ~= 'table' then
                return value and '1' or '(nothing)'
              end
              local all = {}
              for i = 1, #value do
                all[i] = shown(value[i])
              end
              return '[' .. table.concat(all, ', ') .. ']'
            end
            function evaluate(text, keys, args)
              local body = compiled[text]
              if not body then
                body = assert(load(text, '=user_script', 't', seen))
                compiled[text] = body
                ran[text] = {}
              end
              rawset(seen, 'KEYS', keys)
              rawset(seen, 'ARGV', args)
              local lines = ran[text]
              debug.sethook(function(_, line) lines[line] = true end, 'l')
              local done, value = pcall(body)
              debug.sethook()
              if done then
                return shown(value)
              end
              return 'error ' .. (type(value) == 'table' and value.err or 'ERR ' .. tostring(value))
            end
            function lines(text)
              local all = {}
              for line in pairs(ran[text] or {}) do
                all[#all + 1] = string.format('%d', line)
              end
              return table.concat(all, ' ')
            end
            """;

    /** Whose answers are texts, also those that look like numbers. */
    private static final Set<String> TEXTS =
            Set.of("GET", "SET", "MGET", "HGET", "HMGET", "HKEYS", "ZRANGE", "ZSCORE", "ZMSCORE", "TIME", "INFO");

    private static final Pattern NUMBER = Pattern.compile("-?\\d+");

    private static final int LONGEST = 5_000; // lines of a script

    private final Lua lua = new Lua54();
    private final Function<List<String>, Reply> server;

    /** @param server answers commands, or throws {@link DriverException} */
    public Lua54Scripts(Function<List<String>, Reply> server) {
        this.server = server;
        lua.openLibraries();
        lua.push((JFunction) this::ask);
        lua.setGlobal("ask");
        lua.run("\n".repeat(LONGEST) + AROUND); // its own lines are counted, too, behind those of any script
    }

    private int ask(Lua called) {
        String[] words = new String[called.getTop()];
        for (int i = 0; i < words.length; i++) {
            words[i] = called.toString(i + 1);
        }
        if (words[0].equals("sha1hex")) {
            called.push(server.apply(List.of("EVAL", "return redis.sha1hex(ARGV[1])", "0", words[1]))
                    .asString());
            return 1;
        }
        try {
            push(called, server.apply(List.of(words)), !TEXTS.contains(words[0]));
        } catch (DriverException e) {
            single(called, "err", String.valueOf(e.getMessage()));
        }
        return 1;
    }

    private static void single(Lua called, String field, String text) {
        called.createTable(0, 1);
        called.push(text);
        called.setField(-2, field);
    }

    private static void push(Lua called, Reply reply, boolean numbers) {
        if (reply.isNull()) {
            called.push(false);
        } else if (reply.isList()) {
            List<Reply> elements = reply.asList();
            called.createTable(elements.size(), 0);
            for (int i = 0; i < elements.size(); i++) {
                push(called, elements.get(i), numbers);
                called.rawSetI(-2, i + 1);
            }
        } else if (numbers && NUMBER.matcher(reply.asString()).matches()) {
            called.push(reply.asLong());
        } else {
            called.push(reply.asString());
        }
    }

    /** Returns the reply as text: a list in brackets, an error behind that word. */
    public String run(String text, List<String> keys, List<String> args) {
        lua.getGlobal("evaluate");
        lua.push(text);
        push(keys);
        push(args);
        lua.pCall(3, 1);
        return result();
    }

    private void push(List<String> words) {
        push(lua, Reply.of(words.stream().map(Reply::of).toList()), false);
    }

    private String result() {
        String text = String.valueOf(lua.toString(-1));
        lua.pop(1);
        return text;
    }

    /** The lines of a script that have been run, the first one being 1. */
    public Set<Integer> linesThatRan(String text) {
        lua.getGlobal("lines");
        lua.push(text);
        lua.pCall(1, 1);
        Set<Integer> lines = new TreeSet<>();
        for (String line : result().split(" ", -1)) {
            if (!line.isEmpty() && Integer.parseInt(line) <= LONGEST) {
                lines.add(Integer.valueOf(line));
            }
        }
        return lines;
    }

    @Override
    public void close() {
        lua.close();
    }
}
