package io.holdfast.spring;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.holdfast.LockNotObtainedException;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
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
        return wait.isNoop() ? Observed.NOTHING : new One(wait.start());
    }

    private static final class One implements Observed {
        private final Observation wait;
        private final AtomicBoolean over = new AtomicBoolean();

        One(Observation wait) {
            this.wait = wait;
        }

        @Override
        public void obtained(Lease lease) {
            end("obtained", KeyValue.of("token", Long.toString(lease.token())), null);
        }

        @Override
        public void skipped(Attempt.NotObtained<?> outcome) {
            end(word(outcome.reason()), holder(outcome.contention()), null);
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
            if (why instanceof LockNotObtainedException not) {
                end(word(not.reason()), holder(not.contention()), error);
            } else if (why instanceof ServerUnreachableException) {
                end("unknown", null, error);
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

        private static String word(Attempt.Reason reason) {
            return reason.name().toLowerCase(Locale.ROOT);
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
