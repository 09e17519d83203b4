package io.holdfast.internal.sets;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Contention;
import io.holdfast.HoldfastClosedException;
import io.holdfast.LossReason;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Question;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks for several locks, one after the other, and ends with all of them or with none.
 *
 * <p><b>Order.</b> The demands come in the one order that all clients have (Havender, 1968: "Avoiding deadlock in multitasking
 * systems"). The next lock is asked for when the one before is held, so that nobody waits for a lock and holds a later one:
 * there is always a set that waits for nobody. The requests are ordinary ones, each in its own lock's queue, and what they
 * obtain is renewed as any hold is.
 *
 * <p><b>Collecting.</b> It begins with the first lock and nothing held, and ends once: when all are held, when one is refused or
 * fails, when one that was held is lost, or when the caller goes away. Whoever ends it takes what it holds and what it asks for,
 * and gives that back; what is obtained for it later is given back, too. After a loss it begins anew with what is left of the
 * wait, by new requests, which have owners of their own: to ask for a lost lock while later ones are held would be against the
 * order. The releases need not be answered before. They left first and are repeated, so the new requests stand behind the old
 * holds at worst. An outcome without leases waits for their answers, though.
 *
 * <p>Replies come on threads of the driver, losses on the executor's, withdrawal on any. All fields are guarded by the lock;
 * nothing is asked, released or told while it is held.
 */
public final class SetRequest implements Question<SetEntry> {
    /**
     * How long after the last grant the holds are renewed together, and so from then on: later than handoffs are confirmed,
     * and never for a short section.
     */
    private static final long TOGETHER_NANOS = 100_000_000L;

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

    private final Engine engine;
    private final Kit kit;
    private final List<Demand> demands;
    private final Wait wait;
    private final long startNanos;
    private final CompletableFuture<Attempt<SetEntry>> answer = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Collecting present;
    private @Nullable SetEntry obtained;
    private boolean withdrawn;
    /** Completes when the releases of all collections so far were answered. */
    private CompletableFuture<?> givenBack = CompletableFuture.completedFuture(null);

    /**
     * A request that has not asked yet.
     *
     * @param demands in the order of all clients
     * @param wait for all of them together
     */
    public SetRequest(Engine engine, List<Demand> demands, Wait wait) {
        this.engine = engine;
        this.kit = engine.kit();
        this.demands = List.copyOf(demands);
        this.wait = wait;
        this.startNanos = kit.nanoTime();
    }

    @Override
    public CompletableFuture<Attempt<SetEntry>> start() {
        begin();
        return answer;
    }

    /** What is known of the others is of the lock that it asked for last. */
    @Override
    public Account account() {
        List<Demand> all = demands;
        Question<Handle> last = under(() -> present == null ? null : present.asking);
        Contention contention =
                last == null ? Contention.NOTHING_KNOWN : last.account().contention();
        return new Account(
                String.join(", ", all.stream().map(each -> each.keys().name()).toList()),
                all.get(0).what().mode().name(),
                "",
                all.get(0).actorName(),
                all.get(0).options().group(),
                contention,
                last == null ? 0 : last.account().place(),
                last == null ? 0 : last.account().attempts());
    }

    @Override
    public void withdraw() {
        SetEntry held;
        Runnable giveBack;
        lock.lock();
        try {
            withdrawn = true;
            held = obtained;
            Collecting ended = present;
            Rest rest = ended == null || ended.over ? null : ended.end();
            giveBack = rest == null ? () -> {} : () -> giveBack(rest);
        } finally {
            lock.unlock();
        }
        if (held != null) {
            var unused = held.leave();
        } else {
            giveBack.run();
            answer.completeExceptionally(new CancellationException());
        }
    }

    private <T> T under(Supplier<T> look) {
        lock.lock();
        try {
            return look.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * In any case: after an error what it holds is released one by one. Completes when that was answered, and what earlier
     * collections gave back, too: after an outcome without leases nothing that was obtained is held.
     */
    private CompletableFuture<?> giveBack(Rest rest) {
        CompletableFuture<?> answers;
        try {
            answers = rest.giveBack();
        } catch (RuntimeException | Error e) {
            kit.schedule(0, () -> kit.endEach(rest.held(), Handle::leave));
            answers = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<?> last = answers;
        return under(() -> givenBack = CompletableFuture.allOf(givenBack, last));
    }

    private void begin() {
        Collecting begun = new Collecting();
        boolean wanted = under(() -> {
            present = begun;
            return !withdrawn;
        });
        if (wanted) {
            begun.askNext();
        } else {
            answer.completeExceptionally(new CancellationException());
        }
    }

    /** What is left of the wait: one that is over asks once more, and does not queue. */
    private Wait left() {
        Duration limit = wait.limit();
        if (limit == null) {
            return wait;
        }
        Duration left = limit.minus(kit.since(startNanos));
        return left.compareTo(SHORTEST_WAIT) < 0 ? Wait.none() : Wait.upTo(left);
    }

    private void refuse(Attempt<SetEntry> refusal) {
        answer.complete(refusal);
    }

    /** What a collection leaves when it ends: the request that is under way, and what is held. */
    private record Rest(@Nullable Question<Handle> asking, List<Handle> held) {
        /** Completes when all releases were answered; each is repeated until it is. */
        CompletableFuture<?> giveBack() {
            if (asking != null) {
                asking.withdraw();
            }
            return CompletableFuture.allOf(held.stream().map(Handle::leave).toArray(CompletableFuture<?>[]::new));
        }
    }

    /** From the first lock on. */
    private final class Collecting {
        private final FirstLoss loss = new FirstLoss((name, reason) -> safely(() -> lost(name, reason)));
        private final List<Handle> held = new ArrayList<>();
        private @Nullable Question<Handle> asking;
        private boolean over;

        /** Called under the lock, once. */
        private Rest end() {
            Rest rest = new Rest(asking, List.copyOf(held));
            loss.collected();
            over = true; // last: after an error it is yet to be ended
            return rest;
        }

        /** Ends it, unless it has ended; null if it has. */
        private @Nullable Rest endNow() {
            lock.lock();
            try {
                return over ? null : end();
            } finally {
                lock.unlock();
            }
        }

        private void askNext() {
            Demand next = under(() -> demands.get(Math.min(held.size(), demands.size() - 1)));
            CompletableFuture<Attempt<Handle>> outcome;
            try {
                Question<Handle> request = engine.newRequest(next.inSet(left()));
                outcome = request.start();
                boolean late = under(() -> {
                    asking = request;
                    return over;
                });
                if (late) {
                    request.withdraw();
                }
            } catch (RuntimeException | Error e) {
                outcome = CompletableFuture.failedFuture(e);
            }
            after(outcome, (answered, failure) -> answered(next, answered, failure));
        }

        /** When a stage has completed, however; a stage keeps what its dependents throw. */
        private <T> void after(CompletableFuture<T> stage, BiConsumer<? super T, @Nullable Throwable> step) {
            stage.handle((value, failure) -> {
                        safely(() -> step.accept(value, failure));
                        return "";
                    })
                    .exceptionally(error -> {
                        endBy(error);
                        return "";
                    });
        }

        private void safely(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                endBy(e);
            }
        }

        /** An error on the way ends it: the caller gets the error, and what was obtained goes back. */
        private void endBy(Throwable error) {
            try {
                endWith(() -> {});
            } finally {
                answer.completeExceptionally(error);
            }
        }

        private void answered(Demand demand, @Nullable Attempt<Handle> answered, @Nullable Throwable failure) {
            Handle handle = answered == null ? null : answered.asOptional().orElse(null);
            if (handle != null) {
                obtained(handle);
            } else if (answered != null) {
                endWith(() -> refuse(inWords(answered)));
            } else {
                failed(demand, Objects.requireNonNull(failure));
            }
        }

        private void obtained(Handle handle) {
            List<Handle> all = under(() -> {
                asking = null;
                if (over) {
                    return List.of();
                }
                held.add(handle);
                return List.copyOf(held);
            });
            if (all.isEmpty()) {
                var unused = handle.leave(); // nobody waits for it any more
                return;
            }
            loss.watch(handle);
            if (loseIfAnyIsOver(all)) {
                return;
            }
            if (all.size() < demands.size()) {
                askNext();
            } else {
                handOut(all);
            }
        }

        /** What is lost is told on the executor, a moment later. */
        private boolean loseIfAnyIsOver(List<Handle> all) {
            for (Handle handle : all) {
                if (!handle.isValid()) {
                    LossReason reason = handle.own.lossReason();
                    lost(handle.hold.keys().name(), reason == null ? LossReason.NOT_ON_SERVER : reason);
                    return true;
                }
            }
            return false;
        }

        /** One that was held is held no more: all is given back, and asked for again. */
        private void lost(String name, LossReason reason) {
            Rest rest = endNow();
            if (rest == null) {
                return;
            }
            CompletableFuture<?> answers = giveBack(rest);
            if (reason == LossReason.CLIENT_CLOSED) {
                answer.completeExceptionally(new HoldfastClosedException());
            } else if (left().isNone()) {
                after(
                        answers,
                        (all, ignored) -> refuse(notObtained(name, Reason.TIMED_OUT, Contention.NOTHING_KNOWN, 0)));
            } else {
                begin();
            }
        }

        private void failed(Demand demand, Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            endWith(() -> {
                if (cause instanceof ServerUnreachableException unreachable) {
                    refuse(new Attempt.Unknown<>(demand.keys().name(), unreachable));
                } else {
                    answer.completeExceptionally(cause);
                }
            });
        }

        /** It cannot be completed: gives back, and tells when that was answered. */
        private void endWith(Runnable told) {
            Rest rest = endNow();
            if (rest != null) {
                after(giveBack(rest), (all, ignored) -> told.run());
            }
        }

        /** All are held: one that is not renewed, or has too little left, gets a whole term. */
        private void handOut(List<Handle> all) {
            List<CompletableFuture<Boolean>> answers =
                    all.stream().map(handle -> handle.own.handOut()).toList();
            after(CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)), (done, ignored) -> {
                for (int i = 0; i < answers.size(); i++) {
                    if (answers.get(i).isCompletedExceptionally()) {
                        Demand demand = demands.get(i);
                        after(answers.get(i), (extended, failure) -> failed(demand, Objects.requireNonNull(failure)));
                        return;
                    }
                }
                if (!loseIfAnyIsOver(all)) {
                    complete(all);
                }
            });
        }

        private void complete(List<Handle> all) {
            SetEntry entry = new SetEntry(all, loss, kit.executor());
            boolean first = under(() -> {
                if (over) {
                    return false;
                }
                end();
                SetRequest.this.obtained = entry;
                return true;
            });
            if (first) {
                try {
                    answer.complete(new Attempt.Obtained<>(entry));
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                    entry.leave();
                    throw e;
                }
                renewTogether(all);
            }
        }

        /** What is renewed at one moment stays together from then on: one call for all that one server has. */
        private void renewTogether(List<Handle> all) {
            List<Hold> holds = new ArrayList<>();
            long delay = TOGETHER_NANOS;
            for (Handle handle : all) {
                holds.add(handle.hold);
                delay = Math.min(delay, handle.hold.options.leaseDuration().toNanos() / 10);
            }
            kit.schedule(delay, () -> kit.renewals().renew(holds));
        }

        /** A member was asked with what was left of the wait: what is told is the wait of the caller. */
        private Attempt<SetEntry> inWords(Attempt<Handle> refusal) {
            if (refusal instanceof Attempt.NotObtained<Handle> not
                    && (not.reason() == Reason.TIMED_OUT || (not.reason() == Reason.TAKEN && !wait.isNone()))) {
                return notObtained(not.lockName(), Reason.TIMED_OUT, not.contention(), not.attempts());
            }
            return refusal.map(handle -> {
                throw new IllegalStateException("a refusal has no handle");
            });
        }

        private Attempt<SetEntry> notObtained(String name, Reason reason, Contention contention, int attempts) {
            return new Attempt.NotObtained<>(name, reason, contention, wait, attempts, 0, Optional.empty());
        }
    }
}
