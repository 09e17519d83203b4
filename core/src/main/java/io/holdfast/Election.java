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
 * An election: of all candidates for a name, in all processes, one leads at a time. Cheap, stateless, and usable by any number
 * of threads.
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
 * longest leads next, unless another has a higher {@linkplain LockOptions#withPriority priority}. When its leadership is over,
 * for whatever reason, a candidate campaigns again by itself, behind those that wait, until it is closed. A candidate whose
 * process ends without a word is followed by the next when its lease duration is over.
 *
 * <p>At most one {@link Leadership} of a name is valid at a time, with the same promises and on the same assumptions as a
 * {@link Lease}: see docs/safety.md. An election shares nothing with a lock of the same name.
 *
 * <p><b>Leaders in turn.</b> A candidate runs its {@link Leader} on a thread of its own, which is interrupted
 * {@link LockOptions#withInterruptBefore interruptBefore} (a third of the lease duration) before the leadership ends because it cannot be
 * renewed, and when it is over. A process never runs two leaders of one candidate at once: a candidate that is elected again
 * while its leader is still at work resigns after {@link #withGrace grace}, unless the leader returns.
 */
public final class Election {
    /** Watches an election; see {@link Election#observe}. */
    public interface Observation extends AutoCloseable {
        /** Watches no more. A call of the listener that is under way ends by itself. */
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
        Require.only("keepFor", given.keepFor(), Duration.ZERO, ELECTION, "another candidate follows a leader that resigns");
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

    /** What an election has of a client's lock options. */
    static LockOptions defaults(LockOptions ofLocks) {
        LockOptions waiting = ofLocks.withDeadlock(LockOptions.OnDeadlock.WAIT);
        return waiting.leaseDuration().compareTo(TERM) > 0 ? waiting.withLeaseDuration(TERM) : waiting;
    }

    private static Thread daemon(Keys keys, Runnable task) {
        Thread thread = new Thread(task, "holdfast-leader-" + LogText.name(keys.name()));
        thread.setDaemon(true);
        return thread;
    }

    /** The name. */
    public String name() {
        return keys.name();
    }

    /** The key under which the server keeps who leads. */
    public String key() {
        return keys.hold();
    }

    /** The options of its candidates, completed by what an election adds to those that it was given. */
    public LockOptions options() {
        return options;
    }

    /** How long a candidate that was elected again waits for its leader to return; default a lease duration. */
    public Duration grace() {
        return grace;
    }

    /**
     * Returns this election with the given grace: how long a candidate that was elected again, while its leader is still at work
     * under a leadership that is over, waits for that leader to return. Then it resigns, so that others may lead, and campaigns
     * again when the leader has returned.
     *
     * @param value 1 ms to 365 days
     */
    public Election withGrace(Duration value) {
        return new Election(
                engine, keys, options, Require.between("grace", value, Duration.ofMillis(1), Require.LONGEST), threads);
    }

    /**
     * Returns this election with the given threads for its leaders, such as virtual ones; default daemon threads of the platform, a
     * new one for each leadership.
     *
     * @param value makes a thread for each leadership; not called beside others of one candidate
     */
    public Election withThreads(ThreadFactory value) {
        return new Election(engine, keys, options, grace, Require.given("threads", value));
    }

    /**
     * Begins to campaign. Does not block. What cannot be done now, because the server is away or refuses it, is tried again
     * until the candidacy is closed.
     *
     * @param leader what to do while leading, each time
     */
    public Candidacy campaign(Leader leader) {
        Candidacy candidacy = new Candidacy(this, engine.kit(), lock, Require.given("leader", leader));
        candidacy.campaignIn(0);
        return candidacy;
    }

    /**
     * The leader, in any process; empty if there is none. It was true when the server said it. Which leadership it is, is known by the owner ({@link Leadership#owner()}); of a {@link Quorum}, the token is that of one node, and may differ. Blocks for
     * one round trip, at most the command timeout.
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
     * Informs a listener of the leader, now and whenever it changes: at once when a new leader announces itself, and otherwise within
     * {@link HoldfastOptions#refreshInterval()} (2 s by default), by looking. A leadership that was shorter than that may be
     * missed. While the server does not answer, nothing is reported.
     *
     * @param listener called on the client's executor, one call after the other: the next when the one before has returned
     * @return ends it; so does closing the client
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

    /** Those who watch look at once. */
    void tellElected(Leadership leadership) {
        engine.bulletins().publish(keys.electedChannel(), Long.toString(leadership.token()));
    }

    @Override
    public String toString() {
        return "Election[" + LogText.name(name()) + "]";
    }
}
