package io.holdfast.internal.polled;

import io.holdfast.Contention;
import io.holdfast.Holder;
import io.holdfast.HoldfastException;
import io.holdfast.PlainHolder;
import io.holdfast.PlainOptions;
import io.holdfast.PlainOptions.Patience;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.LeaseState;
import io.holdfast.internal.polled.PlainLocks.Place;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.PlainScripts.PlainAcquireReply;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.Require;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Asks for one key of the plain protocol. */
final class PlainPoll implements Poll {
    private final PlainLocks plain;
    private final Place place;
    private final PlainOptions options;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private volatile boolean granted; // some copy was
    private volatile boolean takingOver; // the last one
    private volatile @Nullable PlainHolder holder;
    private volatile @Nullable DriverException failure; // of the last one
    private @Nullable PolledRequest request; // set before anybody else sees this

    PlainPoll(PlainLocks plain, Place place, PlainOptions options) {
        this.plain = plain;
        this.place = place;
        this.options = options;
    }

    @Override
    public void of(PolledRequest made) {
        request = made;
    }

    @Override
    public void begin() {
        plain.add(place, request());
    }

    private PolledRequest request() {
        return Objects.requireNonNull(request);
    }

    // ---- asking

    @Override
    public void ask(int number, boolean takeOver) {
        takingOver = takeOver;
        PlainHolder seen = holder;
        send(takeOver && seen != null ? seen.value() : null);
    }

    @Override
    public boolean hasOneOwner() {
        return true;
    }

    @Override
    public void askAgain() {
        takingOver = false;
        send(null);
    }

    /** @param replace the value of the holder to take over from; null for none */
    private void send(@Nullable String replace) {
        boolean mayBeMine = mayBeMine();
        // Counted before the look at the end: whoever ends the request meanwhile either sees this copy and takes it
        // back, or is seen here.
        asked.incrementAndGet();
        if (!request().outcome.pending()) {
            asked.decrementAndGet();
            return;
        }
        long sent = plain.kit.nanoTime();
        plain.server.plainScripts.acquire(
                place.key(),
                place.value(),
                options.leaseDuration(),
                mayBeMine,
                replace,
                sent,
                (reply, problem) -> heard(reply, problem, sent, replace));
    }

    /** What the server said to one copy, or what the driver said instead. */
    void heard(
            @Nullable PlainAcquireReply reply, @Nullable DriverException problem, long sent, @Nullable String replace) {
        if (reply != null && reply.holder() == null) {
            granted = true;
        }
        // Only now: whoever looks meanwhile sees the copy, or what it was granted.
        if (reply != null || isRejected(problem)) {
            answered.incrementAndGet();
        }
        if (reply == null) {
            onFailure(Objects.requireNonNull(problem));
        } else if (reply.holder() != null) {
            onTaken(reply.holder());
        } else {
            onGranted(reply, sent, reply.replaced() ? replace : null);
        }
    }

    private static boolean isRejected(@Nullable DriverException failure) {
        return failure != null && failure.kind() == DriverException.Kind.REJECTED;
    }

    /** Whether a copy of the acquire may still be under way. */
    private boolean unanswered() {
        return asked.get() > answered.get();
    }

    /** Whether the key may have the value, or come to have it. */
    private boolean mayBeMine() {
        return unanswered() || granted; // in this order: what is answered by then has set the other
    }

    // ---- answers

    private void onGranted(PlainAcquireReply reply, long sent, @Nullable String replaced) {
        PlainGrant grant = new PlainGrant(plain, this, reply.timeMicros(), replaced);
        if (options.expiring()) {
            Keys keys = request().keys();
            ServerRefusedException unfit =
                    plain.server.unfitClock(keys, request().outcome.demand.options());
            if (unfit != null && request().outcome.pending()) {
                request().fail(unfit);
            } else {
                request()
                        .granted(
                                grant,
                                plain.server.deadline(
                                        keys, sent, options.leaseDuration().toNanos()));
            }
            return;
        }
        if (!request().outcome.pending()) {
            abandon();
            return;
        }
        // The key is there with a term: only what is known to be held is made to stay.
        plain.server.plainScripts.extend(
                request().outcome.demand.keys(),
                place.value(),
                Duration.ZERO,
                plain.kit.nanoTime(),
                (held, problem) -> {
                    if (held == null) {
                        onFailure(Objects.requireNonNull(problem));
                    } else if (held) {
                        request().granted(grant, LeaseState.NEVER);
                    } else {
                        request().tooLate();
                    }
                });
    }

    private void onTaken(PlainHolder seen) {
        PlainHolder before = holder;
        holder = seen;
        request().outcome.contention = contention(seen);
        boolean other = before == null || !before.value().equals(seen.value());
        if (other && options.patience() != Patience.IN_ALL) {
            request().waitAnew();
        }
        request().notGranted(true);
    }

    /** All that the plain protocol says of a holder is a value. */
    private static Contention contention(PlainHolder seen) {
        Holder holder = new Holder(seen.value(), 0, "", "", "", "", Map.of(), Instant.EPOCH);
        return new Contention(Optional.of(holder), seen.remaining().orElse(Require.LONGEST), 0, 0);
    }

    private void onFailure(DriverException problem) {
        if (isRejected(problem) && !Refusals.isTransient(problem)) {
            request().fail(Refusals.explain(plain.server.describe(), problem));
            return;
        }
        failure = problem;
        request().notGranted(false);
    }

    // ---- its end

    /** Frees the key. */
    PlainRelease release() {
        return new PlainRelease(plain, place, unanswered());
    }

    @Override
    public void abandon() {
        if (mayBeMine()) {
            var unused = plain.takeBack.add(release());
        }
    }

    @Override
    public void forget() {
        plain.remove(place, request());
    }

    Place place() {
        return place;
    }

    // ---- how often

    @Override
    public int maxAttempts() {
        return options.maxAttempts();
    }

    @Override
    public long backoffNanos(int attempts) {
        return options.backoff().nanos(attempts, plain.kit.random());
    }

    /** Once: after that the same holder can only be one whose value is no text. */
    @Override
    public boolean mayTakeOver() {
        return options.patience() == Patience.THEN_TAKE_OVER && !takingOver;
    }

    // ---- refusals

    @Override
    public @Nullable HoldfastException refusal() {
        DriverException last = failure;
        return last == null || !Refusals.isTransient(last) || mayBeMine()
                ? null
                : Refusals.explain(plain.server.describe(), last);
    }

    @Override
    public ServerUnreachableException unknown() {
        return Refusals.unknown("plain " + LogText.lock(place.key()), plain.server.describe(), failure);
    }

    @Override
    public ServerUnreachableException late() {
        failure = DriverException.unknown("answers take longer than the lease duration allows", null);
        return unknown();
    }
}
