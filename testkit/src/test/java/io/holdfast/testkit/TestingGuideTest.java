package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LossReason;
import io.holdfast.OnceResult;
import io.holdfast.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The examples of the guide to testing, as they stand there, and that they do. */
class TestingGuideTest {
    private static final String GUIDE = "../docs/guide/testing.md";
    private static final String HERE = "src/test/java/io/holdfast/testkit/TestingGuideTest.java";

    /** Code that somebody would test. */
    record Billing(Holdfast holdfast) {
        String bill(String customer) throws InterruptedException {
            return holdfast.lock("billing/" + customer)
                    .tryCall(Wait.none(), lease -> "billed under token " + lease.token())
                    .orElse("somebody else bills");
        }
    }

    @Test
    void guide_itsExamples_areThoseOfThisFile() throws IOException {
        String here = Files.readString(Path.of(HERE)).replaceAll("\\s+", "");
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of(GUIDE)));
        int found = 0;
        while (block.find()) {
            found++;
            String example = block.group(1).replaceAll("\\s+", "");
            assertTrue(here.contains(example), () -> "not compiled anywhere: " + block.group(1));
        }
        assertTrue(found >= 5, "the pattern no longer finds the examples");
    }

    @Test
    void onceAndPauses_ofSeveralClients() throws Exception {
        try (MemoryServer server = MemoryServer.start();
                Holdfast ours = server.client();
                Holdfast theirs = server.client()) {
            theirs.once("invoice/42").run(lease -> "sent");
            OnceResult again = ours.once("invoice/42").run(lease -> "sent twice");
            assertEquals("sent", ((OnceResult.Done) again).text());

            theirs.admin().pause("billing/42", Duration.ofMinutes(1), "maintenance");
            assertEquals("somebody else bills", new Billing(ours).bill("42"));
        }
    }

    @Test
    void once_ofAClientThatAlwaysGivesTheSameAnswer() throws Exception {
        try (Holdfast granting = TestHoldfast.granting();
                Holdfast refusing = TestHoldfast.refusing();
                Holdfast failing = TestHoldfast.failing()) {
            for (int i = 0; i < 2; i++) {
                OnceResult ran = granting.once("a").run(lease -> "done");
                assertEquals("done", assertInstanceOf(OnceResult.Ran.class, ran).text());
            }
            assertInstanceOf(OnceResult.InProgress.class, refusing.once("a").run(Wait.none(), lease -> "never"));
            assertInstanceOf(OnceResult.Unknown.class, failing.once("a").run(Wait.none(), lease -> "never"));
        }
    }

    @Test
    void inMemory() throws Exception {
        try (Holdfast holdfast = TestHoldfast.inMemory()) {
            assertTrue(new Billing(holdfast).bill("42").startsWith("billed"));
        }
    }

    @Test
    void contention() throws Exception {
        try (MemoryServer server = MemoryServer.start();
                Holdfast ours = server.client();
                Holdfast theirs = server.client()) {
            Lease lease = theirs.lock("billing/42").acquire();
            assertEquals("somebody else bills", new Billing(ours).bill("42"));

            CompletableFuture<Lease> waiting = ours.lock("billing/42").acquireAsync();
            lease.release();
            assertTrue(waiting.get(10, TimeUnit.SECONDS).token() > lease.token());
        }
    }

    @Test
    void alwaysTheSameAnswer() throws Exception {
        try (Holdfast holdfast = TestHoldfast.refusing()) {
            assertEquals("somebody else bills", new Billing(holdfast).bill("42"));
        }
    }

    @Nested
    @ExtendWith(HoldfastExtension.class)
    class LossTest {
        @Test
        void loss(Holdfast holdfast, LeaseControl control) throws Exception {
            Lease lease = holdfast.lock("a").acquire();
            control.lose(lease); // another client has it now
            assertFalse(lease.isValid());
            assertThrows(LeaseLostException.class, lease::requireValid);
            assertTrue(holdfast.lock("a").tryAcquire().isEmpty());

            control.release("a");
            Lease next = holdfast.lock("a").acquire();
            control.expire(next); // it is free now
            assertEquals(
                    LossReason.NOT_ON_SERVER,
                    next.whenLost().toCompletableFuture().get(10, TimeUnit.SECONDS));
        }

        @Test
        void readers(Holdfast holdfast, LeaseControl control) throws Exception {
            DistributedReadWriteLock catalogue = holdfast.readWriteLock("catalogue");
            control.hold(others -> others.readWriteLock("catalogue").write());
            assertTrue(catalogue.read().tryAcquire().isEmpty());
            control.release(catalogue.read());

            Lease first = catalogue.read().acquire();
            Lease second = catalogue.read().acquire();
            control.lose(first); // another client reads in its place
            assertFalse(first.isValid());
            assertTrue(second.isValid());
        }

        @Test
        void permits(Holdfast holdfast, LeaseControl control) throws Exception {
            DistributedSemaphore licences = holdfast.semaphore("licences", 3);
            control.hold(others -> others.semaphore("licences", 3).permits(2));
            Lease last = licences.acquire();
            assertEquals(0, licences.available());
            control.expire(last);
            assertEquals(1, licences.available());
            control.release(licences.permits(1)); // both of them
            assertEquals(3, licences.available());
        }

        @Test
        void unreachable(Holdfast holdfast, LeaseControl control) throws Exception {
            control.disconnect();
            assertInstanceOf(Attempt.Unknown.class, holdfast.lock("a").attempt(Wait.none()));
            control.reconnect();
            assertTrue(holdfast.lock("a").tryAcquire().isPresent());
        }
    }

    @Nested
    class VirtualTimeTest {
        @RegisterExtension
        static final HoldfastExtension HOLDFAST = HoldfastExtension.inVirtualTime();

        @Test
        void deadline(Holdfast holdfast, LeaseControl control, VirtualTime time) throws Exception {
            Lease lease = holdfast.lock("a").acquire();
            time.advance(Duration.ofHours(1)); // renewed all the time
            assertTrue(lease.isValid());

            control.disconnect();
            time.advance(Duration.ofSeconds(31)); // no renewal for a whole lease duration
            assertEquals(
                    Optional.of(LossReason.EXPIRED),
                    Optional.ofNullable(lease.whenLost().toCompletableFuture().getNow(null)));
        }
    }
}
