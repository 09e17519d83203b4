package io.holdfast.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.Wait;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriverProvider;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a flight recording has of locks. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
class JedisFlightRecordingTest extends LockSuite {
    private static final List<String> EVENTS = List.of(
            "io.holdfast.Wait",
            "io.holdfast.AsyncWait",
            "io.holdfast.Hold",
            "io.holdfast.Lost",
            "io.holdfast.RenewalFailed");

    @TempDir
    Path folder;

    private RedisServer server;
    private Holdfast one;
    private Holdfast two;

    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }

    @BeforeEach
    void makeClients() {
        server = startServer();
        one = client(server);
        two = client(server);
    }

    private interface Work {
        void run() throws Exception;
    }

    /** What of this library was recorded while something was done, without any threshold. */
    private List<RecordedEvent> recorded(Work work) throws Exception {
        Path file = folder.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            for (String event : EVENTS) {
                recording.enable(event).withoutThreshold();
            }
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.holdfast."))
                .toList();
    }

    private static List<String> shown(List<RecordedEvent> events, String type, String field) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.holdfast." + type))
                .map(event -> event.getString("lock") + " " + event.getString("mode") + " " + event.getString(field))
                .sorted()
                .toList();
    }

    private static RecordedEvent only(List<RecordedEvent> events, String type, String field, String value) {
        List<RecordedEvent> found = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.holdfast." + type))
                .filter(event -> value.equals(event.getString(field)))
                .toList();
        assertEquals(1, found.size(), found.toString());
        return found.get(0);
    }

    private static Lease acquireHere(DistributedLock lock) throws InterruptedException {
        return lock.acquire(Wait.upTo(PATIENCE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wait_thatBlocks_isRecordedWithStackAndHolder(boolean inTurns) throws Exception {
        List<RecordedEvent> events = recorded(() -> {
            Lease held = two.lock("a").withActor("the holder").acquire();
            AtomicReference<@Nullable Throwable> problem = new AtomicReference<>();
            Thread waiter = new Thread(
                    () -> {
                        try {
                            acquireHere(inTurns ? one.lock("a") : one.lock("a", STRICT))
                                    .release();
                        } catch (Throwable e) {
                            problem.set(e);
                        }
                    },
                    "the waiter");
            waiter.start();
            await("it waits", () -> two.inspect().isQueued("a"));
            held.release();
            waiter.join(PATIENCE.toMillis());
            assertEquals(null, problem.get());
        });
        RecordedEvent waited = only(events, "Wait", "actor", "the waiter");
        assertEquals("a", waited.getString("lock"));
        assertEquals("EXCLUSIVE", waited.getString("mode"));
        assertEquals("OBTAINED", waited.getString("outcome"));
        assertTrue(waited.getString("holder").contains("the holder"), waited.toString());
        assertEquals(1, waited.getInt("position"));
        assertTrue(waited.getInt("attempts") >= 1, waited.toString());
        assertEquals("the waiter", waited.getThread().getJavaName());
        assertTrue(
                waited.getStackTrace().getFrames().stream()
                        .anyMatch(frame -> frame.getMethod().getName().equals("acquireHere")),
                waited.toString());
        RecordedEvent held = only(events, "Hold", "actor", "the waiter");
        assertEquals("RELEASED", held.getString("end"));
        assertEquals(waited.getString("owner"), held.getString("owner"));
        assertTrue(held.getLong("token")
                > only(events, "Hold", "actor", "the holder").getLong("token"));
        assertFalse(
                held.getStartTime().isBefore(waited.getStartTime()), "the hold begins within the wait, or after it");
    }

    @Test
    void wait_inVain_isRecordedWithItsOutcome() throws Exception {
        List<RecordedEvent> events = recorded(() -> {
            Lease held = two.lock("a").acquire();
            DistributedLock lock = one.lock("a", STRICT);
            assertTrue(lock.tryAcquire().isEmpty());
            assertTrue(lock.tryAcquire(Wait.upTo(Duration.ofMillis(1))).isEmpty());
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, lock::acquire); // refused before it waits
            Thread waiting = Thread.currentThread();
            CompletableFuture<Void> interrupting = CompletableFuture.runAsync(() -> {
                await("it waits", () -> two.inspect().isQueued("a"));
                waiting.interrupt();
            });
            assertThrows(InterruptedException.class, () -> lock.acquire(Wait.forever()));
            interrupting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            held.release();
        });
        assertEquals(
                List.of("a EXCLUSIVE OBTAINED", "a EXCLUSIVE TAKEN", "a EXCLUSIVE TIMED_OUT", "a EXCLUSIVE WITHDRAWN"),
                shown(events, "Wait", "outcome"));
        assertEquals(List.of("a EXCLUSIVE RELEASED"), shown(events, "Hold", "end"));
    }

    @Test
    void wait_ofNoThread_isRecordedWithoutStack() throws Exception {
        List<RecordedEvent> events = recorded(() -> {
            Lease held = two.lock("a").acquireAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            CompletableFuture<Lease> waiting = one.lock("a").acquireAsync(Wait.forever());
            await("it waits", () -> two.inspect().isQueued("a"));
            held.release();
            waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
        });
        assertEquals(List.of("a EXCLUSIVE OBTAINED", "a EXCLUSIVE OBTAINED"), shown(events, "AsyncWait", "outcome"));
        assertEquals(List.of(), shown(events, "Wait", "outcome"));
        for (RecordedEvent event : events) {
            assertEquals(null, event.getStackTrace(), event.toString());
        }
    }

    @Test
    void holds_ofEveryKind_areRecordedOnceEach() throws Exception {
        List<RecordedEvent> events = recorded(() -> {
            DistributedLock shared = one.lock("shared");
            shared.acquire().release();
            shared.acquire().release();
            DistributedLock again =
                    one.lock("again", LockOptions.defaults().withReentrancy(LockOptions.Reentrancy.REENTER));
            Lease outer = again.acquire();
            again.acquire().release();
            outer.release();
            DistributedReadWriteLock readWrite = one.readWriteLock("rw");
            readWrite.downgrade(readWrite.write().acquire()).release();
            one.semaphore("s", 3).acquire().release();
            one.plainLock("plain").acquire().release();
            LockSet set = one.locks("x", "y");
            try (LeaseSet both = set.acquire()) {
                assertTrue(both.isValid());
            }
        });
        assertEquals(
                List.of(
                        "again EXCLUSIVE RELEASED",
                        "plain EXCLUSIVE RELEASED",
                        "rw EXCLUSIVE DOWNGRADED",
                        "rw SHARED RELEASED",
                        "s PERMITS RELEASED",
                        "shared EXCLUSIVE RELEASED",
                        "shared EXCLUSIVE RELEASED",
                        "x EXCLUSIVE RELEASED",
                        "y EXCLUSIVE RELEASED"),
                shown(events, "Hold", "end"));
        String names = String.join(", ", one.locks("x", "y").names());
        assertEquals("OBTAINED", only(events, "Wait", "lock", names).getString("outcome"));
    }

    @Test
    void group_ofARequest_isRecorded() throws Exception {
        List<RecordedEvent> events = recorded(() -> {
            one.lock("a", LockOptions.defaults().withGroup("tenant-7"))
                    .acquire()
                    .release();
            one.lock("b").acquire().release();
        });
        for (String type : List.of("Wait", "Hold")) {
            assertEquals(List.of("a EXCLUSIVE tenant-7", "b EXCLUSIVE "), shown(events, type, "group"));
        }
    }

    @Test
    void lossAndFailedRenewal_areRecorded() throws Exception {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        Holdfast cutOff = client(proxy.address(), HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1)));
        List<RecordedEvent> events = recorded(() -> {
            Lease lease = cutOff.lock(
                            "a", LockOptions.defaults().withStrictOrder().withLeaseDuration(Duration.ofSeconds(3)))
                    .acquire();
            proxy.stall(TcpProxy.Kind.ANY);
            lease.whenLost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            Lease revoked = one.lock("b").acquire();
            two.admin().release("b", Admin.Waiters.HAND_OFF);
            revoked.whenLost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        });
        assertEquals(List.of("a EXCLUSIVE EXPIRED", "b EXCLUSIVE REVOKED"), shown(events, "Lost", "reason"));
        assertEquals(List.of("a EXCLUSIVE EXPIRED", "b EXCLUSIVE REVOKED"), shown(events, "Hold", "end"));
        RecordedEvent failed = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.holdfast.RenewalFailed"))
                .findFirst()
                .orElseThrow();
        assertEquals("a", failed.getString("lock"));
        assertFalse(failed.getDuration("remaining").isNegative());
        assertFalse(failed.getString("why").isEmpty());
    }

    @Test
    void shortWaitsAndHolds_byDefault_areLeftOut() throws Exception {
        Path file = folder.resolve("defaults.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            one.lock("warm").acquire().release();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.holdfast."))
                .toList();
        for (RecordedEvent event : events) { // on a machine that stood still meanwhile
            assertTrue(event.getDuration().compareTo(Duration.ofMillis(20)) >= 0, event.toString());
        }
    }

    @Test
    void jvm_withoutFlightRecorder_locksAllTheSame() throws Exception {
        String modules = ModuleFinder.ofSystem().findAll().stream()
                .map(ModuleReference::descriptor)
                .filter(each -> !each.name().equals("jdk.jfr")
                        && each.requires().stream()
                                .noneMatch(other -> other.name().equals("jdk.jfr")))
                .map(each -> each.name())
                .collect(Collectors.joining(","));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "--limit-modules",
                        modules,
                        "-cp",
                        System.getProperty("java.class.path"),
                        WithoutFlightRecorder.class.getName(),
                        server.url())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        String said = read(output);
        assertTrue(ended, "not ended within 60 s: " + said);
        assertEquals(0, process.exitValue(), said);
        assertTrue(said.contains("locked without a flight recorder"), said);
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file);
    }

    /** Run in a JVM that has no flight recorder. */
    static final class WithoutFlightRecorder {
        private WithoutFlightRecorder() {}

        public static void main(String[] args) throws Exception {
            try {
                Class<?> found = Class.forName("jdk.jfr.Event");
                throw new IllegalStateException(found + " is there");
            } catch (ClassNotFoundException e) {
                // as it is to be
            }
            try (Holdfast holdfast = Holdfast.over(new JedisDriverProvider()
                    .connect(RedisAddress.parse(args[0]), new ConnectOptions(Duration.ofSeconds(20), "test")))) {
                DistributedLock lock = holdfast.lock("a");
                lock.acquire().release();
                lock.acquireAsync().get(20, TimeUnit.SECONDS).release();
                System.out.println("locked without a flight recorder");
            }
        }
    }
}
