package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt.NotObtained;
import io.holdfast.Attempt.Reason;
import io.holdfast.Contention.Sharing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/** What every exception of the library has: a code, which the page about errors explains, and a form that can be written. */
final class ErrorsTest {
    private static final Path PACKAGE = Path.of("src/main/java/io/holdfast");
    private static final Path PAGE = Path.of("../docs/guide/errors.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(HF-[A-Z-]+)` \\| ([^|]+) \\| ([^|]+) \\|$", Pattern.MULTILINE);

    private static final WaitCycle CYCLE =
            new WaitCycle(List.of(new WaitCycle.Link("b", "hf:{b}", "c", "shop", "h1", "7", "main", true)));
    private static final Contention CONTENTION = new Contention(
            Optional.of(new Holder("c.1", 7, "shop", "h1", "7", "main", Map.of("k", "v"), Instant.ofEpochSecond(9))),
            Duration.ofMillis(1500),
            2,
            5,
            Optional.of(new Sharing(LockMode.PERMITS, 4, 2, 5)),
            Optional.of(Instant.ofEpochSecond(8)));

    private static boolean isAnswer(Reason reason) {
        return reason.compareTo(Reason.UNKNOWN) < 0;
    }

    private static NotObtained<Lease> notObtained(Reason reason) {
        return new NotObtained<>(
                "a",
                reason,
                CONTENTION,
                reason == Reason.TAKEN ? Wait.none() : Wait.upTo(Duration.ofSeconds(2)),
                3,
                reason == Reason.TOO_FEW_REPLICAS ? 1 : 0,
                reason == Reason.DEADLOCK ? Optional.of(CYCLE) : Optional.empty());
    }

    static List<HoldfastException> each() {
        List<HoldfastException> all = new ArrayList<>(List.of(
                new HoldfastClosedException(),
                new LeaseEndingException("a", 7, null, new InterruptedException()),
                new LeaseLostException("a", 7, LossReason.EXPIRED, false, new Object()),
                new LeaseLostException("a", 7, null, true, null),
                new ServerRefusedException("the server refused", null),
                new ServerUnreachableException(
                        List.of(new NodeFailure("n1", new ServerRefusedException("n1 refused", null))),
                        "none is there"),
                new StaleTokenException("a", 7, 8)));
        Arrays.stream(Reason.values())
                .filter(ErrorsTest::isAnswer)
                .map(reason -> LockNotObtainedException.of(notObtained(reason)))
                .forEach(all::add);
        return all;
    }

    @Test
    void each_isOneOfEveryClass() throws IOException {
        try (Stream<Path> files = Files.list(PACKAGE)) {
            Set<String> classes = files.map(
                            file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> name.endsWith("Exception"))
                    .collect(Collectors.toCollection(TreeSet::new));
            classes.removeAll(Set.of("HoldfastException", "LockNotObtainedException")); // of which there are no others
            assertEquals(
                    classes,
                    each().stream()
                            .map(e -> e.getClass().getSimpleName())
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    @Test
    void codes_areThoseOfThePage_eachWithAMeaningAndANextStep() throws IOException {
        Set<String> codes = each().stream().map(HoldfastException::code).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(each().size(), codes.size(), "two share a code");
        Set<String> listed = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            assertTrue(listed.add(row.group(1)), row.group(1) + " is listed twice");
            assertTrue(row.group(2).length() > 10 && row.group(3).length() > 3, row.group());
        }
        assertEquals(codes, listed);
    }

    @ParameterizedTest
    @MethodSource("each")
    void message_endsWithTheCode(HoldfastException e) {
        String message = String.valueOf(e.getMessage());
        assertTrue(message.endsWith(" [" + e.code() + "]"), message);
        assertEquals(message.indexOf("[HF-"), message.lastIndexOf("[HF-"), message);
    }

    @ParameterizedTest
    @MethodSource("each")
    void serialized_comesBackAsItWas(HoldfastException e) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(e);
        }
        HoldfastException read;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            read = (HoldfastException) in.readObject();
        }
        assertEquals(e.getClass(), read.getClass());
        assertEquals(e.getMessage(), read.getMessage());
        assertEquals(e.code(), read.code());
        if (e instanceof LockNotObtainedException not) {
            LockNotObtainedException same = assertInstanceOf(LockNotObtainedException.class, read);
            assertEquals(not.lockName(), same.lockName());
            assertEquals(not.reason(), same.reason());
            assertEquals(CONTENTION, same.contention());
        }
        if (e instanceof DeadlockException deadlock) {
            assertEquals(deadlock.cycle(), ((DeadlockException) read).cycle());
        }
        if (e instanceof ServerUnreachableException unreachable) {
            assertEquals(
                    unreachable.nodeFailures().get(0).node(),
                    ((ServerUnreachableException) read).nodeFailures().get(0).node());
        }
        if (e instanceof LeaseLostException lost) {
            assertEquals(lost.reason(), ((LeaseLostException) read).reason());
            assertEquals("a", ((LeaseLostException) read).lockName());
        }
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void orElseThrow_ofEachReason_saysTheNextStepAndKeepsWhatIsKnown(Reason reason) {
        if (!isAnswer(reason)) {
            assertThrows(IllegalArgumentException.class, () -> notObtained(reason));
            return;
        }
        LockNotObtainedException e = assertThrows(
                LockNotObtainedException.class, () -> notObtained(reason).orElseThrow());
        assertEquals("a", e.lockName());
        assertEquals(reason, e.reason());
        assertEquals(CONTENTION, e.contention());
        assertTrue(String.valueOf(e.getMessage()).contains(". Next: "), e.getMessage());
        Class<?> expected = switch (reason) {
            case TAKEN, TIMED_OUT, TRIES_EXHAUSTED -> LockTimeoutException.class;
            case DEADLOCK -> DeadlockException.class;
            default -> LockRefusedException.class;
        };
        assertEquals(expected, e.getClass());
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"TAKEN", "TIMED_OUT", "TRIES_EXHAUSTED", "QUEUE_FULL", "DROPPED"})
    void busy_isWhatTryAcquireLeavesEmpty(Reason reason) {
        assertTrue(reason.isBusy());
        assertEquals(5, Arrays.stream(Reason.values()).filter(Reason::isBusy).count());
    }

    @Test
    void describe_ofPermits_saysHowManyAreOutAndWanted() {
        assertEquals(
                "semaphore 'a' not obtained (wait none): 4 of 5 permits are out, 2 wanted; held for the longest time by"
                        + " shop@h1, pid 7, main since 1970-01-01T00:00:09Z, for another 1500 ms unless renewed;"
                        + " position 2 of 5; the actor that waited has itself been a holder since"
                        + " 1970-01-01T00:00:08Z: locks are not re-entrant unless LockOptions.withReentrancy makes"
                        + " them so. Next: ask again later, or with a wait",
                notObtained(Reason.TAKEN).describe());
    }

    @Test
    void map_ofEachOutcome_changesTheLeaseOnly() {
        assertEquals(new Attempt.Obtained<>(2), new Attempt.Obtained<>("12").map(String::length));
        assertEquals(notObtained(Reason.TAKEN), notObtained(Reason.TAKEN).map(lease -> lease));
        Attempt.Unknown<String> unknown = new Attempt.Unknown<>("a", new ServerUnreachableException("silent", null));
        assertEquals(unknown, unknown.map(String::length));
    }
}
