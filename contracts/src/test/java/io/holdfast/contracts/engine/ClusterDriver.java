package io.holdfast.contracts.engine;

import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * A driver whose keys are divided into partitions, so that a client has a mailbox for each lock, over a server in virtual
 * time. Requests, answers, subscriptions and messages take a random time, each in the order of its connection and way;
 * connections break and come back when the test says so. It keeps the promises of {@link RedisDriver} and no others. Until
 * {@link #begin} nothing takes any time.
 */
final class ClusterDriver extends ForwardingDriver {
    private static final int PARTITIONS = 16;

    /** One way of one connection; what is under way when it breaks does not arrive. */
    private final class Way {
        private long lastNanos;
        private int broken;

        void pass(Runnable arrives) {
            if (!begun) {
                arrives.run();
                return;
            }
            long now = time.elapsed().toNanos();
            lastNanos = Math.max(lastNanos, now + delayNanos());
            int unbroken = broken;
            timers.schedule(lastNanos - now, () -> {
                if (unbroken == broken) {
                    arrives.run();
                }
            });
        }

        void cut() {
            broken++;
            lastNanos = 0;
        }
    }

    /** A channel that the client wants. */
    private static final class Subscription {
        final Consumer<String> receiver;
        final CompletableFuture<Void> acknowledged = new CompletableFuture<>();

        Subscription(Consumer<String> receiver) {
            this.receiver = receiver;
        }
    }

    private final VirtualTime time;
    private final Timers timers;
    private final Random random;
    private final List<ConnectionListener> listeners = new ArrayList<>();
    private final Set<CompletableFuture<Reply>> unanswered = new LinkedHashSet<>();
    private final Map<String, Subscription> wanted = new LinkedHashMap<>();
    private final Way requests = new Way();
    private final Way answers = new Way();
    private final Way subscribing = new Way();
    private final Way messages = new Way();
    private IntPredicate frozen = partition -> false;
    private long sent;
    private boolean begun;
    private boolean commandsUp = true;
    private boolean messagesUp = true;

    ClusterDriver(RedisDriver server, VirtualTime time, long seed) {
        super(server);
        this.time = time;
        this.timers = time.timers();
        this.random = new Random(seed);
    }

    /** From now on everything takes its time. */
    void begin() {
        begun = true;
    }

    /** How many commands, subscriptions and ends of them have been asked for. */
    long sent() {
        return sent;
    }

    private long delayNanos() {
        Duration most = Duration.ofMillis(random.nextInt(10) == 0 ? 300 : 60);
        return random.nextLong(most.toNanos());
    }

    // ---- faults

    /** One of the two servers answers nothing from now on: that which has the partitions with odd numbers. */
    void freezeOne() {
        frozen = partition -> partition % 2 == 1;
    }

    /** The connection for commands breaks: what was asked is not answered, and may have been done. */
    void breakCommands() {
        if (!commandsUp) {
            return;
        }
        commandsUp = false;
        if (random.nextBoolean()) {
            requests.cut();
        }
        answers.cut();
        listeners.forEach(ConnectionListener::commandsDown);
        List<CompletableFuture<Reply>> lost = List.copyOf(unanswered);
        unanswered.clear();
        lost.forEach(reply -> reply.completeExceptionally(DriverException.unknown("the connection broke", null)));
    }

    void restoreCommands() {
        if (!commandsUp) {
            commandsUp = true;
            listeners.forEach(ConnectionListener::commandsUp);
        }
    }

    /** The connection for messages breaks: what is on its way is lost, and nobody listens any more. */
    void breakMessages() {
        if (!messagesUp) {
            return;
        }
        messagesUp = false;
        subscribing.cut();
        messages.cut();
        wanted.keySet().forEach(driver::unsubscribe);
        listeners.forEach(ConnectionListener::messagesDown);
    }

    /** Everything is subscribed again, and then messages are up. */
    void restoreMessages() {
        if (messagesUp) {
            return;
        }
        messagesUp = true;
        List.copyOf(wanted.keySet()).forEach(this::attach);
        subscribing.pass(() -> messages.pass(() -> listeners.forEach(ConnectionListener::messagesUp)));
    }

    // ---- the port

    @Override
    public CompletionStage<Reply> send(Command command) {
        sent++;
        if (!commandsUp) {
            return CompletableFuture.failedFuture(DriverException.unknown("not connected", null));
        }
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        unanswered.add(reply);
        if (command.key() != null && frozen.test(partition(command.key()))) {
            return reply;
        }
        requests.pass(() -> driver.send(command)
                .whenComplete((value, failure) -> answers.pass(() -> {
                    unanswered.removeIf(each -> each == reply);
                    if (failure == null) {
                        reply.complete(value);
                    } else {
                        reply.completeExceptionally(failure);
                    }
                })));
        return reply;
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        sent++;
        Subscription subscription = new Subscription(onMessage);
        wanted.put(channel, subscription);
        if (messagesUp) {
            attach(channel);
        }
        return subscription.acknowledged;
    }

    private void attach(String channel) {
        subscribing.pass(() -> {
            driver.subscribe(
                    channel,
                    text -> messages.pass(() -> {
                        Subscription present = wanted.get(channel);
                        if (present != null) {
                            present.receiver.accept(text);
                        }
                    }));
            messages.pass(() -> {
                Subscription present = wanted.get(channel);
                if (present != null) {
                    present.acknowledged.complete(null);
                }
            });
        });
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        sent++;
        CompletableFuture<Void> done = new CompletableFuture<>();
        wanted.remove(channel);
        if (!messagesUp) {
            done.complete(null);
            return done;
        }
        subscribing.pass(() -> {
            driver.unsubscribe(channel);
            messages.pass(() -> done.complete(null));
        });
        return done;
    }

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
        driver.listen(listener);
    }

    /** Two servers share the partitions. */
    @Override
    public RedisDriver master(int partition) {
        return partition % 2 == 1 ? driver : this;
    }

    @Override
    public int partitions() {
        return PARTITIONS;
    }

    @Override
    public int partition(String key) {
        int open = key.indexOf('{');
        return Math.floorMod(key.substring(open + 1, key.indexOf('}', open)).hashCode(), PARTITIONS);
    }
}
