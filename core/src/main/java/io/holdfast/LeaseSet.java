package io.holdfast;

import io.holdfast.internal.sets.SetEntry;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The lease of several locks that are held together. It belongs to no thread: any thread may inspect, extend or release it.
 *
 * <p>It is valid as long as all of its locks are held. <b>The loss of one is the loss of the set</b>, for ever;
 * {@link #whenLost()} says which. The others stay held, and are renewed, until the set is released. Work that has not noticed
 * the loss is therefore still protected by these locks.
 *
 * <p>Like a {@link Lease}, it knows its deadlines without asking, and is valid only at the instant of the check. Work that must
 * not be done twice should go to a store that compares the {@link #token(String) token} of the lock that guards that store.
 *
 * <p>While it is renewed it must stay reachable. If the last reference to it is dropped without a release, its renewal ends
 * once the garbage collector has run. Each lock is then free at the end of its lease duration.
 *
 * @see LockSet
 */
public final class LeaseSet implements AutoCloseable {
    /**
     * The first loss among the locks of a set.
     *
     * @param lockName the name of the lock that was lost
     * @param reason why it was lost
     */
    public record Loss(String lockName, LossReason reason) {}

    final SetEntry entry;
    private final Map<String, Lease> leases = new LinkedHashMap<>();

    LeaseSet(SetEntry entry) {
        this.entry = entry;
        entry.handles().forEach(handle -> leases.put(handle.hold.keys().name(), new Lease(handle)));
    }

    /** Returns whether all locks are held at this instant. Once false, it stays false for ever. No I/O. */
    public boolean isValid() {
        return entry.isValid();
    }

    /**
     * Checks that all locks are held at this instant, and otherwise throws. No I/O.
     *
     * @throws LeaseLostException if one was lost or released; it names that lock
     */
    public void requireValid() {
        if (!isValid()) {
            throw entry.lostException(null);
        }
    }

    /**
     * Returns how long the set is still valid without a further renewal: the shortest remaining time of its locks; zero if one
     * of them is over. No I/O.
     */
    public Duration remaining() {
        return leases.values().stream()
                .map(Lease::remaining)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** Returns the fencing token of each lock, by its name. Tokens of different locks are unrelated. */
    public Map<String, Long> tokens() {
        Map<String, Long> tokens = new LinkedHashMap<>();
        leases.forEach((name, lease) -> tokens.put(name, lease.token()));
        return Collections.unmodifiableMap(tokens);
    }

    /**
     * Returns the fencing token of one lock; see {@link Lease#token()}.
     *
     * @throws IllegalArgumentException if the set has no lock of that name
     */
    public long token(String name) {
        return lease(name).token();
    }

    /**
     * Returns the lease of one lock, to inspect it alone. It can also be released alone, which ends the set; the others stay
     * held.
     *
     * @throws IllegalArgumentException if the set has no lock of that name
     */
    public Lease lease(String name) {
        Lease lease = leases.get(Require.given("name", name));
        if (lease == null) {
            throw new IllegalArgumentException("name is " + LogText.lock(name) + ", must be of " + names());
        }
        return lease;
    }

    /**
     * Returns a stage that completes when the first of the locks is lost, with its name and the reason. It completes at once if
     * one was lost already, and never if they are released first. It completes at that lock's deadline at the latest, even if
     * the server hangs. It completes on the client's executor (see {@link HoldfastOptions#executor()}).
     */
    public CompletionStage<Loss> whenLost() {
        return entry.loss()
                .stage()
                .thenApply(first -> new Loss(first.lock(), first.reason()))
                .minimalCompletionStage();
    }

    /**
     * Makes all holds on the server last at least this long from now; never shortens them. See {@link Lease#extend}. All locks
     * are extended at once, each with a request of its own, so this blocks for one round trip, at most the command timeout.
     *
     * @param atLeast 1 ms to 365 days
     * @throws LeaseLostException if one lock is over, which it names; the others may have been extended
     * @throws ServerUnreachableException if a server did not answer; its locks are still held until their old deadlines, and
     *     the extension may or may not take effect
     * @throws ServerRefusedException if a server answered with an error
     */
    public void extend(Duration atLeast) {
        Lease.join(extendAsync(atLeast));
    }

    /** As {@link #extend}, without blocking; the future completes on the client's executor. */
    public CompletableFuture<Void> extendAsync(Duration atLeast) {
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        leases.values().forEach(lease -> answers.add(lease.extendAsync(atLeast)));
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Lets the leases of all locks live on without this client; see {@link Lease#detach()}. The ticket of each lock is that of
     * its {@link #lease}. Blocks for one or two round trips, each of which takes at most the command timeout.
     *
     * @throws LeaseLostException if one lock is over, which it names; the others may be detached. Detaching again is harmless
     * @throws ServerUnreachableException if the server did not answer for one of them, which is not detached; the others may
     *     be. Detaching again is harmless
     */
    public void detach() {
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        leases.values().forEach(lease -> answers.add(lease.detached()));
        Lease.join(CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)));
    }

    /**
     * Releases all locks at once. Blocks for one round trip, at most the command timeout. It is not interruptible, and never
     * throws because of the server. Each lease is over before its request is sent. Releasing twice is harmless.
     *
     * @return the result of each lock, by its name
     */
    public Map<String, ReleaseResult> release() {
        return entry.leaveAndWait();
    }

    /** As {@link #release()}, without blocking; the future completes on the client's executor. */
    public CompletableFuture<Map<String, ReleaseResult>> releaseAsync() {
        return entry.leaveAsync();
    }

    /**
     * Releases all locks, and lets each rest: it stays taken, without a holder, for this long from now. See
     * {@link Lease#releaseToRest}.
     *
     * @param rest 1 ms to 365 days
     * @return the result of each lock, by its name
     * @throws UnsupportedOperationException if the locks are of a {@link Quorum}, which has none that rest; all stay held
     */
    public Map<String, ReleaseResult> releaseToRest(Duration rest) {
        return entry.leaveToRestAndWait(rest);
    }

    /** As {@link #releaseToRest}, without blocking; the future completes on the client's executor. */
    public CompletableFuture<Map<String, ReleaseResult>> releaseToRestAsync(Duration rest) {
        return entry.leaveToRestAsync(rest);
    }

    /** Releases all locks; see {@link #release()}. */
    @Override
    public void close() {
        release();
    }

    private String names() {
        List<String> shown = leases.keySet().stream()
                .map(name -> "'" + LogText.name(name) + "'")
                .toList();
        return String.join(", ", shown);
    }

    @Override
    public String toString() {
        return "LeaseSet[" + names() + (isValid() ? ", " + remaining().toMillis() + " ms left]" : ", over]");
    }
}
