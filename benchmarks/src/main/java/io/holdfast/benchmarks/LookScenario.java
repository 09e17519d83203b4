package io.holdfast.benchmarks;

import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.Lease;
import io.holdfast.Overview;
import io.holdfast.contracts.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What it costs the server that somebody looks at all locks, where it keeps far more keys of other programs. */
final class LookScenario implements OwnScenario {
    private static final String FIRST = "look-first";
    private static final String AGAIN = "look-again";
    private static final String SEARCH = "look-search";
    private static final Map<String, String> LABELS = Map.of(
            FIRST, "Holdfast: clients are asked, a first look",
            AGAIN, "Holdfast: clients are asked, a further look",
            SEARCH, "Holdfast: the server is searched");

    private static final int SEARCHES = 2; // each takes half a minute
    private static final int CLIENTS = 10;
    private static final int LOCKS_OF_EACH = 100;
    private static final int KEYS_AT_ONCE = 10_000;
    /** Of the keys of others, to each lock that is held elsewhere in these benchmarks. */
    private static final int OTHERS = 50;

    @Override
    public String id() {
        return "look";
    }

    @Override
    public String title() {
        return "Looking at all locks";
    }

    @Override
    public String meaning() {
        return "Ten clients hold a hundred locks each, on a server that keeps many keys of other programs. One more"
                + " client looks at all locks. `holdfast ls` looks for the first time; the dashboard looks again once a"
                + " second, however many pages are open. After each page, a search pauses for four times as long as the"
                + " page took.";
    }

    @Override
    public List<Metric> metrics() {
        return Looking.metrics(2, 2, 1);
    }

    @Override
    public List<String> references() {
        return List.of(SEARCH);
    }

    @Override
    public List<Integer> sizes(Scale scale) {
        return List.of(OTHERS * scale.leases());
    }

    @Override
    public String sizeWord() {
        return "other keys";
    }

    @Override
    public List<String> contestants(int size) {
        return List.of(FIRST, AGAIN, SEARCH);
    }

    @Override
    public Map<String, String> labels() {
        return LABELS;
    }

    @Override
    public int rounds(Scale scale) {
        return scale.slowRounds();
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        RedisServer server = RedisServer.start();
        List<Holdfast> clients = new ArrayList<>();
        return new Session() {
            private final List<Lease> held = new ArrayList<>();
            private Inspector inspector = connect().inspect();
            private Overview overview = inspector.overview(1);

            private Holdfast connect() {
                Holdfast client = Looking.client(server);
                clients.add(client);
                return client;
            }

            @Override
            public void warm() throws InterruptedException {
                inspector = contestant.equals(SEARCH) ? inspector.scanning() : inspector;
                String fill = "for i = ARGV[1] + 1, ARGV[2] do redis.call('SET', 'other:' .. i, i) end";
                for (int i = 0; i < size; i += KEYS_AT_ONCE) {
                    int to = Math.min(size, i + KEYS_AT_ONCE);
                    server.command("EVAL", fill, "0", Integer.toString(i), Integer.toString(to));
                }
                for (int i = 0; i < CLIENTS; i++) {
                    Holdfast client = connect();
                    for (int j = 0; j < LOCKS_OF_EACH; j++) {
                        held.add(client.lock("lock-" + i + "-" + j).acquire());
                    }
                }
                overview = inspector.overview(2 * CLIENTS * LOCKS_OF_EACH);
                look();
            }

            private void look() {
                int most = 2 * CLIENTS * LOCKS_OF_EACH;
                overview = contestant.equals(AGAIN) ? inspector.overview(most, overview) : inspector.overview(most);
                int seen = overview.locks().size();
                if (seen != CLIENTS * LOCKS_OF_EACH) {
                    throw new Crew.Failed(seen + " locks are seen");
                }
            }

            @Override
            public Sample measure() {
                int looks = contestant.equals(SEARCH) ? SEARCHES : stage.scale().starts() * 2;
                List<Holdfast> fresh = new ArrayList<>(); // one that has looked knows what has been reported
                for (int i = 0; contestant.equals(FIRST) && i < looks; i++) {
                    fresh.add(connect());
                }
                Sample measured = Looking.measure(
                        server,
                        looks,
                        number -> inspector =
                                contestant.equals(FIRST) ? fresh.get(number).inspect() : inspector,
                        this::look);
                clients.removeAll(fresh);
                fresh.forEach(Holdfast::close);
                return measured;
            }

            @Override
            public void close() {
                clients.forEach(Holdfast::close);
                server.close();
            }
        };
    }
}
