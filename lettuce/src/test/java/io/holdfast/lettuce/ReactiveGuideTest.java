package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Wait;
import io.holdfast.contracts.GuideExamples;
import io.holdfast.contracts.servers.RedisServer;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** The adapters of the guide to reactive libraries, with each of these, over a real server. */
class ReactiveGuideTest {
    private static final long LIMIT_SECONDS = 20;

    /** A subscription: what it ends with, and how to cancel it. */
    private record Subscribed(CompletableFuture<String> result, Runnable cancel) {
        String get() throws Exception {
            return result.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The work of a test: a future that the library subscribes to. */
    private interface Work extends Function<Lease, CompletableFuture<String>> {}

    /** The libraries. */
    enum Library {
        REACTOR {
            @Override
            Subscribed subscribe(DistributedLock lock, Wait wait, Work work) {
                CompletableFuture<String> result = new CompletableFuture<>();
                reactor.core.Disposable subscription = Reactive.mono(
                                lock, wait, lease -> Mono.fromFuture(work.apply(lease)))
                        .subscribe(result::complete, result::completeExceptionally);
                return new Subscribed(result, subscription::dispose);
            }
        },
        MUTINY {
            @Override
            Subscribed subscribe(DistributedLock lock, Wait wait, Work work) {
                CompletableFuture<String> result = new CompletableFuture<>();
                var subscription = Reactive.uni(
                                lock, wait, lease -> Uni.createFrom().completionStage(() -> work.apply(lease)))
                        .subscribe()
                        .with(result::complete, result::completeExceptionally);
                return new Subscribed(result, subscription::cancel);
            }
        },
        RXJAVA {
            @Override
            Subscribed subscribe(DistributedLock lock, Wait wait, Work work) {
                CompletableFuture<String> result = new CompletableFuture<>();
                Disposable subscription = Reactive.single(lock, wait, lease -> {
                            CompletableFuture<String> running = work.apply(lease);
                            return Single.fromCompletionStage(running).doOnDispose(() -> running.cancel(false));
                        })
                        .subscribe(result::complete, result::completeExceptionally);
                return new Subscribed(result, subscription::dispose);
            }
        };

        abstract Subscribed subscribe(DistributedLock lock, Wait wait, Work work);
    }

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static RedisServer server;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static Holdfast holdfast;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        holdfast = Holdfast.connect("redis://127.0.0.1:" + server.port());
    }

    @AfterAll
    static void stop() {
        holdfast.close();
        server.close();
    }

    private static DistributedLock lock(Library library, String test) {
        return holdfast.lock(test + "/" + library);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "it has not come about");
            Thread.onSpinWait();
        }
    }

    /** Work that has begun, under a lease that it holds. */
    private record Working(Subscribed call, Lease lease) {}

    private static Working begin(Library library, DistributedLock lock, CompletableFuture<String> work)
            throws Exception {
        CompletableFuture<Lease> begun = new CompletableFuture<>();
        Subscribed call = library.subscribe(lock, Wait.none(), lease -> {
            begun.complete(lease);
            return work;
        });
        return new Working(call, begun.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void lock_thatIsFree_isHeldMeanwhileAndReleasedBeforeTheResult(Library library) throws Exception {
        DistributedLock lock = lock(library, "free");
        CompletableFuture<String> work = new CompletableFuture<>();
        Working working = begin(library, lock, work);
        assertTrue(working.lease().isHeldOnServer());
        work.complete("done");
        assertEquals("done", working.call().get());
        assertFalse(lock.isLocked());
    }

    @ParameterizedTest
    @EnumSource
    void lock_thatIsTaken_isAnErrorWithoutTheWork(Library library) throws Exception {
        DistributedLock lock = lock(library, "taken");
        try (Lease held = lock.acquire()) {
            Subscribed call =
                    library.subscribe(lock, Wait.none(), lease -> CompletableFuture.completedFuture("not done"));
            ExecutionException thrown = assertThrows(ExecutionException.class, call::get);
            assertInstanceOf(LockTimeoutException.class, thrown.getCause());
            assertTrue(held.isHeldOnServer());
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancellation_whileItWaits_leavesNothingQueued(Library library) throws Exception {
        DistributedLock lock =
                lock(library, "queued").with(holdfast.options().lockDefaults().withStrictOrder());
        CompletableFuture<Lease> begun = new CompletableFuture<>();
        try (Lease held = lock.acquire()) {
            Subscribed call = library.subscribe(lock, Wait.forever(), lease -> {
                begun.complete(lease);
                return CompletableFuture.completedFuture("not done");
            });
            await(() -> lock.info().waiters() == 1);
            call.cancel().run();
            await(() -> lock.info().waiters() == 0);
            assertTrue(held.isHeldOnServer());
        }
        assertFalse(lock.isLocked());
        assertFalse(begun.isDone());
    }

    @ParameterizedTest
    @EnumSource
    void cancellation_duringTheWork_stopsItAndReleases(Library library) throws Exception {
        DistributedLock lock = lock(library, "working");
        CompletableFuture<String> work = new CompletableFuture<>();
        Working working = begin(library, lock, work);
        working.call().cancel().run();
        try (Lease next = lock.acquire(Wait.upTo(Duration.ofSeconds(LIMIT_SECONDS)))) {
            assertTrue(next.isValid());
            assertTrue(work.isCancelled());
        }
    }

    @ParameterizedTest
    @EnumSource
    void loss_duringTheWork_stopsItAndIsTheError(Library library) throws Exception {
        DistributedLock lock = lock(library, "lost");
        CompletableFuture<String> work = new CompletableFuture<>();
        Working working = begin(library, lock, work);
        holdfast.admin().release(lock.name());
        ExecutionException thrown = assertThrows(ExecutionException.class, working.call()::get);
        assertInstanceOf(LeaseLostException.class, thrown.getCause());
        await(work::isCancelled); // Mutiny cancels it after the error is there
    }

    @Test
    void guide_itsAdapters_areThoseThatAreTested() throws IOException {
        GuideExamples.quote("docs/guide/reactive.md", 4, "src/test/java/io/holdfast/lettuce");
    }
}
