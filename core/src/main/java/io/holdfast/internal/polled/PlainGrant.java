package io.holdfast.internal.polled;

import io.holdfast.HoldfastException;
import io.holdfast.LeaseTicket;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.lease.Grant;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Renewals;
import io.holdfast.internal.polled.PlainLocks.Place;
import io.holdfast.internal.wire.LockScripts.RenewEntry;
import io.holdfast.internal.wire.LockScripts.Renewed;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.Server;
import io.holdfast.internal.wire.ServerClock;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A value at one key of the plain protocol. */
public final class PlainGrant implements Grant {
    /** The calls that renew plain holds of one partition. */
    private record Lane(PlainLocks plain, int partition) implements Renewals.Lane {
        @Override
        public Server server() {
            return plain.server;
        }

        @Override
        public void renew(
                List<RenewEntry> entries,
                long sentNanos,
                BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
            plain.server.plainScripts.extend(entries, sentNanos, callback);
        }
    }

    private final PlainLocks plain;
    private final PlainPoll poll;
    private final Place place;
    private final long sinceMicros;
    private final @Nullable String replaced;
    private @Nullable Hold hold; // set before anybody else sees this

    /**
     * @param sinceMicros when the server first said that it is held, by its clock
     * @param replaced the value of the holder from whom it was taken over; null if of none
     */
    PlainGrant(PlainLocks plain, PlainPoll poll, long sinceMicros, @Nullable String replaced) {
        this.plain = plain;
        this.poll = poll;
        this.place = poll.place();
        this.sinceMicros = sinceMicros;
        this.replaced = replaced;
    }

    @Override
    public void of(Hold made) {
        hold = made;
    }

    private Hold hold() {
        return Objects.requireNonNull(hold);
    }

    @Override
    public String inWords() {
        return "plain " + LogText.lock(place.key());
    }

    @Override
    public String owner() {
        return place.value();
    }

    /** The plain protocol has none. */
    @Override
    public long token() {
        return 0;
    }

    @Override
    public Instant since() {
        return ServerClock.instant(sinceMicros);
    }

    /** The value of the holder from whom it was taken over; null if of none. */
    public @Nullable String replaced() {
        return replaced;
    }

    @Override
    public boolean isHeldOnServer() {
        return check().join();
    }

    /** Asks the server whether the key has the value; if not, the hold is lost. Fails with an exception of the library. */
    public CompletableFuture<Boolean> check() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        if (!hold().isValid()) {
            result.complete(false);
            return result;
        }
        plain.server.plainScripts.info(place.key(), place.value(), (holder, failure) -> {
            if (holder == null) {
                result.completeExceptionally(unanswered(Objects.requireNonNull(failure)));
                return;
            }
            if (holder.isEmpty() || !holder.get().value().equals(place.value())) {
                hold().lose(LossReason.NOT_ON_SERVER);
            }
            result.complete(hold().isValid());
        });
        return result;
    }

    @Override
    public LeaseTicket ticket() {
        throw new UnsupportedOperationException("the lease of " + inWords()
                + " has no ticket: a program that knows the key's value can continue with the key, but nothing"
                + " then distinguishes that program from this one");
    }

    // ---- keeping it

    @Override
    public long deadline(long sentNanos, long termNanos) {
        return plain.server.deadline(hold().keys(), sentNanos, termNanos);
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration term) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Duration whole = Duration.ofMillis(term.toMillis());
        long sent = plain.kit.nanoTime();
        plain.server.plainScripts.extend(hold().keys(), place.value(), whole, sent, (held, failure) -> {
            if (held == null) {
                result.completeExceptionally(unanswered(Objects.requireNonNull(failure)));
            } else if (!held) {
                hold().lose(LossReason.NOT_ON_SERVER);
                result.complete(false);
            } else {
                hold().armed(deadline(sent, whole.toNanos()), false);
                result.complete(hold().isValid());
            }
        });
        return result;
    }

    private HoldfastException unanswered(DriverException failure) {
        String server = plain.server.describe();
        return Refusals.of(server, inWords() + ": " + server + " did not answer: " + failure.getMessage(), failure);
    }

    @Override
    public void renew(Renewals.Round round) {
        round.add(new Lane(plain, plain.server.driver.partition(place.key())), new Renewals.Part() {
            @Override
            public Hold hold() {
                return PlainGrant.this.hold();
            }

            @Override
            public RenewEntry entry() {
                return new RenewEntry(
                        hold().keys(),
                        place.value(),
                        0,
                        hold().options.leaseDuration().toMillis());
            }

            @Override
            public boolean answered(Renewed how, long sentNanos) {
                if (how == Renewed.GONE) {
                    hold().lose(LossReason.NOT_ON_SERVER);
                } else {
                    plain.kit.renewals().renewed(hold(), sentNanos);
                }
                return false;
            }
        });
    }

    // ---- its end

    /** Done when its release is on its way: until then no other request may have its value. */
    @Override
    public void forget() {}

    @Override
    public CompletableFuture<ReleaseResult> release() {
        CompletableFuture<ReleaseResult> result = plain.takeBack.add(poll.release());
        poll.forget();
        return result;
    }

    @Override
    public void takeBack(LossReason reason) {
        var unused = release();
    }
}
