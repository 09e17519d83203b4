package io.holdfast.testkit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

/**
 * Runs scripts as Redis 7.0 does: what they may call, and how values go in and out. A script is compiled once. For use
 * under the server's lock; a script runs to its end, however long that is.
 */
final class LuaScripts {
    private static final String CHUNK = "user_script";
    private static final int MOST_COMPILED = 100;
    /** Of all servers, by text; a prototype never changes. */
    private static final Map<String, Prototype> COMPILED = new ConcurrentHashMap<>();

    /** @param body the compiled text, whose local variables are new in each run */
    record Script(String sha1, String text, LuaClosure body) {}

    private final Globals globals;
    private final LuaTable shared; // what a script sees as global
    private final Map<String, Script> scripts = new HashMap<>(); // by SHA-1
    private @Nullable Call running;

    LuaScripts() {
        this.globals = LuaLibrary.newGlobals();
        this.shared = globals;
        LuaTable redis = new LuaTable();
        redis.set("call", function(words -> call(words, true)));
        redis.set("pcall", function(words -> call(words, false)));
        redis.set("sha1hex", function(args -> LuaLibrary.ofOctets(sha1(octets(args.arg1())))));
        redis.set("status_reply", function(args -> single("ok", octets(args.arg1()))));
        redis.set("error_reply", function(args -> single("err", errorText(octets(args.arg1())))));
        redis.set("log", function(args -> LuaValue.NONE));
        redis.set("setresp", function(args -> LuaValue.NONE));
        redis.set("replicate_commands", function(args -> LuaValue.TRUE));
        String[] levels = {"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"};
        for (int i = 0; i < levels.length; i++) {
            redis.set(levels[i], i);
        }
        globals.set("pcall", function(LuaScripts::guarded));
        globals.set("redis", redis);
        globals.set("KEYS", new LuaTable());
        globals.set("ARGV", new LuaTable());
        LuaTable guard = new LuaTable();
        guard.set("__index", function(args -> {
            throw new LuaError("Script attempted to access nonexistent global variable '"
                    + args.arg(2).tojstring() + "'");
        }));
        guard.set("__newindex", function(args -> {
            throw new LuaError("Attempt to modify a readonly table");
        }));
        globals.setmetatable(guard);
    }

    private interface Body {
        Varargs run(Varargs args);
    }

    private static LuaValue function(Body body) {
        return new VarArgFunction() {
            @Override
            public Varargs invoke(Varargs args) {
                return body.run(args);
            }
        };
    }

    // ---- the cache

    /** Compiles a text, if it was not before. */
    Script load(String text) {
        String sha1 = sha1(text);
        Script known = scripts.get(sha1);
        if (known != null) {
            return known;
        }
        Script script = new Script(sha1, text, new LuaClosure(compiled(text), globals));
        scripts.put(sha1, script);
        return script;
    }

    /** Where servers are made by the thousand, most of the time would go into compiling the same few scripts. */
    private Prototype compiled(String text) {
        Prototype known = COMPILED.get(text);
        if (known != null) {
            return known;
        }
        try {
            Prototype compiled = LuaLibrary.compile(globals, text, CHUNK);
            if (COMPILED.size() < MOST_COMPILED) {
                COMPILED.put(text, compiled);
            }
            return compiled;
        } catch (LuaError e) {
            throw new CommandError("ERR Error compiling script (new function): " + message(e));
        }
    }

    Script known(String sha1) {
        Script script = scripts.get(sha1.toLowerCase(Locale.ROOT));
        if (script == null) {
            throw new CommandError("NOSCRIPT No matching script. Please use EVAL.");
        }
        return script;
    }

    boolean knows(String sha1) {
        return scripts.containsKey(sha1.toLowerCase(Locale.ROOT));
    }

    void forget() {
        scripts.clear();
    }

    static String sha1(String octets) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(octets.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }

    // ---- running

    /** What a script that fails has written stays written. */
    Answer run(Call call, Script script, List<String> keys, List<String> args) {
        running = call;
        try {
            shared.rawset("KEYS", list(keys));
            shared.rawset("ARGV", list(args));
            return answer(script.body().call());
        } catch (LuaError e) {
            return new Answer.Failure(failure(e) + " script: " + script.sha1() + ", on @" + CHUNK + ".");
        } catch (StackOverflowError e) {
            return new Answer.Failure("ERR stack overflow script: " + script.sha1() + ", on @" + CHUNK + ".");
        } finally {
            running = null;
        }
    }

    private Varargs call(Varargs words, boolean raise) {
        Call outer = running;
        if (outer == null) {
            throw new LuaError("redis.call can only be called from a script");
        }
        Answer answer;
        if (words.narg() == 0) {
            answer = new Answer.Failure("ERR Please specify at least one argument for this redis lib call");
        } else {
            List<String> line = words(words);
            answer = line == null
                    ? new Answer.Failure("ERR Lua redis lib command arguments must be strings or integers")
                    : outer.server().commands().runInScript(new Call(outer.server(), outer.session(), line));
        }
        LuaValue value = value(answer);
        if (raise && answer instanceof Answer.Failure) {
            throw new LuaError(value);
        }
        return value;
    }

    /** Lua's own {@code pcall}, which in Redis answers the text of an error that a command has raised, not its table. */
    private static Varargs guarded(Varargs args) {
        try {
            return LuaValue.varargsOf(LuaValue.TRUE, args.checkvalue(1).invoke(args.subargs(2)));
        } catch (LuaError e) {
            LuaValue thrown = e.getMessageObject();
            if (thrown != null
                    && thrown.istable()
                    && thrown.checktable().rawget("err").isstring()) {
                return LuaValue.varargsOf(LuaValue.FALSE, thrown.checktable().rawget("err"));
            }
            boolean isText = thrown == null || thrown.type() == LuaValue.TSTRING;
            return LuaValue.varargsOf(LuaValue.FALSE, isText ? LuaLibrary.ofOctets(message(e)) : thrown);
        }
    }

    private static @Nullable List<String> words(Varargs words) {
        List<String> line = new ArrayList<>(words.narg());
        for (int i = 1; i <= words.narg(); i++) {
            LuaValue word = words.arg(i);
            if (word.type() == LuaValue.TNUMBER) {
                line.add(LuaNumbers.argument(word.todouble()));
            } else if (word.type() == LuaValue.TSTRING) {
                line.add(octets(word));
            } else {
                return null;
            }
        }
        return line;
    }

    private static String octets(LuaValue value) {
        return value.type() == LuaValue.TNUMBER
                ? LuaNumbers.text(value.todouble())
                : LuaLibrary.toOctets(value.checkstring());
    }

    private static LuaTable list(List<String> octets) {
        LuaTable list = new LuaTable(octets.size(), 0);
        for (int i = 0; i < octets.size(); i++) {
            list.set(i + 1, LuaLibrary.ofOctets(octets.get(i)));
        }
        return list;
    }

    // ---- values

    private static LuaTable single(String field, String octets) {
        LuaTable table = new LuaTable();
        table.set(field, LuaLibrary.ofOctets(octets));
        return table;
    }

    /** Redis wants a code before a space; a text of its own gets the general one. */
    private static String errorText(String text) {
        String plain = text.startsWith("-") ? text.substring(1) : text;
        return plain.indexOf(' ') < 0 ? "ERR " + plain : plain;
    }

    private static LuaValue value(Answer answer) {
        if (answer instanceof Answer.Status status) {
            return single("ok", status.text());
        } else if (answer instanceof Answer.Failure failure) {
            return single("err", failure.text());
        } else if (answer instanceof Answer.Bulk bulk) {
            return LuaLibrary.ofOctets(bulk.octets());
        } else if (answer instanceof Answer.Whole whole) {
            return LuaValue.valueOf((double) whole.number());
        } else if (answer instanceof Answer.Many many) {
            LuaTable table = new LuaTable(many.elements().size(), 0);
            int i = 0;
            for (Answer element : many.elements()) {
                table.set(++i, value(element));
            }
            return table;
        }
        return LuaValue.FALSE;
    }

    private static Answer answer(LuaValue value) {
        switch (value.type()) {
            case LuaValue.TSTRING -> {
                return Answer.of(LuaLibrary.toOctets(value.checkstring()));
            }
            case LuaValue.TNUMBER -> {
                return Answer.of((long) value.todouble()); // cut, not rounded
            }
            case LuaValue.TBOOLEAN -> {
                return value.toboolean() ? Answer.of(1) : Answer.none();
            }
            case LuaValue.TTABLE -> {
                LuaTable table = value.checktable();
                if (table.rawget("err").type() == LuaValue.TSTRING) {
                    return new Answer.Failure(oneLine(octets(table.rawget("err"))));
                }
                if (table.rawget("ok").type() == LuaValue.TSTRING) {
                    return new Answer.Status(oneLine(octets(table.rawget("ok"))));
                }
                List<Answer> elements = new ArrayList<>();
                for (int i = 1; !table.rawget(i).isnil(); i++) {
                    elements.add(answer(table.rawget(i)));
                }
                return Answer.of(elements);
            }
            default -> {
                return Answer.none();
            }
        }
    }

    private static String oneLine(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }

    private static String failure(LuaError error) {
        LuaValue thrown = error.getMessageObject();
        if (thrown != null && thrown.istable()) {
            LuaValue text = thrown.checktable().rawget("err");
            return text.type() == LuaValue.TSTRING ? oneLine(octets(text)) : "ERR unknown error";
        }
        return "ERR " + oneLine(message(error));
    }

    /** The text with its line, as Lua tells it: {@code user_script:12: text}. LuaJ puts no colon between. */
    private static String message(LuaError error) {
        String text = String.valueOf(error.getMessage());
        return text.replaceFirst("^(" + CHUNK + ":\\d+):? ", "$1: ");
    }
}
