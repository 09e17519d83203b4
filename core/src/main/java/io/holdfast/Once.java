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
 * Work that is done once under a key, among all clients of a server, and whose result the others get: an invoice that is sent once, a
 * report that each of ten instances wants to make, a value that is expensive to compute. Cheap, stateless, and usable by any number
 * of threads.
 *
 * <pre>{@code
 * OnceResult result = holdfast.once("invoice/4711").run(lease -> send(invoice, lease.token()));
 * }</pre>
 *
 * <p>The first to ask does the work, under a {@link Lease} as of any lock: it has a token, is renewed, and can be lost. Its release
 * records the result. From then on, for {@link #keep()}, each call is answered with the record, and those that wait are answered by
 * the very script that records it, all at once.
 *
 * <p>Work that throws records nothing: the exception goes to its caller, and the next in line does the work, with a greater token. So
 * it is when the lease is lost because its holder died, or was cut off; then the holder is notified by {@link LeaseLostException}, and
 * nothing that it does is recorded.
 *
 * <p><b>What this is not.</b> Of a key there is at most one record at a time; that is no promise that the work has had its effects once. A holder
 * that lost its lease may have done all of it. Where that matters, the work passes its {@linkplain Lease#token() token} to a store that
 * refuses older ones, or is such that doing it twice does no harm. The record is in the server's memory: a server that loses it lets the work
 * be done again.
 *
 * <p>A {@link Quorum} has none of these: its nodes could have records that differ.
 */
public final class Once {
    /** The most tries that {@link #withTries} allows. */
    public static final int MAX_TRIES = 1_000;

    /** The most characters of a result, as it is stored. */
    private static final int LONGEST_RESULT = 16_384;

    /** The most characters of why work was given up. */
    private static final int LONGEST_REASON = 500;

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SHORTEST_SLOT = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEAD = Duration.ofSeconds(10);

    /** Into which of its slots a moment falls, by name. */
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

    /** The key, or that of the slot into which this moment falls, by the server's clock. */
    private CompletableFuture<Keys> presentKeys() {
        Slots divided = slots;
        return divided == null
                ? CompletableFuture.completedFuture(keys)
                : client.server.timeAsync(keys).thenApply(now -> slot(divided.at(now)));
    }

    private Keys slot(String name) {
        return Keys.of(keys.prefix(), Keys.Kind.ONCE, keys.name() + "@" + name);
    }

    /** The key, as the caller gave it, without a slot. */
    public String name() {
        return keys.name();
    }

    /** The options with which it is asked for, in strict order. */
    public LockOptions options() {
        return options;
    }

    /** For how long the server keeps the record; default one day. Afterwards the work can be done again. */
    public Duration keep() {
        return keep;
    }

    /**
     * Returns a copy with a record that is kept for so long from the end of the work.
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
     * Returns a copy with a limit of tries: work that has left no result after so many is given up. The last of them, if it throws, or the next
     * call, if the last has died, leaves a record that says why, and every call is answered with it ({@link OnceResult.GivenUp}) for
     * {@link #keep()}. An operator who releases the record by name lets the work be tried again, from one on.
     *
     * <p>Each try is counted on the server before its work begins, which takes two requests more. {@link Lease#before()} says which try was
     * before it, as the metadata {@value Holder#TRY}, and its {@linkplain Lease#note note}, which is this one's until it leaves its own. A
     * count is forgotten when it is seven days old. Asynchronous work counts, too. Processes that call for the same work should agree on the limit: each goes by its own.
     *
     * @param most 1 to 1,000
     */
    public Once withTries(int most) {
        Require.between("tries", most, 1, MAX_TRIES);
        options.withMetadata(Demand.plus(
                options.metadata(),
                Holder.TRY,
                Integer.toString(most))); // now, and not when the first has begun, it is refused if that is too long
        return new Once(client, keys, options, actor, keep, slots, most);
    }

    /** How many tries the work may have, see {@link #withTries}; 0 for any number, which is the default. */
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

    /** Returns a copy that asks for this actor unless {@link #withActor} has named one; see {@link DistributedLock#withDefaultActor}. */
    public Once withDefaultActor(String id) {
        return actor == null ? withActor(id) : this;
    }

    /**
     * Returns a copy that runs once in each slot of time: for a job that each of several processes starts by its own clock, such as one of cron. Slots
     * begin at whole multiples of the period since 1970, UTC, by the server's clock, so that clocks of clients that differ make no second
     * run. A slot has a key of its own, such as {@code report@2026-11-27T13:00:00Z}, as listings show it.
     *
     * <p>A call that comes before its slot, by a tenth of the period or 10 s, whichever is less, counts for the slot that begins then: so
     * a process whose clock is that much ahead misses none. A run that lasts beyond its slot counts for that in which it was called for, and
     * does not keep the next slot from beginning beside it.
     *
     * <p>Records are kept for two periods from then on, a day at least; {@link #withKeep} after this changes that.
     *
     * @param period 1 s to 365 days
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
     * Returns a copy for the present slot only, whose name contains that slot; without slots, returns this. Blocks
     * for one round trip, at most the command timeout.
     */
    public Once inPresentSlot() {
        return slots == null ? this : new Once(client, Lease.join(presentKeys()), options, actor, keep, null, tries);
    }

    /** Into which slot of a period a moment falls. */
    static String slotOf(Duration period, Instant now) {
        long millis = period.toMillis();
        long lead = Math.min(millis / 10, LONGEST_LEAD.toMillis());
        return Instant.ofEpochMilli(Math.floorDiv(now.toEpochMilli() + lead, millis) * millis)
                .toString();
    }

    /**
     * Returns a copy that runs once in each day of a time zone, from its midnight on: {@code report@2026-11-27}. A call that comes less than 10 s before
     * midnight counts for the day that begins. See {@link #per}. Records are kept for two days.
     */
    public Once perDay(ZoneId zone) {
        Require.given("zone", zone);
        return new Once(client, keys, options, actor, DAY.multipliedBy(2), now -> slotOf(zone, now), tries);
    }

    /** Into which day of a zone a moment falls. */
    static String slotOf(ZoneId zone, Instant now) {
        return now.plus(LONGEST_LEAD).atZone(zone).toLocalDate().toString();
    }

    /**
     * Does the work, unless it was done: waits for another that is at it as long as the options say ({@link LockOptions#waitLimit()}),
     * and does it if that one ends without a result. The hold is renewed for {@link LockOptions#maxScopedHold()} at most.
     *
     * @param work returns the result, 16,384 characters at most when encoded for a URL
     * @throws LeaseLostException if the lease was lost while the work was done; it carries the result, which was not recorded
     * @throws LockNotObtainedException for a {@linkplain Attempt.Reason reason} that is not busy
     * @throws IllegalArgumentException if the result is too long; it was not recorded
     */
    public <X extends Exception> OnceResult run(LeaseFunction<Lease, String, X> work) throws X, InterruptedException {
        return run(options.waitLimit(), work);
    }

    /** Runs the work, and waits as long as {@code wait} says; {@link Wait#none()} asks once. */
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
     * Asks to do the work, where that is no function: the caller that obtains the lease does it, and calls {@link #finish}. A lease that is
     * released in another way leaves no record. If the work was done, the answer is {@link Attempt.NotObtained} for the reason
     * {@link Attempt.Reason#DONE}, and its holder is the record.
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
     * @return whether it may begin; false if no tries are left: then the lease is released, and the record says so
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

    /** The number of a try; 0 of what is none. */
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
     * Releases a lease of {@link #attempt} and records the result of its work. Blocks for one round trip, at most the command timeout.
     *
     * @return {@link ReleaseResult#RELEASED} if the result is recorded; {@link ReleaseResult#ALREADY_GONE} if it is not, since the lease was
     *     lost; {@link ReleaseResult#UNCONFIRMED} if the server did not answer: the record is sent again in the background
     * @throws IllegalArgumentException if the result is too long; the lease was not released
     */
    public ReleaseResult finish(Lease lease, String result) {
        Recording recording = new Recording(lease);
        recording.accept(result);
        return recording.leaveAndWait();
    }

    /**
     * Releases a lease of {@link #attempt} whose work has failed. Without a limit of {@linkplain #withTries tries}, and if this was not the
     * last, that is {@link Lease#release()}; otherwise the work is given up. Blocks for one round trip, at most the command timeout.
     *
     * @param why for those that ask; what is longer than 500 characters is cut
     */
    public ReleaseResult fail(Lease lease, String why) {
        Recording recording = new Recording(lease);
        recording.failed(Require.given("why", why));
        return recording.leaveAndWait();
    }

    /**
     * Asynchronous work that is done once: see {@link #run(LeaseFunction)}, and {@link Acquirable#callAsync(Function)} for what
     * completing the result from outside does.
     */
    public CompletableFuture<OnceResult> runAsync(Function<? super Lease, ? extends CompletionStage<String>> work) {
        return runAsync(options.waitLimit(), work);
    }

    /** Runs the work, and waits as long as {@code wait} says. */
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

    /** That the server did not answer is an outcome; any other failure goes on. */
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
     * The record, if there is one with a result. To let the work be done again before its time, release the record by name
     * ({@link Admin#release}, of the kind {@link LockInfo.Kind#ONCE}). Blocks for one round trip, at most the command timeout.
     */
    public Optional<OnceResult.Done> result() {
        return info().holder()
                .filter(holder -> holder.isRecord() && !holder.isGivenUp())
                .map(OnceResult.Done::of);
    }

    /** Who is at it, who waits, or the record as a holder; of slots, in the present one. Blocks for one round trip, at most the command timeout. */
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

    /** The lease of one run, which leaves a record when it ends with a result. */
    private final class Recording implements Entry<ReleaseResult> {
        private final Lease lease;
        private volatile @Nullable String text; // null until the work has returned
        private volatile @Nullable String given; // why the work is given up; null if it is not
        private volatile @Nullable ReleaseResult how; // null until the release was answered

        Recording(Lease lease) {
            this.lease = lease;
        }

        /** The work has returned. */
        String accept(@Nullable String result) {
            String returned =
                    Objects.requireNonNull(result, "the work has returned null: return an empty text for no result");
            int size = ClientLabel.metadata(Map.of(Holder.RESULT, returned)).length() - Holder.RESULT.length() - 1;
            if (size > LONGEST_RESULT) {
                throw new IllegalArgumentException("the result of " + LogText.lock(name()) + " has " + size
                        + " characters when encoded, must have at most " + LONGEST_RESULT
                        + ": store it, and return where it is");
            }
            text = returned;
            return returned;
        }

        @Override
        public void failed(Throwable why) {
            failed(why.toString());
        }

        /** The work has left no result. */
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
