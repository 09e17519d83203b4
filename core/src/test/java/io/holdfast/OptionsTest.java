package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Credentials;
import io.holdfast.spi.Tls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class OptionsTest {
    @Test
    void upTo_zero_isNone() {
        assertEquals(Wait.none(), Wait.upTo(Duration.ZERO));
        assertTrue(Wait.upTo(Duration.ZERO).isNone());
        assertEquals("none", Wait.none().toString());
    }

    @Test
    void upTo_positive_keepsTheLimit() {
        Wait wait = Wait.upTo(Duration.ofSeconds(2));
        assertFalse(wait.isNone());
        assertEquals(Duration.ofSeconds(2), wait.limit());
        assertEquals(wait, Wait.upTo(Duration.ofSeconds(2)));
        assertEquals(wait.hashCode(), Wait.upTo(Duration.ofSeconds(2)).hashCode());
        assertNotEquals(wait, Wait.forever());
        assertNotEquals(Wait.forever(), wait);
    }

    @Test
    void forever_anyTime_hasNoLimit() {
        assertNull(Wait.forever().limit());
        assertFalse(Wait.forever().isNone());
    }

    @Test
    void upTo_negativeOrHuge_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> Wait.upTo(Duration.ofMillis(-1)));
        assertThrows(IllegalArgumentException.class, () -> Wait.upTo(Duration.ofNanos(1)));
        assertThrows(IllegalArgumentException.class, () -> Wait.upTo(Duration.ofDays(366)));
    }

    @Test
    void lockOptions_termAtTheBounds_areTakenAndRefused() {
        LockOptions defaults = LockOptions.defaults();
        assertEquals(
                Duration.ofMillis(100),
                defaults.withLeaseDuration(Duration.ofMillis(100)).leaseDuration());
        assertThrows(IllegalArgumentException.class, () -> defaults.withLeaseDuration(Duration.ofMillis(99)));
        assertThrows(IllegalArgumentException.class, () -> defaults.withLeaseDuration(Duration.ofDays(366)));
        assertThrows(IllegalArgumentException.class, () -> defaults.withLeaseDuration(Duration.ofSeconds(-1)));
    }

    @Test
    void lockOptions_leastRemainingNearTheTerm_isRefused() {
        LockOptions ten = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(10));
        assertEquals(
                Duration.ofMillis(8_999),
                ten.withMinRemaining(Duration.ofMillis(8_999)).minRemaining());
        assertThrows(IllegalArgumentException.class, () -> ten.withMinRemaining(Duration.ofSeconds(9)));
    }

    @Test
    void lockOptions_newValuesOutOfRange_areRefusedWithNameValueAndRule() {
        LockOptions options = LockOptions.defaults();
        assertRefused("priority is 101, must be from -100 to 100", () -> options.withPriority(101));
        assertRefused("priority is -101, must be", () -> options.withPriority(-101));
        assertRefused("queueLimit is -1, must be from 0", () -> options.withQueueLimit(-1));
        assertRefused("queueLimit is 1000001", () -> options.withQueueLimit(1_000_001));
        assertRefused("interruptBefore is PT0S", () -> options.withInterruptBefore(Duration.ZERO));
        LockOptions once = options.withRenewal(false);
        assertRefused("interruptBefore is PT27S", () -> once.withInterruptBefore(Duration.ofSeconds(27)));
        assertEquals(
                Duration.ofSeconds(26),
                once.withInterruptBefore(Duration.ofSeconds(26)).interruptBefore());
        // A renewed lease has two thirds of its term left when its renewal is due, and half of it after one that
        // failed.
        assertRefused("interruptBefore is PT15.001S", () -> options.withInterruptBefore(Duration.ofMillis(15_001)));
        assertEquals(
                Duration.ofSeconds(15),
                options.withInterruptBefore(Duration.ofSeconds(15)).interruptBefore());
        assertRefused("metadata has", () -> options.withMetadata(Map.of("k", "x".repeat(2_000))));
        assertRefused("metadata has", () -> options.withMetadata(Map.of("k", " ü".repeat(500))));
        HoldfastOptions client = HoldfastOptions.defaults();
        assertRefused("eventSampling is -0.1, must be from 0 to 1", () -> client.withEventSampling(-0.1));
        assertRefused("eventSampling is NaN", () -> client.withEventSampling(Double.NaN));
        assertRefused("logSampling is 1.1", () -> client.withLogSampling(1.1));
        assertRefused("largestClockDrift is 0.009, must be from 0.01 to 1", () -> client.withLargestClockDrift(0.009));
        assertRefused("largestClockDrift is 1.1", () -> client.withLargestClockDrift(1.1));
        assertRefused("largestClockDrift is NaN", () -> client.withLargestClockDrift(Double.NaN));
    }

    private static void assertRefused(String message, Executable act) {
        IllegalArgumentException told = assertThrows(IllegalArgumentException.class, act);
        assertTrue(String.valueOf(told.getMessage()).startsWith(message), told.getMessage());
    }

    @Test
    void holdfastOptions_prefixThatWouldBreakKeys_isRefused() {
        HoldfastOptions defaults = HoldfastOptions.defaults();
        for (String bad : new String[] {"", "a b", "a{b", "a}b", "a\n", "x".repeat(65)}) {
            assertThrows(IllegalArgumentException.class, () -> defaults.withPrefix(bad), bad);
        }
        assertEquals("team:a", defaults.withPrefix("team:a").prefix());
    }

    @Test
    void holdfastOptions_waiterDeadlineShorterThanThreeRefreshes_isRefused() {
        HoldfastOptions defaults = HoldfastOptions.defaults();
        assertThrows(IllegalArgumentException.class, () -> defaults.withWaiterDeadline(Duration.ofMillis(5_999)));
        assertEquals(
                Duration.ofSeconds(6),
                defaults.withWaiterDeadline(Duration.ofSeconds(6)).waiterDeadline());
    }

    @Test
    void lockDefaults_ofAName_areThoseOfTheNameIfThereAreSome() {
        LockOptions all = LockOptions.defaults().withPriority(1);
        LockOptions special = LockOptions.defaults().withPriority(2);
        HoldfastOptions options = HoldfastOptions.defaults().withLockDefaults(all);
        assertEquals(all, options.lockDefaults("a"));
        HoldfastOptions byName = options.withLockDefaultsByName(name -> name.equals("a") ? special : null);
        assertEquals(special, byName.lockDefaults("a"));
        assertEquals(all, byName.lockDefaults("b"));
        assertEquals(all, byName.withLockDefaultsByName(null).lockDefaults("a"));
    }

    @Test
    void withers_eachOfThem_changeTheirOwnComponentOnly() throws Exception {
        LockOptions lock = LockOptions.defaults();
        assertOnlyOneDiffers(lock, lock.withLeaseDuration(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withRenewal(false));
        assertOnlyOneDiffers(lock, lock.withMaxHold(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withMaxScopedHold(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withWaitLimit(Wait.forever()));
        assertOnlyOneDiffers(lock, lock.withHandoffTimeout(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withMinRemaining(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withMinHold(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withRequestLife(Duration.ofSeconds(5), lock.requestEnd()));
        assertOnlyOneDiffers(lock, lock.withRequestLife(null, LockOptions.RequestEnd.LEAVE));
        assertOnlyOneDiffers(lock, lock.withInterruptBefore(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withMetadata(Map.of("a", "b")));
        assertOnlyOneDiffers(lock, lock.withOrder(LockOptions.Order.LIFO));
        assertOnlyOneDiffers(lock, lock.withPriority(5));
        assertOnlyOneDiffers(lock, lock.withQueueLimit(5));
        assertOnlyOneDiffers(lock, lock.withReentrancy(LockOptions.Reentrancy.REFUSE));
        assertOnlyOneDiffers(lock, lock.withEventData("data"));
        assertOnlyOneDiffers(lock, lock.withListener(event -> {}));
        assertOnlyOneDiffers(lock, lock.withReplicas(1, lock.replicaTimeout()));
        assertOnlyOneDiffers(lock, lock.withReplicas(lock.replicas(), Duration.ofSeconds(5)));
        assertOnlyOneDiffers(lock, lock.withLocalHandoffs(1, lock.localHandoffTime()));
        LockOptions turns = lock.withLocalHandoffs(1, lock.localHandoffTime());
        assertOnlyOneDiffers(turns, turns.withLocalHandoffs(1, Duration.ofSeconds(5)));
        assertEquals(lock.withStrictOrder(), turns.withStrictOrder());
        assertEquals(lock, lock.withStrictOrder().withLocalHandoffs());
        assertOnlyOneDiffers(lock, lock.withKeepFor(Duration.ofSeconds(5)));
        assertEquals(23, changed.size(), changed::toString);
        changed.clear();
        HoldfastOptions client = HoldfastOptions.defaults();
        assertOnlyOneDiffers(client, client.withPrefix("other"));
        assertOnlyOneDiffers(client, client.withApplication("other"));
        assertOnlyOneDiffers(client, client.withLockDefaults(lock.withRenewal(false)));
        assertOnlyOneDiffers(client, client.withConnectTimeout(Duration.ofSeconds(7)));
        assertOnlyOneDiffers(client, client.withCommandTimeout(Duration.ofSeconds(7)));
        assertOnlyOneDiffers(client, client.withCloseTimeout(Duration.ofSeconds(7)));
        assertOnlyOneDiffers(client, client.withRefreshInterval(Duration.ofSeconds(7)));
        assertOnlyOneDiffers(client, client.withWaiterDeadline(Duration.ofSeconds(7)));
        assertOnlyOneDiffers(client, client.withTokenLife(Duration.ofSeconds(7)));
        assertOnlyOneDiffers(client, client.withEviction(HoldfastOptions.Eviction.REFUSE));
        assertOnlyOneDiffers(client, client.withExecutor(Runnable::run));
        assertOnlyOneDiffers(client, client.withListener(event -> {}));
        assertOnlyOneDiffers(client, client.withEventSampling(0.5));
        assertOnlyOneDiffers(client, client.withLogSampling(0.5));
        assertOnlyOneDiffers(client, client.withQuarantine(Duration.ofSeconds(7)));
        assertOnlyOneDiffers(client, client.withTls(Tls.defaults().withServerName("other")));
        assertOnlyOneDiffers(client, client.withCredentials(() -> Credentials.ofPassword("other")));
        assertOnlyOneDiffers(client, client.withSentinelCredentials(() -> Credentials.ofPassword("other")));
        assertOnlyOneDiffers(client, client.withLockDefaultsByName(name -> null));
        assertOnlyOneDiffers(client, client.withLargestClockDrift(0.05));
        assertEquals(20, changed.size(), changed::toString);
        changed.clear();
        PlainOptions plain = PlainOptions.defaults();
        PlainOptions unrenewed = plain.withRenewal(false);
        assertOnlyOneDiffers(plain, plain.withLeaseDuration(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(unrenewed, unrenewed.withoutExpiry());
        assertOnlyOneDiffers(plain, unrenewed);
        assertOnlyOneDiffers(plain, plain.withMaxHold(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(plain, plain.withValues(() -> "other"));
        assertOnlyOneDiffers(plain, plain.withBackoff(Backoff.fixed(Duration.ofSeconds(5))));
        assertOnlyOneDiffers(plain, plain.withMaxAttempts(5));
        assertOnlyOneDiffers(plain, plain.withWaitLimit(Wait.forever()));
        assertOnlyOneDiffers(plain, plain.withPatience(PlainOptions.Patience.THEN_TAKE_OVER));
        assertOnlyOneDiffers(plain, plain.withMinRemaining(Duration.ofSeconds(5)));
        assertEquals(10, changed.size(), changed::toString);
        changed.clear();
        QuorumOptions quorum = QuorumOptions.defaults();
        assertOnlyOneDiffers(quorum, quorum.withClient(client.withPrefix("other")));
        assertOnlyOneDiffers(quorum, quorum.withNodeTimeout(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(quorum, quorum.withMaxLeaseDuration(Duration.ofSeconds(5)));
        assertOnlyOneDiffers(quorum, quorum.withBackoff(Backoff.fixed(Duration.ofSeconds(5))));
        assertOnlyOneDiffers(quorum, quorum.withMaxAttempts(5));
        assertOnlyOneDiffers(quorum, quorum.withDurableNodes(true));
        assertEquals(6, changed.size(), changed::toString);
    }

    @Test
    void withers_nullWhereAValueIsNeeded_isRefusedByName() throws Exception {
        Set<String> taken = new TreeSet<>();
        for (Object defaults : List.of(
                LockOptions.defaults(),
                HoldfastOptions.defaults(),
                PlainOptions.defaults(),
                QuorumOptions.defaults())) {
            for (Method wither : defaults.getClass().getMethods()) {
                if (wither.getName().startsWith("with")
                        && wither.getParameterCount() == 1
                        && !wither.getParameterTypes()[0].isPrimitive()) {
                    String name = wither.getName().substring("with".length());
                    try {
                        wither.invoke(defaults, new Object[] {null});
                        taken.add(name);
                    } catch (InvocationTargetException e) {
                        assertEquals(
                                name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1) + " is null",
                                Objects.requireNonNull(e.getCause()).getMessage());
                    }
                }
            }
        }
        assertEquals(
                Set.of(
                        "Credentials",
                        "DeadlockDetection",
                        "EventData",
                        "Executor",
                        "InterruptBefore",
                        "Listener",
                        "MaxHold",
                        "MaxScopedHold",
                        "LockDefaultsByName",
                        "Name",
                        "SentinelCredentials",
                        "Values"),
                taken);
    }

    @Test
    void toString_objectsOfTheCallers_areNamedAndNotShown() {
        Supplier<Credentials> secret = new Supplier<>() {
            @Override
            public Credentials get() {
                return Credentials.ofPassword("hush");
            }

            @Override
            public String toString() {
                return "hush";
            }
        };
        assertEquals(
                "HoldfastOptions[prefix p, application a, closeTimeout PT5S, credentials]",
                HoldfastOptions.defaults()
                        .withPrefix("p")
                        .withApplication("a")
                        .withCloseTimeout(Duration.ofSeconds(5))
                        .withCredentials(secret)
                        .toString());
    }

    /** Which properties some wither has changed. */
    private final Set<String> changed = new TreeSet<>();

    /** As seen from outside, and by equals. */
    private void assertOnlyOneDiffers(Object before, Object after) throws Exception {
        List<String> different = new ArrayList<>();
        for (Method read : before.getClass().getMethods()) {
            boolean property = read.getParameterCount() == 0
                    && !Modifier.isStatic(read.getModifiers())
                    && read.getDeclaringClass() == before.getClass()
                    && read.getReturnType() != before.getClass()
                    && !Set.of("hashCode", "toString").contains(read.getName());
            if (property && !Objects.equals(read.invoke(before), read.invoke(after))) {
                different.add(read.getName());
            }
        }
        assertEquals(1, different.size(), different + " differ");
        assertNotEquals(before, after);
        changed.addAll(different);
    }

    @Test
    void lockOptions_numbersAtTheBounds_areTaken() {
        LockOptions options = LockOptions.defaults();
        assertEquals(-100, options.withPriority(-100).priority());
        assertEquals(100, options.withPriority(100).priority());
        assertEquals(0, options.withQueueLimit(5).withQueueLimit(0).queueLimit());
        assertEquals(1_000_000, options.withQueueLimit(1_000_000).queueLimit());
        LockOptions replicated = options.withReplicas(100, Duration.ofMinutes(1));
        assertEquals(100, replicated.replicas());
        assertEquals(Duration.ofMinutes(1), replicated.replicaTimeout());
        assertEquals(0, replicated.withReplicas(0, Duration.ofMillis(1)).replicas());
        assertRefused("replicas is -1, must be from 0 to 100", () -> options.withReplicas(-1, Duration.ofSeconds(1)));
        assertRefused("replicas is 101, must be from 0 to 100", () -> options.withReplicas(101, Duration.ofSeconds(1)));
        assertRefused(
                "replicaTimeout is PT0S, must be from 1 ms to 60 s", () -> options.withReplicas(1, Duration.ZERO));
    }

    @Test
    void lockOptions_metadataOf2000Characters_isTakenAndOneMoreRefused() {
        LockOptions options = LockOptions.defaults();
        Map<String, String> full = Map.of("k", "v".repeat(1_998));
        assertEquals(full, options.withMetadata(full).metadata());
        assertRefused(
                "metadata has 2001 characters when encoded, must have at most 2000",
                () -> options.withMetadata(Map.of("k", "v".repeat(1_999))));
    }

    @Test
    void holdfastOptions_numbersAtTheBounds_areTaken() {
        HoldfastOptions options = HoldfastOptions.defaults();
        for (double part : new double[] {0, 0.25, 1}) {
            assertEquals(part, options.withEventSampling(part).eventSampling());
            assertEquals(part, options.withLogSampling(part).logSampling());
        }
        assertRefused("logSampling is 1.5, must be from 0 to 1", () -> options.withLogSampling(1.5));
        assertRefused("eventSampling is NaN, must be from 0 to 1", () -> options.withEventSampling(Double.NaN));
        for (double drift : new double[] {0.01, 0.1, 1}) {
            assertEquals(drift, options.withLargestClockDrift(drift).largestClockDrift());
        }
        assertEquals(Duration.ZERO, options.quarantine());
        assertEquals(
                Duration.ofHours(1), options.withQuarantine(Duration.ofHours(1)).quarantine());
    }

    @Test
    void equals_sameValues_areEqualWithOneHashAndNothingElseIs() {
        LockOptions lock = LockOptions.defaults().withPriority(3);
        assertEquals(lock, LockOptions.defaults().withPriority(3));
        assertEquals(lock.hashCode(), LockOptions.defaults().withPriority(3).hashCode());
        assertNotEquals(lock.hashCode(), LockOptions.defaults().hashCode());
        assertNotEquals(lock, new Object());
        assertEquals(
                "LockOptions[leaseDuration PT30S, renewal on, waitLimit up to PT1M]",
                LockOptions.defaults().toString());
        assertEquals(
                "LockOptions[leaseDuration PT5S, renewal off, waitLimit forever, maxHold PT1H, order LIFO, priority 3, eventData]",
                LockOptions.defaults()
                        .withLeaseDuration(Duration.ofSeconds(5))
                        .withRenewal(false)
                        .withWaitLimit(Wait.forever())
                        .withMaxHold(Duration.ofHours(1))
                        .withOrder(LockOptions.Order.LIFO)
                        .withPriority(3)
                        .withEventData("secret")
                        .toString());
        HoldfastOptions client = HoldfastOptions.defaults().withPrefix("x");
        assertEquals(client, HoldfastOptions.defaults().withPrefix("x"));
        assertEquals(
                client.hashCode(), HoldfastOptions.defaults().withPrefix("x").hashCode());
        assertNotEquals(client.hashCode(), HoldfastOptions.defaults().hashCode());
        assertNotEquals(client, new Object());
        assertTrue(client.toString().startsWith("HoldfastOptions[prefix x, application "), client.toString());
    }
}
