package io.holdfast.benchmarks;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Inspector;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Overview;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What it costs to look at all locks of very many clients: real ones, which share a connection and a thread of timers here. */
final class CrowdScenario implements OwnScenario {
    private static final String FIRST = "crowd-first";
    private static final String AGAIN = "crowd-again";
    private static final String DEAD = "crowd-dead";
    private static final Map<String, String> LABELS = Map.of(
            FIRST, "Holdfast: a first look",
            AGAIN, "Holdfast: a further look",
            DEAD, "Holdfast: a first look after all of them have died");

    /** Longer than it takes to measure: nothing is renewed meanwhile, and what has died is listed. */
    private static final LockOptions HELD = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(30));

    private static final int LOCKS_OF_EACH = 50;
    private static final int LOOKS = 5;

    @Override
    public String id() {
        return "crowd";
    }

    @Override
    public String title() {
        return "Looking at the locks of many clients";
    }

    @Override
    public String meaning() {
        return "A fixed number of clients hold 50 locks each. They are real clients, which share a connection and the"
                + " machine's cores with one more client that looks at all locks. So the time includes all the work"
                + " that these clients do to answer.";
    }

    @Override
    public List<Metric> metrics() {
        return Looking.metrics(1, 0, 0);
    }

    @Override
    public List<Integer> sizes(Scale scale) {
        return List.of(scale.leases() / LOCKS_OF_EACH);
    }

    @Override
    public String sizeWord() {
        return "clients";
    }

    @Override
    public List<String> contestants(int size) {
        return List.of(FIRST, AGAIN, DEAD);
    }

    @Override
    public Map<String, String> labels() {
        return LABELS;
    }

    @Override
    public int rounds(Scale scale) {
        return 1;
    }

    /** The driver of all clients: none of them closes it, and their processes can end at the same moment. */
    private static final class Shared extends ForwardingDriver {
        private final Set<String> channels = ConcurrentHashMap.newKeySet();

        Shared(RedisDriver driver) {
            super(driver);
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            channels.add(channel);
            return super.subscribe(channel, onMessage);
        }

        void die() {
            CompletableFuture.allOf(channels.stream()
                            .map(channel -> driver.unsubscribe(channel).toCompletableFuture())
                            .toArray(CompletableFuture[]::new))
                    .join();
        }

        /** Each of the clients would break the connection of all, when they keep the machine from answering. */
        @Override
        public void reconnect() {
            // It goes on.
        }

        @Override
        public void close() {
            // It is the session's.
        }
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        RedisServer server = RedisServer.start();
        OneThread timers = new OneThread();
        RedisDriver connection = Looking.driver(server);
        Shared shared = new Shared(connection);
        return new Session() {
            private final List<Holdfast> clients = new ArrayList<>();
            private final List<Lease> held = new ArrayList<>();
            private Holdfast looking = Looking.client(server);
            private Overview overview = looking.inspect().overview(1);

            @Override
            public void warm() throws Exception {
                Environment environment = timers.environment();
                HoldfastOptions options = HoldfastOptions.defaults().withExecutor(Runnable::run);
                for (int i = 0; i < size; i++) {
                    Holdfast client = Holdfast.over(shared, options, environment);
                    clients.add(client);
                    List<CompletableFuture<Lease>> asked = new ArrayList<>();
                    for (int j = 0; j < LOCKS_OF_EACH; j++) {
                        asked.add(client.lock("lock-" + i + "-" + j, HELD).acquireAsync());
                    }
                    for (CompletableFuture<Lease> each : asked) {
                        held.add(each.get(1, TimeUnit.MINUTES));
                    }
                }
                // Their code is new: it may take some looks until all answer in time.
                for (int i = 0;
                        looking.inspect().overview(Integer.MAX_VALUE).locks().size() < held.size();
                        i++) {
                    if (i == 100) {
                        throw new Crew.Failed("not all locks are reported");
                    }
                }
                look();
                if (contestant.equals(DEAD)) {
                    shared.die();
                }
                look();
            }

            private void look() {
                int most = 2 * size * LOCKS_OF_EACH;
                Inspector inspector = looking.inspect();
                overview = contestant.equals(AGAIN) ? inspector.overview(most, overview) : inspector.overview(most);
                int seen = overview.locks().size();
                if (seen != size * LOCKS_OF_EACH) {
                    throw new Crew.Failed(seen + " locks are seen");
                }
            }

            @Override
            public Sample measure() {
                return Looking.measure(server, LOOKS, this::prepare, this::look);
            }

            private void prepare(int number) {
                if (contestant.equals(FIRST)) { // one that has looked knows what has been reported
                    looking.close();
                    looking = Looking.client(server);
                }
            }

            @Override
            public void close() {
                timers.close();
                looking.close();
                connection.close(); // of all clients, whose requests end unanswered
                server.close();
            }
        };
    }
}
