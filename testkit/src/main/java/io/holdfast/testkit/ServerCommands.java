package io.holdfast.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Commands about the server, its scripts, its clients and its channels. */
final class ServerCommands {
    private static final String MAX_MEMORY = "maxmemory";
    private static final Map<String, String> CONFIG = new TreeMap<>(
            Map.of(MAX_MEMORY, "", "maxmemory-policy", "noeviction", "save", "", "appendonly", "no", "databases", "1"));
    private static final String INFO = """
        # Server\r
        redis_version:7.0.15\r
        redis_mode:standalone\r
        run_id:RUN\r
        # Memory\r
        maxmemory:MAX\r
        maxmemory_policy:noeviction\r
        # Replication\r
        role:master\r
        connected_slaves:0\r
        """;

    private ServerCommands() {}

    static void addTo(CommandTable table, LuaScripts scripts) {
        table.add("PING", -1, call -> call.size() > 1 ? Answer.of(call.arg(1)) : new Answer.Status("PONG"));
        table.add("ECHO", 2, call -> Answer.of(call.arg(1)));
        table.add("TIME", 1, call -> {
            long micros = call.keys().nowMicros();
            return Answer.texts(List.of(Long.toString(micros / 1_000_000), Long.toString(micros % 1_000_000)));
        });
        table.add(
                "INFO",
                -1,
                call -> Answer.of(INFO.replace("RUN", call.server().runId())
                        .replace("MAX", Long.toString(call.server().maxMemory()))));
        table.add("ROLE", 1, call -> Answer.of(List.of(Answer.of("master"), Answer.of(0), Answer.of(List.of()))));
        table.add("WAIT", 3, call -> Answer.of(0)); // there are no replicas
        table.add("SELECT", 2, call -> {
            if (call.integer(1) != 0) {
                throw new CommandError("ERR DB index is out of range");
            }
            return Answer.ok();
        });
        table.add("FLUSHALL", -1, ServerCommands::flush);
        table.add("FLUSHDB", -1, ServerCommands::flush);
        table.add("CONFIG", -2, ServerCommands::config);
        table.add("CLIENT", -2, ServerCommands::client);
        table.add("PUBLISH", 3, call -> Answer.of(call.server().publish(call.arg(1), call.arg(2))));
        table.add("PUBSUB", -2, ServerCommands::pubsub);
        table.add("SCRIPT", -2, call -> script(call, scripts));
        table.add("EVAL", -3, call -> {
            Invocation invocation = Invocation.of(call);
            return scripts.run(call, scripts.load(call.arg(1)), invocation.keys(), invocation.args());
        });
        table.add("EVALSHA", -3, call -> {
            Invocation invocation = Invocation.of(call);
            return scripts.run(call, scripts.known(call.arg(1)), invocation.keys(), invocation.args());
        });
    }

    private record Invocation(List<String> keys, List<String> args) {
        static Invocation of(Call call) {
            long keys = call.integer(2);
            if (keys < 0) {
                throw new CommandError("ERR Number of keys can't be negative");
            }
            if (keys > call.size() - 3) {
                throw new CommandError("ERR Number of keys can't be greater than number of args");
            }
            int end = 3 + (int) keys;
            return new Invocation(call.words().subList(3, end), call.words().subList(end, call.size()));
        }
    }

    private static Answer flush(Call call) {
        call.keys().clear();
        return Answer.ok();
    }

    private static CommandError unknownPart(Call call) {
        return new CommandError("ERR unknown subcommand '" + call.arg(1) + "'. Try " + call.option(0) + " HELP.");
    }

    private static Answer config(Call call) {
        switch (call.option(1)) {
            case "GET" -> {
                List<Answer> found = new ArrayList<>();
                CONFIG.forEach((name, value) -> {
                    for (int i = 2; i < call.size(); i++) {
                        if (new Glob(call.arg(i)).matches(name)) {
                            found.add(Answer.of(name));
                            found.add(
                                    name.equals(MAX_MEMORY)
                                            ? Answer.of(
                                                    Long.toString(call.server().maxMemory()))
                                            : Answer.of(value));
                            break;
                        }
                    }
                });
                return Answer.of(found);
            }
            case "SET" -> {
                return configure(call);
            }
            case "RESETSTAT" -> {
                return Answer.ok();
            }
            default -> throw unknownPart(call);
        }
    }

    /** Memory alone can be limited; what is as it is may be said. */
    private static Answer configure(Call call) {
        if (call.size() < 4 || call.size() % 2 != 0) {
            throw CommandTable.wrongNumber("config|set");
        }
        for (int i = 2; i < call.size(); i += 2) {
            String name = call.arg(i).toLowerCase(Locale.ROOT);
            if (!name.equals(MAX_MEMORY) && !call.arg(i + 1).equals(CONFIG.get(name))) {
                throw new CommandError(
                        "ERR Unknown option or number of arguments for CONFIG SET - '" + call.arg(i) + "'");
            }
        }
        for (int i = 2; i < call.size(); i += 2) {
            if (call.option(i).equalsIgnoreCase(MAX_MEMORY)) {
                call.server().limitMemory(call.integer(i + 1));
            }
        }
        return Answer.ok();
    }

    private static Answer client(Call call) {
        MemoryDriver session = call.session();
        switch (call.option(1)) {
            case "ID" -> {
                return Answer.of(session == null ? 0 : session.id());
            }
            case "GETNAME" -> {
                return Answer.of(session == null ? "" : session.name());
            }
            case "SETNAME" -> {
                if (call.size() != 3) {
                    throw CommandTable.wrongNumber("client|setname");
                }
                if (session != null) {
                    session.rename(call.arg(2));
                }
                return Answer.ok();
            }
            case "LIST" -> {
                StringBuilder list = new StringBuilder();
                for (MemoryDriver one : call.server().drivers()) {
                    list.append("id=")
                            .append(one.id())
                            .append(" name=")
                            .append(one.name())
                            .append(" sub=")
                            .append(call.server().channelsOf(one))
                            .append('\n');
                }
                return Answer.of(list.toString());
            }
            default -> throw unknownPart(call);
        }
    }

    private static Answer pubsub(Call call) {
        switch (call.option(1)) {
            case "NUMSUB" -> {
                List<Answer> counts = new ArrayList<>();
                for (int i = 2; i < call.size(); i++) {
                    counts.add(Answer.of(call.arg(i)));
                    counts.add(Answer.of(call.server().listeners(call.arg(i))));
                }
                return Answer.of(counts);
            }
            case "CHANNELS" -> {
                Glob pattern = new Glob(call.size() > 2 ? call.arg(2) : "*");
                return Answer.texts(call.server().channels().stream()
                        .filter(pattern::matches)
                        .toList());
            }
            case "NUMPAT" -> {
                return Answer.of(0);
            }
            default -> throw unknownPart(call);
        }
    }

    private static Answer script(Call call, LuaScripts scripts) {
        switch (call.option(1)) {
            case "LOAD" -> {
                if (call.size() != 3) {
                    throw CommandTable.wrongNumber("script|load");
                }
                return Answer.of(scripts.load(call.arg(2)).sha1());
            }
            case "EXISTS" -> {
                List<Answer> known = new ArrayList<>();
                for (int i = 2; i < call.size(); i++) {
                    known.add(Answer.of(scripts.knows(call.arg(i))));
                }
                return Answer.of(known);
            }
            case "FLUSH" -> {
                scripts.forget();
                return Answer.ok();
            }
            default -> throw unknownPart(call);
        }
    }
}
