package io.holdfast.benchmarks;

import io.holdfast.contracts.servers.RedisServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a server has counted so far.
 *
 * <p>A server counts what scripts call among the commands that it processed. Requests, as a network sees them, are what
 * scripts cannot call, and what a contestant is known to send by itself.
 *
 * @param requests from clients
 * @param commands with those that scripts called
 * @param cpuMicros of the whole process
 * @param bytes in and out
 */
record ServerCounts(long requests, long commands, double cpuMicros, long bytes) {
    private static final Set<String> NEVER_IN_SCRIPTS = Set.of(
            "eval",
            "evalsha",
            "eval_ro",
            "evalsha_ro",
            "fcall",
            "ping",
            "subscribe",
            "unsubscribe",
            "psubscribe",
            "punsubscribe",
            "ssubscribe",
            "sunsubscribe",
            "multi",
            "exec",
            "wait",
            "hello",
            "auth",
            "select",
            "client|setname",
            "client|setinfo",
            "client|id",
            "script|load",
            "script|exists");

    static ServerCounts of(RedisServer server, List<String> ownCommands) {
        Map<String, String> info = info(server, "everything");
        long requests = 0;
        for (Map.Entry<String, String> each : info.entrySet()) {
            if (each.getKey().startsWith("cmdstat_")) {
                String command = each.getKey().substring("cmdstat_".length());
                if (NEVER_IN_SCRIPTS.contains(command) || ownCommands.contains(command)) {
                    requests += callsOf(each.getValue());
                }
            }
        }
        return new ServerCounts(
                requests,
                number(info, "total_commands_processed"),
                1e6 * (decimal(info, "used_cpu_user") + decimal(info, "used_cpu_sys")),
                number(info, "total_net_input_bytes") + number(info, "total_net_output_bytes"));
    }

    ServerCounts since(ServerCounts before) {
        return new ServerCounts(
                requests - before.requests,
                commands - before.commands,
                cpuMicros - before.cpuMicros,
                bytes - before.bytes);
    }

    /** Bytes that the server's allocator has given out, but for the buffers of clients, which come and go. */
    static long usedMemory(RedisServer server) {
        Map<String, String> memory = info(server, "memory");
        return number(memory, "used_memory") - number(memory, "mem_clients_normal");
    }

    /** How many connections are open, but for the one that asks. */
    static long connections(RedisServer server) {
        return number(info(server, "clients"), "connected_clients") - 1;
    }

    static Map<String, String> info(RedisServer server, String section) {
        Map<String, String> result = new HashMap<>();
        server.command("INFO", section).asString().lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.startsWith("#")) {
                result.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return result;
    }

    /** What a server has spent in one command. */
    record Spent(long calls, long micros) {}

    /** By its own count, since it began or was told to forget. */
    static Spent spentIn(RedisServer server, String command) {
        String statistics = info(server, "commandstats").getOrDefault("cmdstat_" + command, "calls=0,usec=0,");
        int usec = statistics.indexOf("usec=") + "usec=".length();
        return new Spent(
                callsOf(statistics), Long.parseLong(statistics.substring(usec, statistics.indexOf(',', usec))));
    }

    /** Of {@code calls=3,usec=…}. */
    private static long callsOf(String statistics) {
        return Long.parseLong(statistics.substring("calls=".length(), statistics.indexOf(',')));
    }

    private static long number(Map<String, String> info, String key) {
        return Long.parseLong(info.getOrDefault(key, "0"));
    }

    private static double decimal(Map<String, String> info, String key) {
        return Double.parseDouble(info.getOrDefault(key, "0"));
    }
}
