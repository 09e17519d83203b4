package io.holdfast.lettuce;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The adapters of docs/guide/reactive.md. */
final class Reactive {
    private Reactive() {}

    static <T> CompletableFuture<T> call(DistributedLock lock, Wait wait, Function<Lease, CompletionStage<T>> work) {
        CompletableFuture<T> cancelled = new CompletableFuture<>();
        CompletableFuture<T> result = lock.callAsync(wait, lease -> {
            CompletableFuture<T> running = work.apply(lease).toCompletableFuture();
            cancelled.whenComplete((value, error) -> running.cancel(false));
            lease.whenLost().thenRun(() -> running.cancel(false));
            return running.exceptionally(error -> {
                lease.requireValid(); // a loss is thrown as such, and not as the cancellation that it causes
                throw new CompletionException(error);
            });
        });
        result.whenComplete((value, error) -> {
            if (result.isCancelled()) {
                cancelled.complete(null);
            }
        });
        return result;
    }

    static <T> Mono<T> mono(DistributedLock lock, Wait wait, Function<Lease, Mono<T>> work) {
        return Mono.fromFuture(() -> call(lock, wait, lease -> work.apply(lease).toFuture()));
    }

    static <T> Uni<T> uni(DistributedLock lock, Wait wait, Function<Lease, Uni<T>> work) {
        return Uni.createFrom()
                .completionStage(
                        () -> call(lock, wait, lease -> work.apply(lease).subscribeAsCompletionStage()));
    }

    static <T> Single<T> single(DistributedLock lock, Wait wait, Function<Lease, Single<T>> work) {
        return Single.defer(() -> {
            CompletableFuture<T> result =
                    call(lock, wait, lease -> work.apply(lease).toCompletionStage());
            return Single.fromCompletionStage(result).doOnDispose(() -> result.cancel(false));
        });
    }
}
