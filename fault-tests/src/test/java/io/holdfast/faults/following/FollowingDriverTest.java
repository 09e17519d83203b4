package io.holdfast.faults.following;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.internal.wire.Script;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.following.Follower;
import io.holdfast.model.line.LineRule;
import io.holdfast.routing.Location;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real clients over both drivers, and the real server, beside the model; and what a broken connection does to a transaction. */
final class FollowingDriverTest {
    private static final int CLIENTS = 2;
    private static final int THREADS = 2;
    private static final int CYCLES = 70;

    private static RedisServer server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @BeforeEach
    void empty() {
        server.command("FLUSHALL");
        server.command("SCRIPT", "FLUSH");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void calls_ofRealClientsAndServer_areAsInTheModel(String driver) throws Exception {
        List<Following.Result> results = contend(driver, Rule.all());
        long followed = 0;
        for (Following.Result each : results) {
            assertNull(each.difference());
            for (Script script : EnumSet.of(Script.ACQUIRE, Script.RELEASE, Script.LINE_ACQUIRE, Script.LINE_RELEASE)) {
                assertTrue(each.calls().followed(script) > 0, () -> script + " in " + each);
                followed += each.calls().followed(script);
            }
        }
        assertTrue(followed > 200, () -> "hardly anything was followed: " + results);
    }

    /** A waiter that gives up sends a release, which a model without this rule takes for that of the holder. */
    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void calls_modelWithoutARule_differ(String driver) throws Exception {
        List<Following.Result> results = contend(driver, Rule.without(Rule.OWNERCHECK));
        assertTrue(results.stream().anyMatch(each -> each.difference() != null), results::toString);
    }

    @Test
    void call_keyOfAnotherProgram_failsAsWithoutFollowing() throws Exception {
        server.command("RPUSH", "hf:{taken}", "x");
        Path file = folder.resolve("taken.json");
        String plain;
        try (Holdfast client = Holdfast.over(connect(provider("jedis")), HoldfastOptions.defaults())) {
            plain = refusal(client);
        }
        Following following = new Following(new Follower(), file);
        try (Holdfast client = Holdfast.over(connect(following.over(provider("jedis"))), HoldfastOptions.defaults())) {
            assertEquals(plain, refusal(client));
        }
        following.close();
        assertEquals(0, Following.Result.read(file).calls().followed(Script.ACQUIRE));
        assertTrue(Following.Result.read(file).calls().left(Script.ACQUIRE) > 0);
    }

    private static String refusal(Holdfast client) throws InterruptedException {
        try {
            return client.lock("taken").attempt(Wait.none()).toString();
        } catch (HoldfastException e) {
            return e.getClass().getSimpleName();
        }
    }

    // ---- clients that contend

    private List<Following.Result> contend(String driver, Set<Rule> rules) throws Exception {
        List<Following> all = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Following following = new Following(new Follower(rules, LineRule.all()), file(i));
            all.add(following);
            Holdfast client = Holdfast.over(connect(following.over(provider(driver))), HoldfastOptions.defaults());
            clients.add(client);
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(10L * i + thread);
                tasks.add(() -> {
                    cycles(client, random);
                    return null;
                });
            }
        }
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        for (Future<Void> each : threads.invokeAll(tasks)) {
            each.get();
        }
        threads.shutdown();
        clients.forEach(Holdfast::close);
        List<Following.Result> results = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            all.get(i).close();
            results.add(Following.Result.read(file(i)));
        }
        return results;
    }

    private Path file(int client) {
        return folder.resolve("followed-" + client + ".json");
    }

    private static void cycles(Holdfast client, Random random) throws InterruptedException {
        for (int i = 0; i < CYCLES; i++) {
            DistributedLock lock = random.nextBoolean()
                    ? client.lock("one")
                    : client.semaphore("some", 3).permits(1 + random.nextInt(2));
            Wait wait = random.nextInt(3) == 0 ? Wait.upTo(Duration.ofMillis(2)) : Wait.upTo(Duration.ofSeconds(10));
            lock.attempt(wait).asOptional().ifPresent(lease -> {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(6_000)));
                lease.release();
            });
        }
    }

    private static RedisDriver connect(RedisDriverProvider provider) {
        return Location.parse(server.url()).connect(provider, ConnectOptions.defaults());
    }

    private static RedisDriverProvider provider(String driver) {
        return ServiceLoader.load(RedisDriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals(driver))
                .findFirst()
                .orElseThrow();
    }

    // ---- a connection that breaks

    @Test
    void send_runOutsideOfItsTransaction_answersWithItsReply() throws Exception {
        Reply reply = Reply.of("OK 1 1");
        Reply answer = answer(command -> switch (command.name()) {
            case "multi", "exec" -> CompletableFuture.failedFuture(DriverException.unknown("broken", null));
            default -> CompletableFuture.completedFuture(reply);
        });
        assertEquals(reply, answer);
    }

    @Test
    void send_transactionEndsWhereItDidNotBegin_outcomeIsUnknown() {
        assertEquals(
                DriverException.Kind.UNKNOWN, failure("ERR EXEC without MULTI").kind());
        assertEquals(
                DriverException.Kind.UNKNOWN,
                failure("EXECABORT Transaction discarded").kind());
    }

    @Test
    void send_scriptIsNotKnown_isToldSo() {
        assertEquals("NOSCRIPT", failure("NOSCRIPT No matching script").code());
    }

    @Test
    void send_driverIsClosed_outcomeIsUnknown() throws Exception {
        Following following = new Following(new Follower(), folder.resolve("closed.json"));
        FollowingDriver driver =
                new FollowingDriver(new Scripted(any -> CompletableFuture.completedFuture(null)), following);
        driver.close();
        CompletableFuture<Reply> answer = driver.send(Command.of("PING")).toCompletableFuture();
        assertEquals(DriverException.Kind.UNKNOWN, failure(answer::join).kind());
        following.close();
    }

    private DriverException failure(String atTheEnd) {
        return failure(() -> answer(command -> command.name().equals("exec")
                ? CompletableFuture.failedFuture(DriverException.rejected(atTheEnd))
                : CompletableFuture.completedFuture(Reply.of("QUEUED"))));
    }

    private static DriverException failure(Executable sending) {
        CompletionException failed = assertThrows(CompletionException.class, sending);
        return assertInstanceOf(DriverException.class, failed.getCause());
    }

    private Reply answer(Function<Command, CompletionStage<Reply>> direct) {
        Following following = new Following(new Follower(), folder.resolve("scripted.json"));
        FollowingDriver driver = new FollowingDriver(new Scripted(direct), following);
        try {
            return driver.send(Command.of("EVALSHA", Script.CLEAN.sha1(), "1", "key", "argument"))
                    .toCompletableFuture()
                    .join();
        } finally {
            driver.close();
            following.close();
        }
    }

    /** Answers as it is told. */
    private record Scripted(Function<Command, CompletionStage<Reply>> answers) implements RedisDriver {
        @Override
        public CompletionStage<Reply> send(Command command) {
            return answers.apply(command);
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> unsubscribe(String channel) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void reconnect() {}

        @Override
        public void listen(ConnectionListener listener) {}

        @Override
        public String describe() {
            return "scripted";
        }

        @Override
        public void close() {}
    }
}
