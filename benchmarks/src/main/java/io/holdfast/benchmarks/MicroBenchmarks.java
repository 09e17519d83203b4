package io.holdfast.benchmarks;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.ReleaseResult;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.internal.lease.Recorder;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Entropy;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What the engine itself takes, without a network. In this package, because most of it is seen by nobody else. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MicroBenchmarks {
    private static final ConnectOptions CONNECT = new ConnectOptions(Duration.ofSeconds(20), "holdfast");
    private static final String NAME = "orders/4711";

    private @Nullable RedisServer server;
    private @Nullable Holdfast client;
    private @Nullable DistributedLock lock;
    private final OwnerIds ids = new OwnerIds(Entropy.system());

    /** For JMH. */
    public MicroBenchmarks() {}

    /** Connects to a server, of which nothing is wanted but the beginning. */
    @Setup(Level.Trial)
    public void connect() {
        RedisServer started = RedisServer.start();
        RedisDriver driver = ServiceLoader.load(RedisDriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals("lettuce"))
                .findFirst()
                .orElseThrow()
                .connect(started.address(), CONNECT);
        Holdfast connected = Holdfast.over(new AnsweringDriver(driver));
        server = started;
        client = connected;
        lock = connected.lock(NAME);
    }

    /** Ends what was started. */
    @TearDown(Level.Trial)
    public void close() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** The engine's part of acquire and release: arguments, replies, state, renewal; answered at once. */
    @Benchmark
    public ReleaseResult cycle() throws InterruptedException {
        if (lock == null) {
            throw new IllegalStateException("not connected");
        }
        return lock.acquire().release();
    }

    /** Drawing the id of an owner. */
    @Benchmark
    public String ownerId() {
        return ids.next();
    }

    /** The keys of a lock from its name. */
    @Benchmark
    public String keys() {
        Keys keys = Keys.of("hf", NAME);
        return keys.hold();
    }

    /** What a cycle asks of the flight recorder while nothing is recorded: for the wait, for the grant and for the release. */
    @Benchmark
    public int recording() {
        Recorder recorder = Recorder.present();
        int asked = recorder.waiting(true) == null ? 0 : 1;
        asked += recorder.listens() ? 2 : 0;
        asked += recorder.listens() ? 4 : 0;
        return asked;
    }

    /** Answers what is asked of a free lock by itself, in the thread that asks. */
    private static final class AnsweringDriver extends ForwardingDriver {
        private static final Reply NOW = Reply.of(2_000_000_000_000_000L);
        private static final Reply GRANTED = Reply.of("GRANTED");
        private static final Reply TOKEN = Reply.of(7);
        private static final Reply NOT_KEPT = Reply.of(0);
        private static final Reply RELEASED = Reply.of("RELEASED");

        AnsweringDriver(RedisDriver real) {
            super(real);
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            if (command.name().equals("EVALSHA")) {
                String script = command.words().get(1);
                // The time and the call's number stand behind the reply.
                Reply number = Reply.of(command.words().get(command.words().size() - 1));
                if (script.equals(Script.ACQUIRE.sha1())) {
                    return CompletableFuture.completedStage(
                            Reply.of(List.of(GRANTED, TOKEN, NOW, NOT_KEPT, NOW, number)));
                } else if (script.equals(Script.RELEASE.sha1())) {
                    return CompletableFuture.completedStage(Reply.of(List.of(RELEASED, NOW, number)));
                }
            }
            return driver.send(command);
        }
    }
}
