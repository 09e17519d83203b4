package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.HoldfastOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.AnyLock.Terms;
import io.holdfast.contracts.LockClient.AskingAgain;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.RedisDriver;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.TestServer;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * What tests of {@link LockKind}s stand on: servers as many as a kind needs, clients of the kind, and questions to them.
 * Whatever a test did, nothing is left on the servers once all clients are closed. A test has servers and clients of its own, and mostly waits:
 * the tests of a class run side by side, where the module lets them.
 */
@Execution(ExecutionMode.CONCURRENT)
public abstract class LockKindSuite extends LockSuite {
    static final String NAME = "a";

    /** Where a quorum's node has noted since when it has its memory. */
    private static final String NODE = "hf:node";

    /** Its client finds out soon that it is not answered. */
    static final HoldfastOptions EAGER = HoldfastOptions.defaults().withCommandTimeout(Duration.ofMillis(500));

    final List<TestServer> servers = new ArrayList<>();
    private final List<LockClient> clients = new ArrayList<>();

    /** Says of which kinds of lock a test of the contract is: of these, or of all but those; otherwise it is of all. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    public @interface Kinds {
        /** The kinds; all if there is none. */
        LockKind[] value() default {};

        /** The kinds that it is not of. */
        LockKind[] except() default {};
    }

    /** Run once for each kind of lock. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @ParameterizedTest
    @ArgumentsSource(KindsOfTest.class)
    @interface EachKind {}

    /** Those that a test class names, or all. */
    static final class KindsOfTest implements ArgumentsProvider {
        @Override
        @SuppressWarnings("deprecation") // what replaces it is missing before JUnit 5.13
        public Stream<Arguments> provideArguments(ExtensionContext context) {
            Kinds named = context.getRequiredTestClass().getAnnotation(Kinds.class);
            if (named == null) {
                return Stream.of(LockKind.values()).map(Arguments::of);
            }
            List<LockKind> without = List.of(named.except());
            return Stream.of(named.value().length == 0 ? LockKind.values() : named.value())
                    .filter(kind -> !without.contains(kind))
                    .map(Arguments::of);
        }
    }

    /** A call in a thread of its own, which has to end with an exception. */
    record Blocked(Thread thread, CompletableFuture<Throwable> thrown) {
        static Blocked in(Executable call) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    call.execute();
                    thrown.completeExceptionally(new AssertionError("nothing was thrown"));
                } catch (Throwable e) {
                    thrown.complete(e);
                }
            });
            thread.start();
            return new Blocked(thread, thrown);
        }
    }

    /** A driver under test, connected to one of the servers. */
    protected RedisDriver driver(TestServer server) {
        return driver(server.address());
    }

    final LockClient client(LockKind kind) {
        return client(kind, HoldfastOptions.defaults());
    }

    final LockClient client(LockKind kind, HoldfastOptions options) {
        return client(kind, options, new AskingAgain(attempt -> Duration.ofMillis(5L * Math.min(attempt, 10))));
    }

    final LockClient client(LockKind kind, HoldfastOptions options, AskingAgain asking) {
        while (servers.size() < kind.servers()) {
            TestServer server = startLockServer();
            // As if it had its memory since long ago: a quorum's node is not to be waited for.
            String run = server instanceof MemoryServer memory ? memory.runId() : ((RedisServer) server).runId();
            server.command("SET", NODE, "0 " + run, "EX", "100000");
            servers.add(server);
        }
        LockClient client = kind.open(servers.stream().map(this::driver).toList(), options, asking);
        clients.add(client);
        return client;
    }

    static AnyLock lock(LockClient client) {
        return client.lock(NAME, Terms.LONG);
    }

    static AnyLock against(LockClient client) {
        return client.against(NAME, Terms.LONG);
    }

    final void awaitWaiting(LockClient client) {
        await("it waits", () -> client.waits(NAME));
    }

    /** The lock was granted just now, as far as this thread knows: at least so long after then. */
    static void assertSince(long begin, Duration least) {
        Duration since = Duration.ofNanos(System.nanoTime() - begin);
        assertTrue(since.compareTo(least) >= 0, () -> "only after " + since);
    }

    /** Another client gets the lock, long before its term would end if somebody had it. */
    final void assertFree(LockKind kind) throws InterruptedException {
        try (LockClient other = client(kind)) {
            assertTrue(against(other).acquire(Wait.upTo(PATIENCE)).isValid());
        }
    }

    /** Waits until the hold of the lock, and nothing else, is on each server. */
    final void awaitHeldOnly(LockKind kind) {
        List<List<String>> held = Collections.nCopies(kind.servers(), kind.keys(NAME));
        await("only " + held + " is there", () -> holdsAndQueues().equals(held));
    }

    final List<List<String>> holdsAndQueues() {
        return servers.stream()
                .map(server -> keysOfHoldsAndQueues(server).stream()
                        .filter(key -> !key.equals(NODE))
                        .toList())
                .toList();
    }

    @AfterEach
    final void closeClientsAndFindNothing() {
        clients.forEach(LockClient::close);
        servers.forEach(server -> awaitNothingLeft(server, key -> !key.equals(NODE) && !key.contains("}:x:")));
    }
}
