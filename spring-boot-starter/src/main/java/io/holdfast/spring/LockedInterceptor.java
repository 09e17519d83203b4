package io.holdfast.spring;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockNotObtainedException;
import io.holdfast.LockOptions;
import io.holdfast.Once;
import io.holdfast.OnceResult;
import io.holdfast.spring.WaitObserver.Observed;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** Runs methods under their locks. */
final class LockedInterceptor implements MethodInterceptor {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final LockedMethods methods;
    private final Supplier<HoldfastProperties> properties;
    private final ActiveTransactions transactions;
    private final WaitObserver observer;

    LockedInterceptor(
            LockedMethods methods,
            Supplier<HoldfastProperties> properties,
            ActiveTransactions transactions,
            WaitObserver observer) {
        this.methods = methods;
        this.properties = properties;
        this.transactions = transactions;
        this.observer = observer;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "a bean without a target");
        LockedMethod method = methods.of(invocation.getMethod(), AopUtils.getTargetClass(target));
        if (method == null) {
            return invocation.proceed();
        }
        // Spring's proxies make no others.
        Call call = new Call(methods, method, (ProxyMethodInvocation) invocation, target, observer);
        OnceWork work = method.once;
        if (work != null) {
            return method.end == LockedMethod.End.STAGE ? stagedOnce(call, work) : once(call, work);
        }
        return switch (method.end) {
            case RETURN -> blocking(call, call.wanted());
            case STAGE -> staged(call);
            case PUBLISHER -> ReactiveLocking.publisher(call);
        };
    }

    @SuppressWarnings("NullAway") // it does not see that work under a lock may result in null
    private <L> @Nullable Object blocking(Call call, Wanted<L> wanted) throws Throwable {
        try {
            if (isWithinTransaction(call)) {
                switch (properties.get().annotations().inTransaction()) {
                    case REFUSE ->
                        throw new IllegalStateException(call.method + " asks for " + wanted.words()
                                + " while a transaction is active: the lock would be released before the"
                                + " transaction commits, and the next holder would read the old data. Call the"
                                + " method outside of the transaction, give it one of its own (REQUIRES_NEW),"
                                + " or set holdfast.annotations.in-transaction=release-after");
                    case WARN ->
                        LOG.log(
                                System.Logger.Level.WARNING,
                                () -> call.method + " asks for " + wanted.words()
                                        + " while a transaction is active: the lock is released before the transaction"
                                        + " commits");
                    case RELEASE_AFTER -> {
                        return untilTransactionEnds(call, call.as(LockedInterceptor::bounded, wanted));
                    }
                }
            }
            Observed wait = call.observed(wanted.first(), null);
            try {
                return wanted.lock()
                        .<@Nullable Object, Exception>call(
                                obtained -> call.run(wanted.leases().apply(obtained), wait));
            } catch (Exception | Error e) {
                if (!call.hasBegun()) {
                    if (call.method.skips && isNothing(e)) {
                        wait.skipped(e);
                        return call.instead((LockNotObtainedException) e);
                    }
                    wait.failed(e);
                }
                throw e;
            }
        } catch (InterruptedException e) {
            throw interrupted(call, "waiting for " + wanted.words(), e);
        }
    }

    private boolean isWithinTransaction(Call call) {
        return transactions.isActive() && !transactions.isApart(call.method.method, call.target.getClass());
    }

    /** What to throw if the thread was interrupted: callers that expect no interrupt get an exception that they may. */
    private static Exception interrupted(Call call, String when, InterruptedException e) {
        if (call.hasBegun() || call.method.declaresInterrupts()) {
            return e;
        }
        Thread.currentThread().interrupt();
        CancellationException cancelled =
                new CancellationException("interrupted while " + when + "; " + call.method + " was not run");
        cancelled.initCause(e);
        return cancelled;
    }

    /** Runs the method, unless that was done. */
    private @Nullable Object once(Call call, OnceWork work) throws Exception {
        refuseTransaction(call);
        Once once = call.once(work);
        AtomicReference<@Nullable Object> value = new AtomicReference<>();
        try {
            OnceResult result = once.run(lease -> {
                value.set(call.run(List.of(lease), Observed.NOTHING));
                return work.text(value.get());
            });
            return result instanceof OnceResult.Ran ? value.get() : work.elsewhere(once, result, call.method.nothing());
        } catch (InterruptedException e) {
            throw interrupted(call, "asking whether '" + once.name() + "' was done", e);
        }
    }

    private CompletionStage<@Nullable Object> stagedOnce(Call call, OnceWork work) {
        try {
            refuseTransaction(call);
            Once once = call.once(work);
            AtomicReference<@Nullable Object> value = new AtomicReference<>();
            return run(call, Observed.NOTHING)
                    .during(method ->
                            once.runAsync(lease -> method.apply(List.of(lease)).thenApply(returned -> {
                                value.set(returned);
                                return textOf(work, returned);
                            })))
                    .thenApply(result -> result instanceof OnceResult.Ran
                            ? value.get()
                            : work.elsewhere(once, result, call.method.nothing()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        } catch (InterruptedException e) {
            return CompletableFuture.failedFuture(interrupted(call, "asking whether the work was done", e));
        }
    }

    @SuppressWarnings("unchecked") // a fallback returns what its method does
    private static void instead(Call call, LockNotObtainedException why, CompletableFuture<@Nullable Object> result) {
        try {
            if (!call.method.hasFallback()) {
                result.complete(call.method.nothing());
                return;
            }
            Object stage = Objects.requireNonNull(call.instead(why), "the fallback returned no stage");
            StagedRun.follow((CompletionStage<@Nullable Object>) stage, result);
        } catch (Exception | Error e) {
            result.completeExceptionally(e);
        }
    }

    private StagedRun run(Call call, Observed wait) {
        return new StagedRun(call, wait, methods.executor(), methods.context());
    }

    private static String textOf(OnceWork work, @Nullable Object returned) {
        try {
            return work.text(returned);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private void refuseTransaction(Call call) {
        if (isWithinTransaction(call)) {
            throw new IllegalStateException(call.method
                    + " is done once, and was called while a transaction is active: the run would be recorded"
                    + " as done before the transaction commits. Call the method outside of the transaction, or"
                    + " give it one of its own (REQUIRES_NEW)");
        }
    }

    /** The transaction that is active keeps the lock until it has ended. */
    private <L> @Nullable Object untilTransactionEnds(Call call, Wanted<L> wanted) throws Exception {
        Observed wait = call.observed(wanted.first(), null);
        List<Lease> leases;
        try {
            Attempt<L> attempt = wanted.lock().attempt();
            if (call.method.skips
                    && attempt instanceof Attempt.NotObtained<L> not
                    && not.reason().isBusy()) {
                wait.skipped(not);
                return call.instead(refusal(attempt));
            }
            leases = wanted.leases().apply(attempt.orElseThrow());
        } catch (Exception | Error e) {
            wait.failed(e);
            throw e;
        }
        List<Lease> left = new ArrayList<>(leases);
        try {
            while (!left.isEmpty()) {
                transactions.keep(left.get(0));
                left.remove(0);
            }
        } finally {
            left.forEach(Lease::release);
        }
        return call.run(leases, wait);
    }

    private static LockNotObtainedException refusal(Attempt<?> attempt) {
        try {
            attempt.orElseThrow();
        } catch (LockNotObtainedException e) {
            return e;
        }
        throw new IllegalStateException("it was obtained");
    }

    /** Renewal of a lease that nothing but the end of a call releases ends at the same time as that of scoped calls. */
    static DistributedLock bounded(DistributedLock lock) {
        LockOptions options = lock.options();
        return lock.with(options.withMaxHold(options.maxScopedHold()));
    }

    /** Whether nobody may be told of an outcome but that nothing was done: what is not clear is not one of those. */
    private static boolean isNothing(Throwable failure) {
        return failure instanceof LockNotObtainedException not && not.reason().isBusy();
    }

    private static <L> CompletableFuture<@Nullable Object> during(StagedRun run, Wanted<L> wanted)
            throws InterruptedException {
        return run.during(method ->
                wanted.lock().callAsync(obtained -> method.apply(wanted.leases().apply(obtained))));
    }

    private CompletionStage<@Nullable Object> staged(Call call) {
        CompletableFuture<@Nullable Object> asked;
        Observed wait = Observed.NOTHING;
        try {
            Wanted<?> wanted = call.as(call.byItself(), call.wanted());
            Observed begun = call.observed(wanted.first(), null);
            wait = begun;
            asked = during(run(call, begun), wanted);
        } catch (RuntimeException e) {
            wait.failed(e);
            return CompletableFuture.failedFuture(e);
        } catch (InterruptedException e) {
            wait.failed(e);
            return CompletableFuture.failedFuture(interrupted(call, "waiting for the lock", e));
        }
        Observed waiting = wait;
        if (!call.method.skips) {
            if (waiting != Observed.NOTHING) {
                asked.whenComplete((value, failure) -> {
                    if (failure != null) {
                        waiting.failed(failure); // unless it was obtained, and has failed since
                    }
                });
            }
            return asked;
        }
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        asked.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else if (!call.hasBegun() && isNothing(failure)) {
                waiting.skipped(failure);
                instead(call, (LockNotObtainedException) failure, result);
            } else {
                waiting.failed(failure);
                result.completeExceptionally(failure);
            }
        });
        result.whenComplete((value, failure) -> asked.cancel(false)); // withdraws a request that waits
        return result;
    }
}
