package io.holdfast.spring;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.spring.WaitObserver.Observed;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Methods that return publishers: each subscription is a call of its own. Only loaded where Reactor is there. */
final class ReactiveLocking {
    /** Where Micrometer has the observation of a subscriber in the context. */
    private static final String OBSERVATION = "micrometer.observation";

    private ReactiveLocking() {}

    static boolean canAdapt(Class<?> type) {
        return adapter(type) != null;
    }

    private static @Nullable ReactiveAdapter adapter(Class<?> type) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /** What the method returns, made anew under the lock for each subscription. */
    static Object publisher(Call call) {
        Class<?> type = call.method.suspends ? Mono.class : call.method.method.getReturnType();
        ReactiveAdapter adapter = Objects.requireNonNull(adapter(type));
        Publisher<Object> locked = adapter.isMultiValue()
                ? Flux.usingWhen(lease(call), lease -> many(call, adapter, lease), ReactiveLocking::release)
                : Mono.usingWhen(lease(call), lease -> one(call, adapter, lease), ReactiveLocking::release);
        return type.isInstance(locked) ? locked : adapter.fromPublisher(locked);
    }

    /** The lease; empty if there is none, and nothing is to be done. If nobody wants it any more, it is withdrawn or released. */
    private static Mono<Lease> lease(Call call) {
        return Mono.deferContextual(here -> {
            DistributedLock lock = LockedInterceptor.bounded(call.lockOfItsOwn());
            Observed wait = call.observed(lock, here.getOrDefault(OBSERVATION, null));
            return Mono.fromFuture(() -> lock.attemptAsync(lock.options().waitLimit()))
                    .doOnDiscard(
                            Attempt.Obtained.class,
                            obtained -> release((Lease) obtained.lease()).subscribe())
                    .flatMap(attempt -> granted(call, attempt, wait))
                    .doOnError(wait::failed)
                    .doOnCancel(() -> wait.failed(new CancellationException()));
        });
    }

    private static Mono<Lease> granted(Call call, Attempt<Lease> attempt, Observed wait) {
        if (call.method.skips
                && attempt instanceof Attempt.NotObtained<Lease> not
                && not.reason().isBusy()) {
            wait.skipped(not);
            return Mono.empty();
        }
        Lease lease = attempt.orElseThrow();
        wait.obtained(lease);
        return Mono.just(lease);
    }

    private static Mono<Object> release(Lease lease) {
        return Mono.fromFuture(lease::releaseAsync).cast(Object.class);
    }

    /** Ends with an error when the lease is lost, and cancels what the method has returned. */
    private static Flux<Object> many(Call call, ReactiveAdapter adapter, Lease lease) {
        return Flux.defer(() -> run(call, adapter, lease))
                .takeUntilOther(lost(lease))
                .concatWith(Mono.defer(() -> refuseLost(lease)))
                .contextWrite(context -> context.put(Lease.class, lease));
    }

    /** The same; an error of the method itself is passed on as it is. */
    private static Mono<Object> one(Call call, ReactiveAdapter adapter, Lease lease) {
        return Mono.defer(() -> Mono.from(run(call, adapter, lease)))
                .takeUntilOther(lost(lease))
                .materialize()
                .flatMap(signal -> signal.isOnError()
                        ? Mono.just(signal)
                        : ReactiveLocking.<Signal<Object>>refuseLost(lease).defaultIfEmpty(signal))
                .<Object>dematerialize()
                .contextWrite(context -> context.put(Lease.class, lease));
    }

    private static Publisher<Object> run(Call call, ReactiveAdapter adapter, Lease lease) {
        try {
            return adapter.toPublisher(call.run(List.of(lease), Observed.NOTHING));
        } catch (Exception e) {
            return Mono.error(e);
        }
    }

    /** Completes, and does not fail, when the lease is lost: an error would not cancel what waits for this. */
    private static Mono<?> lost(Lease lease) {
        // A future of its own: the stage itself cannot be cancelled.
        return Mono.fromFuture(() -> lease.whenLost().toCompletableFuture());
    }

    /** Empty if the lease was not lost. */
    private static <T> Mono<T> refuseLost(Lease lease) {
        try {
            lease.requireValid();
        } catch (LeaseLostException e) {
            return e.reason() == null ? Mono.empty() : Mono.error(e);
        }
        return Mono.empty();
    }
}
