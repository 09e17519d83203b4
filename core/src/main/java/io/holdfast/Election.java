package io.holdfast;

import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * An election, in which one of all candidates for a name, in all processes, leads at a time. Cheap, stateless, and usable by
 * any number of threads.
 *
 * <pre>{@code
 * Candidacy me = holdfast.election("scheduler").campaign(leadership -> {
 *     while (leadership.isValid()) {
 *         store.write(receive(), leadership.token()); // the store refuses a token older than the newest it has seen
 *     }
 * });
 * }</pre>
 *
 * <p>A candidate that does not lead waits in the queue of the election, without a thread. The candidate that has waited
 * longest leads next, unless the options of candidates give {@linkplain LockOptions#withPriority priorities} or another order.
 * When its leadership is over, for any reason, a candidate campaigns again by itself, behind those that wait, until it is
 * closed. If the leader's process dies without notice, the next candidate leads when the lease duration is over.
 *
 * <p>At most one {@link Leadership} of a name is valid at a time, with the same promises and on the same assumptions as a
 * {@link Lease}: see docs/safety.md. An election shares nothing with a lock of the same name.
 *
 * <p><b>One leader after the other.</b> A candidate runs its {@link Leader} on a thread of its own. If the leadership cannot be
 * renewed, the thread is interrupted {@link LockOptions#withInterruptBefore interruptBefore} (default: a third of the lease
 * duration) before the end. It is also interrupted when the leadership is over. A process never runs two leaders of one
 * candidate at once. A candidate that is elected again while its leader is still at work resigns after
 * {@link #withGrace grace}, unless the leader returns.
 */
public final class Election {
    /** An observation of an election, which lasts until it is closed; see {@link Election#observe}. */
    public interface Observation extends AutoCloseable {
        /** Ends the observation. A call of the listener that is in progress is not interrupted. */
        @Override
        void close();
    }

    private static final String ELECTION = "an election";
    /** The usual lease duration, unless the client's is shorter. */
    private static final Duration TERM = Duration.ofSeconds(15);

    private final Engine engine;
    private final Keys keys;
    private final LockOptions options;
    private final Duration grace;
    private final ThreadFactory threads;
    private final DistributedLock lock;

    Election(Engine engine, Keys keys, LockOptions options) {
        this(engine, keys, options, options.leaseDuration(), task -> daemon(keys, task));
    }

    private Election(Engine engine, Keys keys, LockOptions given, Duration grace, ThreadFactory threads) {
        Require.only(
                "renewal",
                given.renewal(),
                true,
                ELECTION,
                "a leadership without renewal would end with its lease duration");
        Require.only("reentrancy", given.reentrancy(), Reentrancy.WAIT, ELECTION, "a candidate is no actor");
        Require.only("deadlock", given.deadlock(), LockOptions.OnDeadlock.WAIT, ELECTION, "a candidate waits for ever");
        Require.only(
                "keepFor", given.keepFor(), Duration.ZERO, ELECTION, "another candidate follows a leader that resigns");
        Require.only(
                "requestLife", String.valueOf(given.requestLife()), "null", ELECTION, "a candidate waits for ever");
        Duration before = given.interruptBefore();
        this.engine = engine;
        this.keys = keys;
        this.options = given.withStrictOrder()
                .withWaitLimit(Wait.forever())
                .withInterruptBefore(before == null ? given.leaseDuration().dividedBy(3) : before);
        this.grace = grace;
        this.threads = threads;
        this.lock = new DistributedLock(engine, keys, options, "candidate");
    }

    /** Derives the options of an election from a client's lock options. */
    static LockOptions defaults(LockOptions ofLocks) {
        LockOptions waiting = ofLocks.withDeadlock(LockOptions.OnDeadlock.WAIT);
        return waiting.leaseDuration().compareTo(TERM) > 0 ? waiting.withLeaseDuration(TERM) : waiting;
    }

    private static Thread daemon(Keys keys, Runnable task) {
        Thread thread = new Thread(task, "holdfast-leader-" + LogText.name(keys.name()));
        thread.setDaemon(true);
        return thread;
    }

    /** Returns the election's name. */
    public String name() {
        return keys.name();
    }

    /** Returns the key under which the server stores the present leader. */
    public String key() {
        return keys.hold();
    }

    /** Returns the options of its candidates: those that it was given, with the changes that an election makes to them. */
    public LockOptions options() {
        return options;
    }

    /** Returns how long a candidate that was elected again waits for its leader to return; by default the lease duration. */
    public Duration grace() {
        return grace;
    }

    /**
     * Returns a copy with the given grace. A candidate may be elected again while its leader is still at work under a leadership
     * that is over. It then waits this long for the leader to return. After that it resigns, so that others may lead, and
     * campaigns again when the leader has returned.
     *
     * @param value 1 ms to 365 days
     */
    public Election withGrace(Duration value) {
        return new Election(
                engine, keys, options, Require.between("grace", value, Duration.ofMillis(1), Require.LONGEST), threads);
    }

    /**
     * Returns a copy that runs its leaders on threads of the given factory, for example virtual threads. The default is a new
     * daemon platform thread for each leadership.
     *
     * @param value makes a thread for each leadership; never called concurrently for one candidate
     */
    public Election withThreads(ThreadFactory value) {
        return new Election(engine, keys, options, grace, Require.given("threads", value));
    }

    /**
     * Begins to campaign. Does not block. If the server cannot be reached or refuses a request, the candidate tries again
     * until the candidacy is closed.
     *
     * @param leader the work to do in each leadership
     */
    public Candidacy campaign(Leader leader) {
        Candidacy candidacy = new Candidacy(this, engine.kit(), lock, Require.given("leader", leader));
        candidacy.campaignIn(0);
        return candidacy;
    }

    /**
     * Returns the leader, in any process; empty if there is none. The result was correct when the server answered. Its owner
     * identifies the leadership ({@link Leadership#owner()}). On a {@link Quorum}, the token is that of one node, and may
     * differ from the leadership's. Blocks for one round trip, at most the command timeout.
     *
     * @throws ServerUnreachableException if the server does not answer
     * @throws ServerRefusedException if it answers with an error
     */
    public Optional<Holder> leader() {
        return leaderOf(engine.look(keys));
    }

    static Optional<Holder> leaderOf(LockInfo info) {
        return info.holder().filter(holder -> !holder.resting());
    }

    /**
     * Notifies a listener of the leader, now and whenever the leader changes. A new leader announces itself, and is reported at
     * once. Any other change is found by polling, within {@link HoldfastOptions#refreshInterval()} (2 s by default). A
     * leadership that was shorter than that may be missed. While the server does not answer, nothing is reported.
     *
     * @param listener called on the client's executor, one call at a time
     * @return the observation, which ends when it is closed or when the client is closed
     */
    public Observation observe(Consumer<Optional<Holder>> listener) {
        Watching watching = new Watching(engine, keys, Require.given("listener", listener));
        watching.begin();
        return watching;
    }

    // ---- for its candidates

    Duration interruptBefore() {
        return Objects.requireNonNull(options.interruptBefore(), "set by the constructor");
    }

    ThreadFactory threads() {
        return threads;
    }

    boolean hasQueue() {
        return engine.hasQueue();
    }

    /** Announces a new leader, so that observers look at once. */
    void tellElected(Leadership leadership) {
        engine.bulletins().publish(keys.electedChannel(), Long.toString(leadership.token()));
    }

    @Override
    public String toString() {
        return "Election[" + LogText.name(name()) + "]";
    }
}
