package io.holdfast.spring;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.DeadlockException;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.holdfast.LockRefusedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has each wait of a method for its lock observed, in the trace of whoever calls it. Not the time for which the lock is held:
 * that is what the method itself takes. Only loaded where Micrometer's observations are there.
 */
final class WaitObservations implements WaitObserver {
    static final String NAME = "holdfast.acquire";
    private static final String UNKNOWN = "unknown";

    private final Supplier<ObservationRegistry> registry;

    WaitObservations(Supplier<ObservationRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public Observed begin(LockedMethod method, DistributedLock lock, @Nullable Object parent) {
        ObservationRegistry observed = registry.get();
        if (observed.isNoop()) {
            return Observed.NOTHING;
        }
        Observation wait = Observation.createNotStarted(NAME, observed)
                .contextualName("acquire " + method.shortName())
                .lowCardinalityKeyValue("method", method.shortName())
                .highCardinalityKeyValue("lock", lock.name());
        if (parent instanceof Observation above) {
            wait.parentObservation(above);
        }
        boolean waits = !lock.options().waitLimit().equals(Wait.none());
        return wait.isNoop() ? Observed.NOTHING : new One(wait.start(), waits);
    }

    private static final class One implements Observed {
        private final Observation wait;
        private final boolean waits;
        private final AtomicBoolean over = new AtomicBoolean();

        One(Observation wait, boolean waits) {
            this.wait = wait;
            this.waits = waits;
        }

        @Override
        public void obtained(Lease lease) {
            end("obtained", KeyValue.of("token", Long.toString(lease.token())), null);
        }

        @Override
        public void skipped(Attempt attempt) {
            end(outcome(attempt), holder(attempt), null);
        }

        @Override
        public void skipped(Throwable failure) {
            end(failure, null);
        }

        @Override
        public void failed(Throwable failure) {
            end(failure, failure);
        }

        private void end(Throwable why, @Nullable Throwable error) {
            if (why instanceof LockTimeoutException late) {
                end(waits ? "timed_out" : "taken", holder(late.contention()), error);
            } else if (why instanceof DeadlockException ended) {
                end(outcome(ended.outcome()), holder(ended.outcome()), error);
            } else if (why instanceof LockRefusedException refused) {
                end(outcome(refused.outcome()), holder(refused.outcome()), error);
            } else if (why instanceof ServerUnreachableException) {
                end(UNKNOWN, null, error);
            } else if (why instanceof ServerRefusedException) {
                end("refused", null, error);
            } else if (why instanceof HoldfastClosedException) {
                end("closed", null, error);
            } else if (why instanceof InterruptedException || why instanceof CancellationException) {
                end("withdrawn", null, null);
            } else {
                end("failed", null, error);
            }
        }

        private void end(String outcome, @Nullable KeyValue detail, @Nullable Throwable failure) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            wait.lowCardinalityKeyValue("outcome", outcome);
            if (detail != null) {
                wait.highCardinalityKeyValue(detail);
            }
            if (failure != null) {
                wait.error(failure);
            }
            wait.stop();
        }

        private static String outcome(Attempt attempt) {
            if (attempt instanceof Attempt.Obtained) {
                return "obtained";
            } else if (attempt instanceof Attempt.Taken) {
                return "taken";
            } else if (attempt instanceof Attempt.TimedOut) {
                return "timed_out";
            } else if (attempt instanceof Attempt.QueueFull) {
                return "queue_full";
            } else if (attempt instanceof Attempt.Dropped) {
                return "dropped";
            } else if (attempt instanceof Attempt.HeldByCaller || attempt instanceof Attempt.Upgrade) {
                return "held_by_caller";
            } else if (attempt instanceof Attempt.Deadlocked) {
                return "deadlock";
            } else if (attempt instanceof Attempt.Unconfirmed) {
                return "unconfirmed";
            }
            return UNKNOWN;
        }

        private static @Nullable KeyValue holder(Attempt attempt) {
            return attempt instanceof Attempt.NotObtained not ? holder(not.contention()) : null;
        }

        private static @Nullable KeyValue holder(Contention contention) {
            return contention
                    .holder()
                    .map(Holder::describe)
                    .map(words -> KeyValue.of("holder", words))
                    .orElse(null);
        }
    }
}
