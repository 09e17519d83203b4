package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestant;
import io.holdfast.benchmarks.contestants.Contestant.Grip;
import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The server's own time for what a lock's scripts do. */
final class ScriptScenario implements Scenario {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final long LIMIT_MILLIS = 10_000;
    /** Before anything is recorded, so that scripts are loaded. */
    private static final int FIRST_CYCLES = 20;

    private static final String FLOOR = "floor-scripts";
    private static final String OURS = "holdfast-lettuce";
    private static final String CONTENDED = "holdfast-contended";
    private static final String BARE = "commands-free";
    private static final String BARE_CONTENDED = "commands-contended";
    /** One holds the lock, and seven wait. */
    private static final int REQUESTS = 8;

    @Override
    public String id() {
        return "scripts";
    }

    @Override
    public String title() {
        return "Script cost";
    }

    @Override
    public String meaning() {
        return "The table shows the server's own count (`INFO commandstats`) of the time in the scripts of a cycle,"
                + " without any client in the way. The requests that the libraries' clients sent to a server were"
                + " recorded, and are sent to this server again, pipelined. The free lock is acquired and released. The"
                + " contended lock is released while seven others wait, so it is handed over. Then it is requested again,"
                + " and this request is queued. *Its commands alone* are scripts that run the same commands with the same"
                + " arguments, and decide nothing. The floor is SET NX PX and a compare-and-delete, both as scripts.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("cycle", "µs of scripts a cycle", 2),
                Metric.lower("call", "µs a call", 2),
                Metric.lower("calls", "calls a cycle", 2),
                Metric.lower("otherwise", "% of calls that ran differently from the recording", 1));
    }

    @Override
    public List<String> references() {
        return List.of(FLOOR);
    }

    @Override
    public List<String> contestants(int size) {
        return List.of(
                FLOOR,
                OURS,
                "holdfast-strict-lettuce",
                CONTENDED,
                BARE,
                BARE_CONTENDED,
                "redisson-lock",
                "redisson-fair",
                "spring-obtain");
    }

    @Override
    public String label(String contestant) {
        return switch (contestant) {
            case CONTENDED -> "Holdfast, contended";
            case BARE -> "Its commands alone, free lock";
            case BARE_CONTENDED -> "Its commands alone, contended";
            default -> Contestants.of(contestant).label() + ", free lock";
        };
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        Scale scale = stage.scale();
        RedisServer server = RedisServer.start();
        return new Session() {
            private @Nullable RespClient listener;
            private @Nullable RespClient connection;
            private @Nullable Replay replay;
            private double otherwise;

            @Override
            public void warm() throws Exception {
                try (Recorder recorder = new Recorder(server)) {
                    boolean bare = contestant.equals(BARE) || contestant.equals(BARE_CONTENDED);
                    boolean contended = contestant.equals(CONTENDED) || contestant.equals(BARE_CONTENDED);
                    List<List<Recorder.Call>> recorded = contended
                            ? recordContended(server, recorder, scale)
                            : recordFree(bare ? OURS : contestant, server, recorder, scale);
                    Replay made = new Replay(
                            server, bare ? BareCommands.of(server, recorded) : recorded, contended ? REQUESTS : 0);
                    // Whether somebody listens matters to scripts; what they are told is not for anybody.
                    RespClient listening = server.connect();
                    listener = listening;
                    recorder.subscriptions().forEach(words -> listening.send(words.toArray(String[]::new)));
                    Threads.start(false, () -> swallow(listening));
                    RespClient opened = server.connect();
                    connection = opened;
                    otherwise = 100 * made.rehearse(opened, recorder);
                    replay = made;
                }
            }

            @Override
            public Sample measure() {
                if (replay == null || connection == null) {
                    throw new IllegalStateException("nothing was recorded");
                }
                long calls = 0;
                long micros = Long.MAX_VALUE;
                for (int i = 0; i < scale.replays(); i++) {
                    replay.run(connection);
                    ServerCounts.Spent scripts = ServerCounts.spentIn(server, "evalsha");
                    calls = scripts.calls();
                    micros = Math.min(micros, scripts.micros()); // whatever else the machine does only adds
                }
                double cycles = (double) scale.recordedLocks() * scale.recordedCycles();
                Map<String, Double> values = new LinkedHashMap<>();
                values.put("cycle", micros / cycles);
                values.put("call", (double) micros / Math.max(1, calls));
                values.put("calls", calls / cycles);
                values.put("otherwise", otherwise);
                return new Sample(values, null);
            }

            @Override
            public void close() {
                if (connection != null) {
                    connection.close();
                }
                if (listener != null) {
                    listener.close();
                }
                server.close();
            }
        };
    }

    private static void swallow(RespClient connection) {
        try {
            connection.readTimeout(Duration.ofDays(1));
            while (true) {
                connection.read();
            }
        } catch (RuntimeException e) {
            // It was closed.
        }
    }

    private static List<List<Recorder.Call>> recordFree(
            String contestant, RedisServer server, Recorder recorder, Scale scale) throws Exception {
        List<List<Recorder.Call>> recorded = new ArrayList<>();
        try (Contestant client = Contestants.of(contestant).maker().connect(server.url(), TERM)) {
            cycle(client, "first", FIRST_CYCLES);
            recorder.take();
            for (int i = 0; i < scale.recordedLocks(); i++) {
                cycle(client, "free-" + i, scale.recordedCycles());
                recorded.add(recorder.take());
            }
        }
        recorder.take();
        return recorded;
    }

    private static void cycle(Contestant client, String lock, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            client.acquire(lock).release();
        }
    }

    private static List<List<Recorder.Call>> recordContended(RedisServer server, Recorder recorder, Scale scale)
            throws Exception {
        List<List<Recorder.Call>> recorded = new ArrayList<>();
        List<Contestant> clients = new ArrayList<>();
        try {
            for (int i = 0; i < REQUESTS; i++) {
                clients.add(Contestants.of(OURS).maker().connect(server.url(), TERM));
                cycle(clients.get(i), "first-" + i, FIRST_CYCLES);
            }
            recorder.take();
            cycle(clients.get(0), "first", 1);
            List<String> scripts =
                    recorder.take().stream().map(ScriptScenario::script).toList();
            contend(clients, "first", FIRST_CYCLES, scripts.get(0), recorder);
            for (int i = 0; i < scale.recordedLocks(); i++) {
                List<Recorder.Call> calls =
                        contend(clients, "hot-" + i, scale.recordedCycles(), scripts.get(0), recorder);
                // While the machine is slow, clients confirm and refresh what they would not have had the time for.
                recorded.add(calls.stream()
                        .filter(call -> scripts.contains(script(call)))
                        .toList());
            }
        } finally {
            clients.forEach(Contestant::close);
        }
        recorder.take();
        return recorded;
    }

    private static String script(Recorder.Call call) {
        return call.words().get(1);
    }

    /** Each client has one request for the lock: one holds it, the others wait, and who has released it asks anew. */
    private static List<Recorder.Call> contend(
            List<Contestant> clients, String lock, int cycles, String asking, Recorder recorder) throws Exception {
        List<Recorder.Call> calls = new ArrayList<>();
        Map<Contestant, CompletableFuture<Grip>> requests = new LinkedHashMap<>();
        recorder.take();
        for (Contestant client : clients) {
            calls.addAll(recorder.take());
            requests.put(client, client.acquireAsync(lock, 1).toCompletableFuture());
            recorder.awaitCall(asking);
        }
        for (int i = 0; i < cycles; i++) {
            Contestant holder = holder(requests);
            release(requests, holder);
            holder(requests); // it has been handed over
            calls.addAll(recorder.take());
            requests.put(holder, holder.acquireAsync(lock, 1).toCompletableFuture());
            recorder.awaitCall(asking);
        }
        calls.addAll(recorder.take());
        while (!requests.isEmpty()) {
            release(requests, holder(requests));
        }
        return calls;
    }

    private static Contestant holder(Map<Contestant, CompletableFuture<Grip>> requests) throws Exception {
        CompletableFuture.anyOf(requests.values().toArray(CompletableFuture<?>[]::new))
                .get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        return requests.entrySet().stream()
                .filter(each -> each.getValue().isDone())
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private static void release(Map<Contestant, CompletableFuture<Grip>> requests, Contestant holder) throws Exception {
        CompletableFuture<Grip> granted = requests.remove(holder);
        if (granted != null) {
            granted.get().release();
        }
    }
}
