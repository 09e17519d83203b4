package io.holdfast;

import io.holdfast.internal.queue.Client;
import io.holdfast.internal.wire.Answers;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Require;
import io.holdfast.internal.wire.SteeringScripts.CleanReply;
import io.holdfast.internal.wire.SteeringScripts.RevokeReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Administers locks by name, whoever holds them. An operator's act breaks what the holder was promised. The holder is
 * notified by a message, or, if that is lost, learns of it at the next renewal, at most a third of the term later. Only a
 * store that compares fencing tokens can refuse what it writes until then.
 *
 * <p>Blocks for a round trip for each lock, at most the command timeout. Every method throws
 * {@link ServerUnreachableException} if the server does not answer (it may or may not have acted), and
 * {@link ServerRefusedException} if it answers with an error.
 */
public final class Admin {
    /** How long a dropped waiter is refused if it asks again because it did not hear of it. */
    private static final Duration REFUSED = Duration.ofMinutes(2);

    private static final int MOST_ROUNDS = 1_000;

    private final Client client;
    private final Inspector inspector;

    private final @Nullable Object eventData;

    Admin(Client client) {
        this(client, null);
    }

    private Admin(Client client, @Nullable Object eventData) {
        this.client = client;
        this.inspector = new Inspector(client);
        this.eventData = eventData;
    }

    /**
     * The same methods, whose events carry the caller's own data: who acted, for example, and why.
     *
     * @param data handed to listeners as {@link LockEvent#data()}, and to the log as its text; null for nothing
     */
    public Admin withEventData(@Nullable Object data) {
        return new Admin(client, data);
    }

    private void tell(String lock, String key, String owner, Function<LockEvent.Subject, LockEvent> event) {
        client.kit.events().tell(lock, key, owner, eventData, event);
    }

    /** What to do with the waiters. */
    public enum Waiters {
        /** The next in line gets the lock. */
        HAND_OFF,
        /** All are dropped: their calls end as {@link Attempt.Evicted}. */
        DROP
    }

    /**
     * The answer to a release of many.
     *
     * @param released how many holds ended
     * @param dropped how many waiters were dropped
     * @param took how long it took
     */
    public record Total(int released, int dropped, Duration took) {}

    /** Releases a lock, whoever holds it. */
    public Revocation release(String name, Waiters waiters) {
        return release(name, 0, waiters);
    }

    /**
     * Releases a lock if the present hold has this token: the hold that was looked at, and no later one.
     *
     * @param token as {@link Holder#token()} or {@link Lease#token()} reports it: leases that share a hold have tokens of
     *     their own, each of which means this hold
     */
    public Revocation release(String name, long token, Waiters waiters) {
        long begin = client.kit.nanoTime();
        Keys keys = Keys.of(client.kit.options.prefix(), name);
        boolean drop = waiters == Waiters.DROP;
        RevokeReply reply = revoke(keys, token, drop);
        RevokeReply first = reply;
        int dropped = reply.dropped();
        for (int round = 0; drop && reply.state().more() && round < MOST_ROUNDS; round++) {
            // The hold that this call has ended is gone; one that began meanwhile is not meant.
            reply = revoke(keys, Math.max(1, first.held().map(Holder::token).orElse(1L)), true);
            dropped += reply.dropped();
        }
        Revocation result = new Revocation(
                name,
                keys.hold(),
                keys.queue(),
                switch (first.word()) {
                    case RELEASED -> Revocation.Outcome.RELEASED;
                    case NOTHING -> Revocation.Outcome.NOTHING_TO_RELEASE;
                    case OTHER -> Revocation.Outcome.LEFT_ALONE;
                },
                first.held(),
                dropped,
                reply.state().holder(),
                Duration.ofNanos(client.kit.nanoTime() - begin));
        tell(
                name,
                keys.hold(),
                first.held().map(Holder::owner).orElse(""),
                subject -> new LockEvent.Revoked(subject, result));
        return result;
    }

    private RevokeReply revoke(Keys keys, long token, boolean drop) {
        long sent = client.kit.nanoTime();
        RevokeReply reply = Answers.await(
                client.server, callback -> client.server.steeringScripts.revoke(keys, token, drop, REFUSED, callback));
        client.queue.waitingRoom.observe(keys, reply.state(), sent);
        return reply;
    }

    /** Releases all locks. Drops the waiters of each first, so that no waiter is granted one meanwhile. */
    public Total releaseAll() {
        long begin = client.kit.nanoTime();
        int dropped = 0;
        int released = 0;
        // Queues without a hold are rare, and yet have to go.
        for (String name : inspector.queuedNames().toList()) {
            Revocation result = release(name, Waiters.DROP);
            dropped += result.dropped();
            released += result.outcome() == Revocation.Outcome.RELEASED ? 1 : 0;
        }
        for (String name : inspector.heldNames().toList()) {
            Revocation result = release(name, Waiters.DROP);
            dropped += result.dropped();
            released += result.outcome() == Revocation.Outcome.RELEASED ? 1 : 0;
        }
        return told(new Total(released, dropped, Duration.ofNanos(client.kit.nanoTime() - begin)));
    }

    /** Releases what one client holds; see {@link Inspector#clients()}. The next in line get the locks. */
    public Total releaseOfClient(String clientId) {
        return releaseOf(holder -> holder.client().equals(clientId));
    }

    /** Releases what processes on one host hold. The next in line get the locks. */
    public Total releaseOfHost(String host) {
        return releaseOf(holder -> holder.host().equals(host));
    }

    /** Releases what one actor of one client holds; see {@link DistributedLock#as}. The next in line get the locks. */
    public Total releaseOfActor(String clientId, String actor) {
        return releaseOf(
                holder -> holder.client().equals(clientId) && holder.actor().equals(actor));
    }

    /** Releases what this client holds. Its leases are lost. The next in line get the locks. */
    public Total releaseMine() {
        return releaseOfClient(client.kit.ids.client());
    }

    private Total releaseOf(Predicate<Holder> whose) {
        long begin = client.kit.nanoTime();
        List<LockInfo> found = inspector
                .locks()
                .filter(info -> info.holder()
                        .filter(holder -> !holder.resting() && whose.test(holder))
                        .isPresent())
                .toList();
        int released = 0;
        for (LockInfo info : found) {
            long token = info.holder().orElseThrow().token();
            released += release(info.name(), token, Waiters.HAND_OFF).outcome() == Revocation.Outcome.RELEASED ? 1 : 0;
        }
        return told(new Total(released, 0, Duration.ofNanos(client.kit.nanoTime() - begin)));
    }

    private Total told(Total total) {
        tell("", "", "", subject -> new LockEvent.RevokedAll(subject, total.released(), total.dropped(), total.took()));
        return total;
    }

    /**
     * Makes the present hold of a lock last at least this long from now, whoever holds it; never shortens it.
     *
     * @param atLeast 1 ms to 365 days
     * @return how long it now lasts without renewal; empty if the lock is not held
     */
    public Optional<Duration> extend(String name, Duration atLeast) {
        Require.between("atLeast", atLeast, Duration.ofMillis(1), Require.LONGEST);
        Keys keys = Keys.of(client.kit.options.prefix(), name);
        Duration remaining = Answers.await(
                client.server, callback -> client.server.steeringScripts.prolong(keys, atLeast, callback));
        if (remaining.isZero()) {
            return Optional.empty();
        }
        tell(name, keys.hold(), "", subject -> new LockEvent.Prolonged(subject, remaining));
        return Optional.of(remaining);
    }

    /**
     * Removes waiters whose clients have not reported in time ({@link HoldfastOptions#waiterDeadline()}). The server also
     * removes them by itself whenever it comes across them.
     *
     * @return how many were removed
     */
    public int clean(String name) {
        Keys keys = Keys.of(client.kit.options.prefix(), name);
        int removed = 0;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            long sent = client.kit.nanoTime();
            CleanReply reply =
                    Answers.await(client.server, callback -> client.server.steeringScripts.clean(keys, callback));
            client.queue.waitingRoom.observe(keys, reply.state(), sent);
            removed += reply.removed();
            if (reply.removed() == 0) {
                break;
            }
        }
        int dropped = removed;
        if (dropped > 0) {
            tell(name, keys.hold(), "", subject -> new LockEvent.Cleaned(subject, dropped));
        }
        return removed;
    }

    /** Does the same for all locks that have waiters. */
    public int cleanAll() {
        return inspector.queuedNames().toList().stream().mapToInt(this::clean).sum();
    }
}
