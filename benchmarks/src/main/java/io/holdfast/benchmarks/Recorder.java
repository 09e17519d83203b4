package io.holdfast.benchmarks;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What clients send to a server, word for word, as {@code MONITOR} tells it: whatever a library puts into its calls, these
 * are the calls. Begins with its making. For use by one thread.
 */
final class Recorder implements AutoCloseable {
    /**
     * What a client sent.
     *
     * @param within the commands that it called, if it is a script
     */
    record Call(List<String> words, List<List<String>> within) {
        String name() {
            return nameOf(words);
        }

        /** What ran on the server, without the words that differ from one time to the next. */
        List<String> commandsWithin() {
            return within.stream().map(Recorder::nameOf).toList();
        }
    }

    private static final String SCRIPT = "[0 lua]";
    private static final String MARK = "PING";
    private static final String END_OF_CLIENT = "] \"";

    /** They concern a connection and no lock. */
    private static final Set<String> OF_CONNECTIONS = Set.of(
            "PING",
            "ECHO",
            "HELLO",
            "AUTH",
            "CLIENT",
            "INFO",
            "CONFIG",
            "COMMAND",
            "SUBSCRIBE",
            "UNSUBSCRIBE",
            "PSUBSCRIBE",
            "PUNSUBSCRIBE",
            "SSUBSCRIBE",
            "SUNSUBSCRIBE",
            "MONITOR");

    private static final Set<String> SUBSCRIPTIONS = Set.of("SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE");

    private final RedisServer server;
    private final RespClient monitor;
    private final List<List<String>> subscriptions = new ArrayList<>();
    private List<Call> calls = new ArrayList<>();
    private int marks;

    Recorder(RedisServer server) {
        this.server = server;
        this.monitor = server.connect();
        monitor.command("MONITOR");
    }

    /** What the server has been sent since the last time; without what concerns connections. */
    List<Call> take() {
        String mark = "mark-" + ++marks;
        server.command(MARK, mark);
        while (!read().equals(List.of(MARK, mark))) {
            // The server shows what it executes in its order.
        }
        List<Call> taken = calls;
        calls = new ArrayList<>();
        return taken;
    }

    /** Waits until the server has been sent one more of which this is the first argument. */
    void awaitCall(String argument) {
        while (true) {
            int before = calls.size();
            List<String> words = read();
            if (calls.size() > before && words.size() > 1 && words.get(1).equals(argument)) {
                return;
            }
        }
    }

    /** What clients subscribed to, as they said it. */
    List<List<String>> subscriptions() {
        return List.copyOf(subscriptions);
    }

    private List<String> read() {
        String line = monitor.read().asString();
        List<String> words = words(line);
        String name = nameOf(words);
        if (line.contains(SCRIPT) && line.indexOf(SCRIPT) < line.indexOf(END_OF_CLIENT)) {
            if (!calls.isEmpty()) {
                calls.get(calls.size() - 1).within().add(words);
            }
        } else if (SUBSCRIPTIONS.contains(name)) {
            subscriptions.add(words);
        } else if (!OF_CONNECTIONS.contains(name)) {
            calls.add(new Call(words, new ArrayList<>()));
        }
        return words;
    }

    private static String nameOf(List<String> words) {
        return words.get(0).toUpperCase(Locale.ROOT);
    }

    /** Of {@code time [database client] "word" "word"}, where bytes that cannot be printed are written as in C. */
    static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        boolean open = false;
        for (int i = line.indexOf(END_OF_CLIENT) + END_OF_CLIENT.length() - 1; i < line.length(); i++) {
            char next = line.charAt(i);
            if (next == '"') {
                if (open) {
                    words.add(word.toString(StandardCharsets.UTF_8));
                    word.reset();
                }
                open = !open;
            } else if (open && next == '\\') {
                i++;
                switch (line.charAt(i)) {
                    case 'n' -> word.write('\n');
                    case 'r' -> word.write('\r');
                    case 't' -> word.write('\t');
                    case 'a' -> word.write(7);
                    case 'b' -> word.write('\b');
                    case 'x' -> {
                        word.write(Integer.parseInt(line.substring(i + 1, i + 3), 16));
                        i += 2;
                    }
                    default -> word.write(line.charAt(i));
                }
            } else if (open) {
                word.write(next);
            }
        }
        return words;
    }

    @Override
    public void close() {
        monitor.close();
    }
}
