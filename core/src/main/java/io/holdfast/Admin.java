package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Keys.Kind;
import io.holdfast.internal.wire.LockScripts.CleanReply;
import io.holdfast.internal.wire.LockScripts.PauseReply;
import io.holdfast.internal.wire.LockScripts.PauseWord;
import io.holdfast.internal.wire.LockScripts.RevokeReply;
import io.holdfast.internal.wire.LockScripts.RevokeWord;
import io.holdfast.internal.wire.LockScripts.State;
import io.holdfast.internal.wire.Require;
import io.holdfast.internal.wire.SharedScripts.LimitReply;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Administers locks by name, for any holder. An operator's act breaks what the holder was promised. The holder is
 * notified by a message, or, if that is lost, learns of it at the next renewal, at most a third of the lease duration later. Only a
 * store that compares fencing tokens can refuse what it writes until then.
 *
 * <p>Blocks for a round trip for each lock, at most the command timeout. Every method throws
 * {@link ServerUnreachableException} if the server does not answer (it may or may not have acted), and
 * {@link ServerRefusedException} if it answers with an error.
 */
public final class Admin {
    /** How long a dropped waiter is refused if it asks again because it did not hear of it. */
    private static final Duration REFUSED = Duration.ofMinutes(2);

    /** The most characters of a reason for a pause. */
    public static final int LONGEST_REASON = 1_000;

    private static final int MOST_ROUNDS = 1_000;
    private static final int NO_LIMIT = -1;

    private final Client client;
    private final Inspector inspector;

    private final Kind kind;
    private final @Nullable Object eventData;
    private final boolean scanning;

    Admin(Client client) {
        this(client, Kind.LOCK, null, false);
    }

    private Admin(Client client, Kind kind, @Nullable Object eventData, boolean scanning) {
        this.client = client;
        this.inspector = new Inspector(client, kind, scanning);
        this.kind = kind;
        this.eventData = eventData;
        this.scanning = scanning;
    }

    /**
     * Returns an administrator whose acts upon many locks search the whole server for them, as {@link Inspector#scanning} does. Without it, they
     * find what clients report.
     */
    public Admin scanning() {
        return new Admin(client, kind, eventData, true);
    }

    /**
     * Returns an administrator for names of another kind; without it, names are those of locks, and nothing of another kind is touched.
     *
     * <ul>
     *   <li>Of a read/write lock or a semaphore, a release by name ends every lease, and a release with a token all that have that token.
     *   <li>Of an election, the holder is its leader, and candidates wait. A candidate that is released or dropped campaigns again.
     * </ul>
     */
    public Admin of(LockInfo.Kind kind) {
        return new Admin(client, Kind.of(Require.given("kind", kind)), eventData, scanning);
    }

    /**
     * Returns an administrator whose events carry the caller's own data: who acted, for example, and why.
     *
     * @param data handed to listeners as {@link LockEvent#data()}, and to the log as its text; null for nothing
     */
    public Admin withEventData(@Nullable Object data) {
        return new Admin(client, kind, data, scanning);
    }

    private void tell(String lock, String key, String owner, Function<LockEvent.Subject, LockEvent> event) {
        client.kit.events().tell(lock, key, owner, eventData, event);
    }

    /** What to do with the waiters. */
    public enum Waiters {
        /** The next in line gets the lock. */
        HAND_OFF,
        /** All are dropped: their calls end as {@link Attempt.Reason#DROPPED}. */
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

    /** Releases a lock, for any holder; the next in line gets it. */
    public Revocation release(String name) {
        return release(name, Waiters.HAND_OFF);
    }

    /** Releases a lock, for any holder. */
    public Revocation release(String name, Waiters waiters) {
        return release(name, 0, waiters);
    }

    /**
     * Releases a lock if the present hold has this token: the hold that was looked at, and no later one. What {@linkplain
     * Holder#resting() rests} has the token of the hold that it was, and its rest ends.
     *
     * @param token as {@link Holder#token()} or {@link Lease#token()} reports it: leases that share a hold have tokens of
     *     their own, each of which means this hold
     */
    public Revocation release(String name, long token, Waiters waiters) {
        long begin = client.kit.nanoTime();
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        boolean drop = waiters == Waiters.DROP;
        boolean several = kind.isLine();
        RevokeReply reply = revoke(keys, several, token, drop);
        RevokeReply first = reply;
        int dropped = reply.dropped();
        boolean all = several && token == 0; // while there is more to end, nobody is granted it
        for (int round = 0; (drop || all) && reply.state().more() && round < MOST_ROUNDS; round++) {
            // The hold that this call has ended is gone; one that began meanwhile is not meant.
            reply = revoke(
                    keys,
                    several,
                    all ? 0 : Math.max(1, first.held().map(Holder::token).orElse(1L)),
                    drop);
            dropped += reply.dropped();
        }
        return told(
                keys, first.held().map(Holder::owner).orElse(""), begin, first.word(), first.held(), dropped, reply);
    }

    /** @param last what the server answered at the end */
    private Revocation told(
            Keys keys,
            String owner,
            long begin,
            RevokeWord word,
            Optional<Holder> held,
            int dropped,
            RevokeReply last) {
        Revocation result = new Revocation(
                keys.name(),
                keys.hold(),
                keys.queue(),
                switch (word) {
                    case RELEASED -> Revocation.Outcome.RELEASED;
                    case NOTHING -> Revocation.Outcome.NOTHING_TO_RELEASE;
                    case OTHER -> Revocation.Outcome.LEFT_ALONE;
                },
                held,
                dropped,
                last.state().holder(),
                Duration.ofNanos(client.kit.nanoTime() - begin));
        tell(keys.name(), keys.hold(), owner, subject -> new LockEvent.Revoked(subject, result));
        return result;
    }

    /**
     * Releases what one holder has of a lock, and not what others have alongside it. The next in line get it. Where it has no holder, and rests, the rest ends; readers that rest together have one token, and their rests end together.
     *
     * @param holder as a listing reports it; nothing is done if it has nothing any more
     */
    public Revocation release(String name, Holder holder) {
        long begin = client.kit.nanoTime();
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        RevokeReply reply =
                revoke(keys, callback -> client.server.adminScripts.revoke(keys, holder, false, REFUSED, callback));
        Optional<Holder> ended = reply.word() == RevokeWord.RELEASED ? Optional.of(holder) : Optional.empty();
        return told(keys, holder.owner(), begin, reply.word(), reply.held().or(() -> ended), 0, reply);
    }

    /**
     * Drops one request that waits: its call ends as {@link Attempt.Reason#DROPPED}. The holder of the lock is not concerned, and those who
     * wait behind it move up.
     *
     * @param waiter as a listing reports it; it is looked for among the first thousand of the queue
     * @return with 1 as {@link Revocation#dropped()}, or 0 if it waits no more: it may have been granted the lock
     */
    public Revocation drop(String name, Waiter waiter) {
        long begin = client.kit.nanoTime();
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        RevokeReply reply = revoke(keys, callback -> client.server.adminScripts.drop(keys, waiter, REFUSED, callback));
        Optional<Holder> held = reply.state().holder();
        RevokeWord word = held.isPresent() ? RevokeWord.OTHER : RevokeWord.NOTHING;
        return told(keys, waiter.owner(), begin, word, held, reply.dropped(), reply);
    }

    private RevokeReply revoke(Keys keys, boolean several, long token, boolean drop) {
        if (several && token != 0) {
            RevokeReply each = revokeEach(keys, token, drop);
            return drop && each.word() != RevokeWord.RELEASED ? dropBeside(keys, each) : each;
        }
        return revoke(keys, callback -> client.server.adminScripts.revoke(keys, token, drop, REFUSED, callback));
    }

    /** Drops the waiters of several holders of whom none is meant. */
    private RevokeReply dropBeside(Keys keys, RevokeReply each) {
        RevokeReply reply = revoke(keys, callback -> client.server.adminScripts.dropAll(keys, REFUSED, callback));
        return new RevokeReply(each.word(), each.held(), each.dropped() + reply.dropped(), reply.state());
    }

    /** Those of several that have a token. Readers that hold a lock together have the same. */
    private RevokeReply revokeEach(Keys keys, long token, boolean drop) {
        LockInfo lock = inspector.seen(keys.name(), Inspector.MOST_LISTED);
        RevokeReply sum =
                new RevokeReply(lock.isLocked() ? RevokeWord.OTHER : RevokeWord.NOTHING, lock.holder(), 0, State.FREE);
        for (LockInfo.Share share : lock.shares()) {
            Holder holder = share.holder();
            if (holder.token() == token) {
                RevokeReply one = revoke(
                        keys, callback -> client.server.adminScripts.revoke(keys, holder, drop, REFUSED, callback));
                boolean ended = one.word() == RevokeWord.RELEASED;
                sum = new RevokeReply(
                        ended ? one.word() : sum.word(),
                        ended ? Optional.of(holder) : sum.held(),
                        sum.dropped() + one.dropped(),
                        one.state());
            }
        }
        return sum;
    }

    private RevokeReply revoke(Keys keys, AsyncResults.Sending<RevokeReply> call) {
        long sent = client.kit.nanoTime();
        RevokeReply reply = AsyncResults.await(client.server, call);
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

    /** Releases what one actor of one client holds; see {@link DistributedLock#withActor}. The next in line get the locks. */
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
        int released = 0;
        for (LockInfo info : inspector.locks().toList()) {
            for (LockInfo.Share share : info.shares()) {
                Holder holder = share.holder();
                if (!holder.resting() && whose.test(holder)) {
                    released += release(info.name(), holder).outcome() == Revocation.Outcome.RELEASED ? 1 : 0;
                }
            }
        }
        return told(new Total(released, 0, Duration.ofNanos(client.kit.nanoTime() - begin)));
    }

    private Total told(Total total) {
        tell("", "", "", subject -> new LockEvent.RevokedAll(subject, total.released(), total.dropped(), total.took()));
        return total;
    }

    /**
     * Makes the present hold of a lock last at least this long from now, for any holder; never shortens it.
     *
     * @param atLeast 1 ms to 365 days
     * @return how long it now lasts without renewal; empty if the lock is not held
     */
    public Optional<Duration> extend(String name, Duration atLeast) {
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        return extended(keys, atLeast, callback -> client.server.adminScripts.prolong(keys, atLeast, callback));
    }

    /**
     * Makes what one holder has of a lock last at least this long from now: what was looked at, and nothing that began later.
     *
     * @param holder as a listing reports it; what rests is not extended
     * @param atLeast 1 ms to 365 days
     * @return how long it now lasts without renewal; empty if this holder has nothing any more
     */
    public Optional<Duration> extend(String name, Holder holder, Duration atLeast) {
        if (holder.resting()) {
            return Optional.empty();
        }
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        return extended(keys, atLeast, callback -> client.server.adminScripts.prolong(keys, holder, atLeast, callback));
    }

    private Optional<Duration> extended(Keys keys, Duration atLeast, AsyncResults.Sending<Duration> call) {
        Require.between("atLeast", atLeast, Duration.ofMillis(1), Require.LONGEST);
        Duration remaining = AsyncResults.await(client.server, call);
        if (remaining.isZero()) {
            return Optional.empty();
        }
        tell(keys.name(), keys.hold(), "", subject -> new LockEvent.HoldExtended(subject, remaining));
        return Optional.of(remaining);
    }

    /**
     * Limits how many permits of a semaphore may be out, for a time, whatever requests say: 0 stops it. Nothing is taken from those that
     * have some; who asks waits, unless it would fit beside them even so. A request for more than the limit keeps its position, and others
     * pass it until the limit ends. When the time is over the limit is gone, and those who wait
     * are served; nothing is left of it. A limit takes the place of the one before. One above what requests say changes nothing.
     *
     * @param permits 0 to {@link DistributedSemaphore#MAX_PERMITS}
     * @param forHowLong 1 ms to 365 days
     * @throws UnsupportedOperationException if this is not {@link #of of} semaphores
     */
    public void limit(String name, int permits, Duration forHowLong) {
        Require.between("permits", permits, 0, DistributedSemaphore.MAX_PERMITS);
        Require.between("forHowLong", forHowLong, Duration.ofMillis(1), Require.LONGEST);
        limited(name, permits, forHowLong, subject -> new LockEvent.Limited(subject, permits, forHowLong));
    }

    /**
     * Ends an operator's limit of a semaphore. Those who wait and fit now are served.
     *
     * @return whether there was one
     * @throws UnsupportedOperationException if this is not {@link #of of} semaphores
     */
    public boolean unlimit(String name) {
        return limited(name, NO_LIMIT, Duration.ZERO, LockEvent.Unlimited::new);
    }

    private boolean limited(
            String name, int permits, Duration forHowLong, Function<LockEvent.Subject, LockEvent> event) {
        if (kind != Kind.SEMAPHORE) {
            throw new UnsupportedOperationException(
                    "only a semaphore has a limit: admin().of(LockInfo.Kind.SEMAPHORE)");
        }
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        long sent = client.kit.nanoTime();
        LimitReply reply = AsyncResults.await(
                client.server, callback -> client.server.sharedScripts.limit(keys, permits, forHowLong, callback));
        client.queue.waitingRoom.observe(keys, reply.state(), sent);
        if (permits != NO_LIMIT || reply.before()) {
            tell(name, keys.hold(), "", event);
        }
        return reply.before();
    }

    /**
     * Keeps a lock from being granted for a time. Holders go on, and may extend and renew. Requests keep their places, and see the pause in
     * place of a holder. The pause ends by itself, or by {@link #resume}, and the next request is served then. A pause replaces the one
     * before.
     *
     * <p>From the return on, the server does not grant the lock. Leases of one client that {@linkplain LockOptions#withLocalHandoffs share a hold} may
     * follow each other within it until the client learns of it, which takes a message, or its next renewal if that is lost.
     *
     * <p>Of a semaphore this is a {@linkplain #limit limit} of 0, which replaces another limit. Work that is done {@link Once} is not begun; a
     * record of it is returned all the same.
     *
     * @param reason for people: 0 to {@value #LONGEST_REASON} characters
     * @param forHowLong 1 ms to 365 days
     * @return whether the lock is free; false if it is still held, and pauses as soon as it is free
     */
    public boolean pause(String name, Duration forHowLong, String reason) {
        Require.between("forHowLong", forHowLong, Duration.ofMillis(1), Require.LONGEST);
        if (Require.given("reason", reason).length() > LONGEST_REASON) {
            throw new IllegalArgumentException(
                    "reason has " + reason.length() + " characters, must have at most " + LONGEST_REASON);
        }
        return paused(name, forHowLong, reason, subject -> new LockEvent.Paused(subject, reason, forHowLong))
                == PauseWord.PAUSED;
    }

    /**
     * Ends a pause. The next in line is served.
     *
     * @return whether there was one
     */
    public boolean resume(String name) {
        return paused(name, Duration.ZERO, "", LockEvent.Resumed::new) == PauseWord.RESUMED;
    }

    private PauseWord paused(
            String name, Duration forHowLong, String reason, Function<LockEvent.Subject, LockEvent> event) {
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        String actor = ClientLabel.ofActor("", reason.isEmpty() ? Map.of() : Map.of(Holder.REASON, reason));
        long sent = client.kit.nanoTime();
        PauseReply reply = AsyncResults.await(
                client.server, callback -> client.server.adminScripts.pause(keys, forHowLong, actor, callback));
        client.queue.waitingRoom.observe(keys, reply.state(), sent);
        if (reply.word() != PauseWord.NOTHING) {
            tell(name, keys.hold(), "", event);
        }
        return reply.word();
    }

    /**
     * Removes waiters whose clients have not reported in time ({@link HoldfastOptions#waiterDeadline()}). The server also
     * removes them by itself whenever it comes across them. A waiter whose process has just died is not among them: its client
     * has been silent for too short a time. The lock is not handed to it meanwhile, as soon as its connection is gone.
     *
     * @return how many were removed
     */
    public int clean(String name) {
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        int removed = 0;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            long sent = client.kit.nanoTime();
            CleanReply reply =
                    AsyncResults.await(client.server, callback -> client.server.adminScripts.clean(keys, callback));
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

    /** Does the same for all locks that have waiters: 0 for as long as the waiter deadline after a client has died. */
    public int cleanAll() {
        return inspector.queuedNames().toList().stream().mapToInt(this::clean).sum();
    }
}
