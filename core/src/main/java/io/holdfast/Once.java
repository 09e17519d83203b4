package io.holdfast;

import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Work that one caller does under a key, among all clients of a server, and whose result all other callers get. Examples are an
 * invoice that must be sent once, a report that each of ten instances wants to make, and a value that is expensive to compute.
 * Cheap, stateless, and usable by any number of threads.
 *
 * <pre>{@code
 * OnceResult result = holdfast.once("invoice/4711").run(lease -> send(invoice, lease.token()));
 * }</pre>
 *
 * <p>The first caller does the work, under a {@link Lease} like that of any lock: it has a token, is renewed, and can be lost.
 * Its release records the result. From then on, for {@link #keep()}, each call is answered with the record. The script that
 * records the result also answers all waiting calls.
 *
 * <p>If the work throws, nothing is recorded. The exception goes to its caller, and the next waiting caller does the work, with
 * a greater token. The same applies if the lease is lost because its holder died or was cut off. The holder then gets a
 * {@link LeaseLostException}, and its result is not recorded.
 *
 * <p><b>What this is not.</b> A key has at most one record at a time. That does not ensure that the work has its effects only
 * once: a holder that lost its lease may have done all of the work. If that matters, pass the {@linkplain Lease#token() token}
 * to a store that refuses older ones, or make sure that doing the work twice is harmless. The record is in the server's memory.
 * If the server loses it, the work can be done again.
 *
 * <p>A {@link Quorum} does not offer this, since its nodes could have different records.
 */
public final class Once {
    /** The maximum number of tries for {@link #withTries}. */
    public static final int MAX_TRIES = 1_000;

    /** The maximum number of characters of a result, as it is stored. */
    private static final int LONGEST_RESULT = 16_384;

    /** The maximum number of characters of the reason why work was given up. */
    private static final int LONGEST_REASON = 500;

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SHORTEST_SLOT = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEAD = Duration.ofSeconds(10);

    /** Maps the moment of a call to the name of the slot for which the call counts. */
    private interface Slots {
        String at(Instant time);
    }

    private final Client client;
    private final Keys keys;
    private final LockOptions options;
    private final @Nullable String actor; // null for the calling thread
    private final Duration keep;
    private final @Nullable Slots slots; // null for a key that has none
    private final int tries; // 0 for any number

    Once(Client client, Keys keys, LockOptions options) {
        this(client, keys, options, null, DAY, null, 0);
    }

    private Once(
            Client client,
            Keys keys,
            LockOptions given,
            @Nullable String actor,
            Duration keep,
            @Nullable Slots slots,
            int tries) {
        String where = "work that is done once";
        Require.only(
                "reentrancy",
                given.reentrancy(),
                Reentrancy.WAIT,
                where,
                "work that is re-entered would run inside itself");
        Require.only(
                "keepFor",
                given.keepFor(),
                Duration.ZERO,
                where,
                "the end of the work is recorded, so there is no lock to keep");
        client.accept(given);
        this.client = client;
        this.keys = keys;
        this.options = given.withStrictOrder();
        this.actor = actor;
        this.keep = keep;
        this.slots = slots;
        this.tries = tries;
    }

    private DistributedLock lock(Keys of) {
        return new DistributedLock(client, of, options, actor);
    }

    /** Returns the key, or the key of the present slot, by the server's clock. */
    private CompletableFuture<Keys> presentKeys() {
        Slots divided = slots;
        return divided == null
                ? CompletableFuture.completedFuture(keys)
                : client.server.timeAsync(keys).thenApply(now -> slot(divided.at(now)));
    }

    private Keys slot(String name) {
        return Keys.of(keys.prefix(), Keys.Kind.ONCE, keys.name() + "@" + name);
    }

    /** Returns the key, as the caller gave it, without a slot. */
    public String name() {
        return keys.name();
    }

    /** Returns the options of its requests, which are always in strict order. */
    public LockOptions options() {
        return options;
    }

    /** Returns how long the server keeps the record; default one day. Afterwards the work can be done again. */
    public Duration keep() {
        return keep;
    }

    /**
     * Returns a copy that keeps the record for the given time from the end of the work.
     *
     * @param value 1 ms to 365 days
     */
    public Once withKeep(Duration value) {
        return new Once(
                client,
                keys,
                options,
                actor,
                Require.between("keep", value, Duration.ofMillis(1), Require.LONGEST),
                slots,
                tries);
    }

    /**
     * Returns a copy with a limit of tries. If that many tries have left no result, the work is given up, with a record that
     * says why. If the last try throws, it leaves that record. If it ended otherwise, for example because its process died or
     * its lease was lost, the next call leaves the record. Until the time {@link #keep()} is over, each call is then answered
     * with {@link OnceResult.GivenUp}. If an operator releases the record by name, the count begins again at 1.
     *
     * <p>Each try is counted on the server before its work begins, which takes two more requests. {@link Lease#before()}
     * returns the number of the previous try, as the metadata {@value Holder#TRY}, and its {@linkplain Lease#note note}. That
     * note stays until the present try leaves its own. A count is forgotten after seven days. Asynchronous work is counted,
     * too. Each process applies its own limit, so all processes that call for the same work should use the same one.
     *
     * @param most the maximum number of tries, 1 to 1,000
     */
    public Once withTries(int most) {
        Require.between("tries", most, 1, MAX_TRIES);
        options.withMetadata(Demand.plus(
                options.metadata(),
                Holder.TRY,
                Integer.toString(most))); // now, and not when the first has begun, it is refused if that is too long
        return new Once(client, keys, options, actor, keep, slots, most);
    }

    /** Returns how many tries the work may have, see {@link #withTries}; 0 for any number, which is the default. */
    public int tries() {
        return tries;
    }

    /**
     * Returns a copy whose requests belong to the given actor; see {@link DistributedLock#withActor}.
     *
     * @param id 1 to 100 characters
     */
    public Once withActor(String id) {
        return new Once(client, keys, options, Require.text("actor", id, 100), keep, slots, tries);
    }

    /**
     * Returns a copy whose requests belong to the given actor, unless {@link #withActor} has named one; see
     * {@link DistributedLock#withDefaultActor}.
     */
    public Once withDefaultActor(String id) {
        return actor == null ? withActor(id) : this;
    }

    /**
     * Returns a copy whose work is done once in each slot of time. It is for jobs that each of several processes starts by its
     * own clock, such as a cron job. Slots begin at whole multiples of the period since 1970, UTC, by the server's clock. So
     * differences between the clocks of clients cause no second run. A slot has a key of its own, such as
     * {@code report@2026-11-27T13:00:00Z}, as listings show it.
     *
     * <p>A call shortly before a slot begins counts for that slot. Shortly means within a tenth of the period, or within 10 s
     * if that is less. So a process whose clock is that much ahead misses no slot. A run that lasts beyond its slot counts for
     * the slot of its call. It does not prevent a run in the next slot, which may begin before the first one has ended.
     *
     * <p>The copy keeps records for two periods, but at least one day and at most 365 days. A later {@link #withKeep} changes
     * that.
     *
     * @param period the length of a slot, 1 s to 365 days
     */
    public Once per(Duration period) {
        Require.between("period", period, SHORTEST_SLOT, Require.LONGEST);
        Duration two = period.multipliedBy(2);
        return new Once(
                client,
                keys,
                options,
                actor,
                two.compareTo(DAY) < 0 ? DAY : two.compareTo(Require.LONGEST) > 0 ? Require.LONGEST : two,
                now -> slotOf(period, now),
                tries);
    }

    /**
     * Returns a copy for one slot only: the slot for which a call at this moment counts. Its name contains that slot. Blocks for
     * one round trip, for at most the command timeout. Without slots, returns this object at once.
     */
    public Once inPresentSlot() {
        return slots == null ? this : new Once(client, Lease.join(presentKeys()), options, actor, keep, null, tries);
    }

    /** Returns the name of the slot for which a call counts: that of the moment a little later, see {@link #per}. */
    static String slotOf(Duration period, Instant now) {
        long millis = period.toMillis();
        long lead = Math.min(millis / 10, LONGEST_LEAD.toMillis());
        return Instant.ofEpochMilli(Math.floorDiv(now.toEpochMilli() + lead, millis) * millis)
                .toString();
    }

    /**
     * Returns a copy whose work is done once in each day of a time zone, from midnight on, with keys such as
     * {@code report@2026-11-27}; see {@link #per}. A call in the last 10 s before midnight counts for the next day. Records are
     * kept for two days.
     */
    public Once perDay(ZoneId zone) {
        Require.given("zone", zone);
        return new Once(client, keys, options, actor, DAY.multipliedBy(2), now -> slotOf(zone, now), tries);
    }

    /** Returns the name of the day for which a call counts: that of the moment ten seconds later, see {@link #perDay}. */
    static String slotOf(ZoneId zone, Instant now) {
        return now.plus(LONGEST_LEAD).atZone(zone).toLocalDate().toString();
    }

    /**
     * Does the work, unless it was done already. If another caller is doing it, waits for the time that the options give
     * ({@link LockOptions#waitLimit()}), and does the work if that caller ends without a result. The hold is renewed for at
     * most {@link LockOptions#maxScopedHold()}.
     *
     * @param work returns the result: at most 16,384 characters when encoded for a URL
     * @throws LeaseLostException if the lease was lost while the work ran; the exception carries the result, which was not
     *     recorded
     * @throws LeaseEndingException if the work ended with an {@code InterruptedException}, which is the cause, after
     *     {@link LockOptions#interruptBefore()} had interrupted it
     * @throws LockNotObtainedException if the request ended for a {@linkplain Attempt.Reason reason} that is not busy, and the
     *     work was neither done nor given up
     * @throws IllegalArgumentException if the result is too long; it was not recorded
     * @throws NullPointerException if the work returns null; it must return an empty text for no result
     */
    public <X extends Exception> OnceResult run(LeaseFunction<Lease, String, X> work) throws X, InterruptedException {
        return run(options.waitLimit(), work);
    }

    /** As {@link #run(LeaseFunction)}, but waits for the time that {@code wait} gives; {@link Wait#none()} asks once. */
    public <X extends Exception> OnceResult run(Wait wait, LeaseFunction<Lease, String, X> work)
            throws X, InterruptedException {
        Attempt<Lease> attempt = ask(wait, true);
        if (!(attempt instanceof Attempt.Obtained<Lease> obtained)) {
            return without(attempt);
        }
        Recording recording = new Recording(obtained.lease());
        Calls.under(
                recording, () -> recording.accept(BodyLimit.run(obtained.lease(), options.interruptBefore(), work)));
        return recording.ran();
    }

    /**
     * Requests the lease for work that cannot be passed as a function. A caller that obtains the lease does the work, and then
     * calls {@link #finish}, or {@link #fail} if the work failed. A lease that is released in another way leaves no record. If
     * the work was done already, returns {@link Attempt.NotObtained} with the reason {@link Attempt.Reason#DONE}, or
     * {@link Attempt.Reason#GIVEN_UP} if it was given up. The holder in its contention is the record.
     */
    public Attempt<Lease> attempt(Wait wait) throws InterruptedException {
        return ask(wait, false);
    }

    private Attempt<Lease> ask(Wait wait, boolean scoped) throws InterruptedException {
        try {
            DistributedLock lock = lock(Lease.join(presentKeys()));
            Attempt<Lease> attempt = lock.await(wait, scoped);
            while (attempt instanceof Attempt.Obtained<Lease> obtained && !Lease.join(count(obtained.lease()))) {
                attempt = lock.await(Wait.none(), scoped);
            }
            return attempt;
        } catch (ServerUnreachableException e) {
            return new Attempt.Unknown<>(name(), e);
        }
    }

    /**
     * Counts a try before its work begins.
     *
     * @return whether the work may begin; false if no tries are left. Then the lease is released, and a record says that the
     *     work was given up
     */
    private CompletableFuture<Boolean> count(Lease lease) {
        if (tries == 0) {
            return CompletableFuture.completedFuture(true);
        }
        return lease.beforeAsync()
                .thenCompose(before -> {
                    int done = before.map(Once::tryOf).orElse(0);
                    if (done < tries) {
                        number(lease, done + 1);
                        String note = before.flatMap(Holder::note).orElse("");
                        return lease.noteAsync(note).thenApply(noted -> true);
                    }
                    Recording last = new Recording(lease);
                    number(lease, done);
                    last.failed("it ended without a result");
                    return last.leaveAsync().thenApply(left -> false);
                })
                .whenComplete((begins, failure) -> {
                    if (failure != null) {
                        lease.handle.leaveUnused();
                    }
                });
    }

    private static void number(Lease lease, int number) {
        Outcome origin = lease.hold.origin;
        origin.shown = origin.demand.with(Holder.TRY, Integer.toString(number));
    }

    /** Returns the number of a holder's try; 0 if it is not a counted one. */
    static int tryOf(Holder holder) {
        return tryOf(holder.metadata());
    }

    private static int tryOf(Map<String, String> metadata) {
        try {
            return Integer.parseInt(metadata.getOrDefault(Holder.TRY, "0"));
        } catch (NumberFormatException e) { // metadata of the caller's
            return 0;
        }
    }

    /**
     * Releases a lease of {@link #attempt} and records the result of its work. Blocks for one round trip, for at most the
     * command timeout.
     *
     * @return {@link ReleaseResult#RELEASED} if the result was recorded; {@link ReleaseResult#ALREADY_GONE} if it was not,
     *     since the lease was lost or already released. {@link ReleaseResult#UNCONFIRMED} if the server did not confirm it: the
     *     client then sends the record again in the background
     * @throws IllegalArgumentException if the result is too long; the lease was not released
     */
    public ReleaseResult finish(Lease lease, String result) {
        Recording recording = new Recording(lease);
        recording.accept(result);
        return recording.leaveAndWait();
    }

    /**
     * Releases a lease of {@link #attempt} whose work has failed. If this was the last of a limited number of
     * {@linkplain #withTries tries}, the work is given up. Otherwise this does the same as {@link Lease#release()}. Blocks for
     * one round trip, for at most the command timeout.
     *
     * @param why the reason, which later calls get if the work is given up. It is cut to 500 characters
     */
    public ReleaseResult fail(Lease lease, String why) {
        Recording recording = new Recording(lease);
        recording.failed(Require.given("why", why));
        return recording.leaveAndWait();
    }

    /**
     * Does asynchronous work, unless it was done already; see {@link #run(LeaseFunction)}. If the caller completes the returned
     * future, this has the same effect as for {@link Acquirable#callAsync(Function)}.
     */
    public CompletableFuture<OnceResult> runAsync(Function<? super Lease, ? extends CompletionStage<String>> work) {
        return runAsync(options.waitLimit(), work);
    }

    /** As {@link #runAsync(Function)}, but waits for the time that {@code wait} gives. */
    public CompletableFuture<OnceResult> runAsync(
            Wait wait, Function<? super Lease, ? extends CompletionStage<String>> work) {
        CompletableFuture<OnceResult> result = new CompletableFuture<>();
        presentKeys()
                .thenCompose(now -> {
                    CompletableFuture<Attempt<Lease>> asked = lock(now).async(wait, true, attempt -> attempt);
                    result.whenComplete((value, failure) -> asked.cancel(false)); // without effect once acquired
                    return asked.thenCompose(attempt -> counted(attempt, now));
                })
                .exceptionally(this::unknown)
                .thenCompose(attempt -> answer(attempt, work))
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        result.complete(answer);
                    } else {
                        result.completeExceptionally(Calls.unwrap(failure));
                    }
                });
        return result;
    }

    private CompletableFuture<Attempt<Lease>> counted(Attempt<Lease> attempt, Keys now) {
        if (!(attempt instanceof Attempt.Obtained<Lease> obtained)) {
            return CompletableFuture.completedFuture(attempt);
        }
        return count(obtained.lease())
                .thenCompose(begins -> begins
                        ? CompletableFuture.completedFuture(attempt)
                        : lock(now).async(Wait.none(), true, again -> again).thenCompose(again -> counted(again, now)));
    }

    /** Returns an outcome if the server did not answer; throws any other failure. */
    private Attempt<Lease> unknown(Throwable failure) {
        if (Calls.unwrap(failure) instanceof ServerUnreachableException away) {
            return new Attempt.Unknown<>(name(), away);
        }
        throw failure instanceof CompletionException thrown ? thrown : new CompletionException(failure);
    }

    private CompletableFuture<OnceResult> answer(
            Attempt<Lease> attempt, Function<? super Lease, ? extends CompletionStage<String>> work) {
        if (!(attempt instanceof Attempt.Obtained<Lease> obtained)) {
            return CompletableFuture.completedFuture(without(attempt));
        }
        Recording recording = new Recording(obtained.lease());
        return Calls.under(
                        CompletableFuture.completedFuture(obtained.lease()),
                        lease -> recording,
                        lease -> work.apply(lease).thenApply(recording::accept))
                .thenApply(text -> recording.ran());
    }

    /**
     * Returns the record, if there is one with a result. To let the work be done again earlier, release the record by name
     * ({@link Admin#release}, for the kind {@link LockInfo.Kind#ONCE}). Blocks as {@link #info()} does.
     */
    public Optional<OnceResult.Done> result() {
        return info().holder()
                .filter(holder -> holder.isRecord() && !holder.isGivenUp())
                .map(OnceResult.Done::of);
    }

    /**
     * Returns the state on the server: the holder that does the work and the waiters, or the record as the holder. With slots,
     * this is the state of the slot for which a call now counts. Blocks for one round trip, or two with slots, each of which
     * takes at most the command timeout.
     */
    public LockInfo info() {
        return client.look(Lease.join(presentKeys()));
    }

    private static OnceResult without(Attempt<Lease> attempt) {
        if (attempt instanceof Attempt.Unknown<Lease> unknown) {
            return new OnceResult.Unknown(unknown.cause());
        }
        Attempt.NotObtained<Lease> not = (Attempt.NotObtained<Lease>) attempt;
        if (not.reason() == Attempt.Reason.DONE) {
            return OnceResult.Done.of(not.contention().holder().orElseThrow());
        } else if (not.reason() == Attempt.Reason.GIVEN_UP) {
            return new OnceResult.GivenUp(not);
        } else if (not.reason().isBusy()) {
            return new OnceResult.InProgress(not);
        }
        throw LockNotObtainedException.of(not);
    }

    /** The lease of one run. It leaves a record if the run ends with a result, or the work is given up. */
    private final class Recording implements Entry<ReleaseResult> {
        private final Lease lease;
        private volatile @Nullable String text; // null until the work has returned
        private volatile @Nullable String given; // why the work is given up; null if it is not
        private volatile @Nullable ReleaseResult how; // null until the release was answered

        Recording(Lease lease) {
            this.lease = lease;
        }

        /** Accepts the result that the work has returned. */
        String accept(@Nullable String result) {
            String returned =
                    Objects.requireNonNull(result, "the work has returned null: return an empty text for no result");
            int size = ClientLabel.metadata(Map.of(Holder.RESULT, returned)).length() - Holder.RESULT.length() - 1;
            if (size > LONGEST_RESULT) {
                throw new IllegalArgumentException("the result of " + LogText.lock(name()) + " has " + size
                        + " characters when encoded, must have at most " + LONGEST_RESULT
                        + ": store the result elsewhere, and return its location");
            }
            text = returned;
            return returned;
        }

        @Override
        public void failed(Throwable why) {
            failed(why.toString());
        }

        /** Notes that the work has left no result, and gives it up if this was the last try. */
        void failed(String why) {
            if (tries > 0 && tryOf(lease.hold.origin.shown.metadata()) >= tries) {
                given = why.length() > LONGEST_REASON ? why.substring(0, LONGEST_REASON) : why;
            }
        }

        OnceResult ran() {
            String result = Objects.requireNonNull(text);
            if (how == ReleaseResult.ALREADY_GONE) {
                LossReason reason = lease.hold.lossReason();
                throw new LeaseLostException(
                        lease.name(), lease.token(), reason == null ? LossReason.NOT_ON_SERVER : reason, false, result);
            }
            return new OnceResult.Ran(result, lease.token(), how == ReleaseResult.RELEASED);
        }

        @Override
        public CompletableFuture<ReleaseResult> leave(Duration rest) {
            Hold hold = lease.hold;
            String result = text;
            String why = given;
            if (result != null) {
                hold.rest.ask(keep, hold.kit.nanoTime(), hold.origin.shown.labelWith(Holder.RESULT, result));
            } else if (why != null) {
                hold.rest.ask(keep, hold.kit.nanoTime(), hold.origin.shown.labelWith(Holder.GIVEN_UP, why));
            }
            return lease.handle.leave(rest).whenComplete((answer, failure) -> how = answer);
        }

        @Override
        public boolean isValid() {
            return lease.handle.isValid();
        }

        @Override
        public LeaseLostException lostException(@Nullable Object result) {
            return lease.handle.lostException(result);
        }

        @Override
        public void acceptRest() {
            lease.handle.acceptRest();
        }

        @Override
        public void leaveUnused() {
            lease.handle.leaveUnused();
        }

        @Override
        public Executor executor() {
            return lease.handle.executor();
        }
    }

    @Override
    public String toString() {
        return "Once[" + LogText.name(name()) + "]";
    }
}
