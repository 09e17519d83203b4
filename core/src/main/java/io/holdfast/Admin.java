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
import io.holdfast.internal.wire.Server;
import io.holdfast.internal.wire.SharedScripts.LimitReply;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Administrative operations on locks, by name and regardless of their holder. A release breaks what the holder was promised.
 * The holder's client is notified by a message. If the message is lost, the client learns of the release at its next renewal,
 * at most a third of the lease duration later. A lease that is not renewed then ends at its deadline. Until the client knows,
 * only a store that compares fencing tokens can refuse the holder's writes.
 *
 * <p>Every operation blocks for at least one round trip for each lock, each of which takes at most the command timeout. It
 * throws {@link ServerUnreachableException} if the server does not answer (it may or may not have acted), and
 * {@link ServerRefusedException} if the server answers with an error.
 */
public final class Admin {
    /** How long a dropped waiter is refused if it missed the message and asks again. */
    private static final Duration REFUSED = Duration.ofMinutes(2);

    /** The maximum number of characters of the reason for a pause. */
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
     * Returns a copy whose operations on many locks search the whole server for them, as {@link Inspector#scanning} does.
     * Otherwise such an operation finds only the locks that clients report.
     */
    public Admin scanning() {
        return new Admin(client, kind, eventData, true);
    }

    /**
     * Returns a copy for names of the given kind. By default, names are those of exclusive locks, and locks of other kinds are
     * not affected.
     *
     * <ul>
     *   <li>For a read/write lock or a semaphore, a release by name ends every lease. A release with a token ends every lease
     *       that has this token.
     *   <li>For an election, the holder is the leader, and the waiters are candidates. A candidate that is released or dropped
     *       campaigns again.
     * </ul>
     */
    public Admin of(LockInfo.Kind kind) {
        return new Admin(client, Kind.of(Require.given("kind", kind)), eventData, scanning);
    }

    /**
     * Returns a copy whose events carry the caller's data, for example who acted and why.
     *
     * @param data the data; listeners get it from {@link LockEvent#data()}, and the log contains it as text; null for none
     */
    public Admin withEventData(@Nullable Object data) {
        return new Admin(client, kind, data, scanning);
    }

    private void tell(String lock, String key, String owner, Function<LockEvent.Subject, LockEvent> event) {
        client.kit.events().tell(lock, key, owner, eventData, event);
    }

    /** The possible treatments of the waiters at a release. */
    public enum Waiters {
        /** The next waiter gets the lock. */
        HAND_OFF,
        /**
         * All waiters are dropped. Their calls end with {@link Attempt.Reason#DROPPED}. They are dropped even if the hold is
         * left alone because it has another token.
         */
        DROP
    }

    /**
     * The result of a release of many locks.
     *
     * @param released how many holds ended; for {@link #releaseAll()}, how many locks were released
     * @param dropped how many requests were dropped from the queues on the server
     * @param took how long the operation took
     */
    public record Total(int released, int dropped, Duration took) {}

    /**
     * Releases a lock, regardless of its holder. The next waiter gets it. A {@linkplain #pause pause} has no holder, so it
     * stays; the result is then {@link Revocation.Outcome#LEFT_ALONE}.
     */
    public Revocation release(String name) {
        return release(name, Waiters.HAND_OFF);
    }

    /** Releases a lock, regardless of its holder. {@code waiters} determines what happens to the waiters. */
    public Revocation release(String name, Waiters waiters) {
        return release(name, 0, waiters);
    }

    /**
     * Releases a lock if its present hold has the given token. A later hold, with another token, is left alone. A lock that
     * {@linkplain Holder#resting() rests} has the token of its last hold; its rest then ends.
     *
     * @param token the token, as {@link Holder#token()} or {@link Lease#token()} returns it; 0 for any hold. Leases that share a
     *     hold have tokens of their own; each of these tokens identifies the hold
     */
    public Revocation release(String name, long token, Waiters waiters) {
        long begin = client.kit.nanoTime();
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        boolean drop = waiters == Waiters.DROP;
        boolean several = kind.isLine();
        RevokeReply reply = revoke(keys, several, token, drop);
        RevokeReply first = reply;
        int dropped = reply.dropped();
        boolean all = several && token == 0; // while there is more to end, no waiter is granted it
        for (int round = 0; (drop || all) && reply.state().more() && round < MOST_ROUNDS; round++) {
            // The hold that this call has ended is gone; one that began meanwhile must stay.
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

    /** @param last the last answer of the server */
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
     * Releases the hold of one holder of a lock. Other holders of the same lock keep their holds. The next waiters are
     * served. If {@code holder} is one that rests, its rest ends. If the hold of an exclusive lock has ended, and the lock rests
     * after it, that rest ends. Readers that rest together have one token, so their rests end together.
     *
     * @param holder the holder, as a listing reports it; a later hold is left alone
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
     * Drops one waiting request. Its call ends with {@link Attempt.Reason#DROPPED}. If calls of one client share the request
     * ({@link LockOptions#withLocalHandoffs(int, Duration)}), all of them end. The holder of the lock is not affected, and the
     * requests behind the dropped one move up.
     *
     * @param waiter the waiter, as a listing reports it; only the first thousand requests of the queue, and the first thousand
     *     that are parked, are searched for it
     * @return the result. Its {@link Revocation#dropped()} is 1, or 0 if the request was not found; it may have been granted
     *     the lock
     */
    public Revocation drop(String name, Waiter waiter) {
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        return dropped(
                keys, waiter.owner(), 1, callback -> client.server.adminScripts.drop(keys, waiter, REFUSED, callback));
    }

    /**
     * Drops all waiting requests for a lock, as {@link Waiters#DROP} does. The holder of the lock is not affected, and a
     * {@linkplain #pause pause} stays.
     */
    public Revocation drop(String name) {
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        return dropped(keys, "", MOST_ROUNDS, callback -> client.server.adminScripts.dropAll(keys, REFUSED, callback));
    }

    private Revocation dropped(Keys keys, String owner, int rounds, AsyncResults.Sending<RevokeReply> call) {
        long begin = client.kit.nanoTime();
        RevokeReply reply = revoke(keys, call);
        int dropped = reply.dropped();
        for (int round = 1; round < rounds && reply.state().more(); round++) {
            reply = revoke(keys, call);
            dropped += reply.dropped();
        }
        Optional<Holder> held = reply.state().holder();
        RevokeWord word = held.isPresent() ? RevokeWord.OTHER : RevokeWord.NOTHING;
        return told(keys, owner, begin, word, held, dropped, reply);
    }

    private RevokeReply revoke(Keys keys, boolean several, long token, boolean drop) {
        if (several && token != 0) {
            RevokeReply each = revokeEach(keys, token, drop);
            return drop && each.word() != RevokeWord.RELEASED ? dropBeside(keys, each) : each;
        }
        return revoke(keys, callback -> client.server.adminScripts.revoke(keys, token, drop, REFUSED, callback));
    }

    /** Drops the waiters of a lock with several holders if none of these has the token that was given. */
    private RevokeReply dropBeside(Keys keys, RevokeReply each) {
        RevokeReply reply = revoke(keys, callback -> client.server.adminScripts.dropAll(keys, REFUSED, callback));
        return new RevokeReply(each.word(), each.held(), each.dropped() + reply.dropped(), reply.state());
    }

    /** Ends those of several holds that have a token. Readers that hold a lock together have the same token. */
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

    /**
     * Releases all locks. The waiters of each lock are dropped first, so that none of them is granted it meanwhile. Pauses stay.
     */
    public Total releaseAll() {
        long begin = client.kit.nanoTime();
        int dropped = 0;
        int released = 0;
        // Queues without a hold are rare, but must be emptied, too.
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

    /**
     * Releases all holds of one client; see {@link Inspector#clients()}. The next waiters get the locks. If a lock has more than
     * 10,000 holders, only the 10,000 whose holds end first are examined.
     */
    public Total releaseOfClient(String clientId) {
        return releaseOf(holder -> holder.client().equals(clientId));
    }

    /** Releases all holds of the processes on one host, as {@link #releaseOfClient} does for one client. */
    public Total releaseOfHost(String host) {
        return releaseOf(holder -> holder.host().equals(host));
    }

    /**
     * Releases all holds of one actor of one client, as {@link #releaseOfClient} does for all its actors; see
     * {@link DistributedLock#withActor}.
     */
    public Total releaseOfActor(String clientId, String actor) {
        return releaseOf(
                holder -> holder.client().equals(clientId) && holder.actor().equals(actor));
    }

    /** Releases all holds of this client, as {@link #releaseOfClient} does. Its leases are lost. */
    public Total releaseMine() {
        return releaseOfClient(client.kit.ids.client());
    }

    private Total releaseOf(Predicate<Holder> whose) {
        long begin = client.kit.nanoTime();
        int released = 0;
        for (LockInfo info : inspector.locks().toList()) {
            boolean more = info.shares().size() >= Server.WAITERS_LISTED; // a listing has no more holders of a lock
            LockInfo lock = more ? inspector.seen(info.name(), Inspector.MOST_LISTED) : info;
            for (LockInfo.Share share : lock.shares()) {
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
     * Extends the present hold of a lock, regardless of its holder, so that it lasts at least the given time from now. Never
     * shortens it. If the lock {@linkplain Holder#resting() rests}, the rest is extended. Of several holds, the thousand that end
     * first are extended.
     *
     * @param atLeast 1 ms to 365 days
     * @return how long the hold now lasts without renewal, or the longest of several holds; empty if the lock is free
     */
    public Optional<Duration> extend(String name, Duration atLeast) {
        Keys keys = Keys.of(client.kit.options.prefix(), kind, name);
        return extended(keys, atLeast, callback -> client.server.adminScripts.prolong(keys, atLeast, callback));
    }

    /**
     * Extends the hold of one holder of a lock, so that it lasts at least the given time from now. Never extends a hold that
     * began later.
     *
     * @param holder the holder, as a listing reports it; a rest is not extended
     * @param atLeast 1 ms to 365 days
     * @return how long the hold now lasts without renewal; empty if it has ended, or if {@code holder} is one that rests
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
     * Limits how many permits of a semaphore may be in use, for a time. The limit applies in addition to those that requests
     * give. A limit of 0 stops all grants. A limit above a request's own has no effect on that request.
     *
     * <p>Existing holders keep their permits. A request waits unless its permits fit within the limit together with those in
     * use. A request for more permits than the limit keeps its queue position, and others pass it until the limit ends. The
     * limit ends by itself after the given time. Then waiting requests are served, and the server keeps nothing of the limit.
     * A new limit replaces the previous one.
     *
     * @param permits the maximum number of permits in use, 0 to {@link DistributedSemaphore#MAX_PERMITS}
     * @param forHowLong how long the limit lasts, 1 ms to 365 days
     * @throws UnsupportedOperationException if this object is not {@linkplain #of for semaphores}
     */
    public void limit(String name, int permits, Duration forHowLong) {
        Require.between("permits", permits, 0, DistributedSemaphore.MAX_PERMITS);
        Require.between("forHowLong", forHowLong, Duration.ofMillis(1), Require.LONGEST);
        limited(name, permits, forHowLong, subject -> new LockEvent.Limited(subject, permits, forHowLong));
    }

    /**
     * Ends an operator's limit of a semaphore. Waiting requests that fit now are served.
     *
     * @return whether there was a limit
     * @throws UnsupportedOperationException if this object is not {@linkplain #of for semaphores}
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
     * Prevents grants of a lock for a time. Holders continue, and may renew and extend their leases. Waiting requests keep their
     * queue positions; those for an exclusive lock see the pause instead of a holder. The pause ends by itself, or by {@link #resume}; then the next
     * request is served. A new pause replaces the previous one.
     *
     * <p>Once this method has returned, the server does not grant the lock. Leases of one client that
     * {@linkplain LockOptions#withLocalHandoffs share a hold} may still follow each other. When the client learns of the pause,
     * by a message or at its next renewal, it serves at most the rest of a turn.
     *
     * <p>A pause of a semaphore is a {@linkplain #limit limit} of 0, which replaces another limit. Work that is done {@link Once}
     * does not begin; if there is a record of it, the record is still returned.
     *
     * @param forHowLong how long the pause lasts, 1 ms to 365 days
     * @param reason the reason, for people: 0 to {@value #LONGEST_REASON} characters
     * @return whether the lock is free of holders; false if it is still held or rests. The pause of an exclusive lock then begins
     *     as soon as that is over; no request is granted the lock meanwhile
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
     * Ends a pause. The next waiter is served. For a semaphore, this ends any {@linkplain #limit limit}.
     *
     * @return whether there was a pause, or for a semaphore a limit
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
     * Removes, from the queue of a lock, the waiters whose clients have not reported in time
     * ({@link HoldfastOptions#waiterDeadline()}). The server also removes such waiters by itself when it comes across them. A
     * waiter whose process has just died is not removed yet, because its client has not been silent for long enough. But once
     * its connection is closed, the lock is not handed to it.
     *
     * @return how many waiters were removed
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

    /**
     * Removes, from all queues, the waiters whose clients have not reported in time; see {@link #clean}. The waiters of a
     * client that has died are not removed until the waiter deadline has passed.
     *
     * @return how many waiters were removed
     */
    public int cleanAll() {
        return inspector.queuedNames().toList().stream().mapToInt(this::clean).sum();
    }
}
