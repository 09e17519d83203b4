package io.holdfast.spring;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockNotObtainedException;
import io.holdfast.Once;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** One call of a method with an annotation, or, for each subscription to what it returned, one of its runs. */
final class Call {
    private static final int LONGEST_NAME = 60;
    private static final AtomicLong CALLS = new AtomicLong();

    final LockedMethod method;
    final Object target;
    private final LockedMethods methods;
    private final ProxyMethodInvocation invocation;
    private final @Nullable Object[] arguments;
    private final WaitObserver observer;
    private volatile boolean begun;

    Call(
            LockedMethods methods,
            LockedMethod method,
            ProxyMethodInvocation invocation,
            Object target,
            WaitObserver observer) {
        this.methods = methods;
        this.method = method;
        this.invocation = invocation;
        this.target = target;
        this.observer = observer;
        this.arguments = invocation.getArguments().clone();
    }

    /**
     * What it asks for. To be called once: names may be computed by beans.
     *
     * @throws IllegalArgumentException if a name cannot be computed
     */
    Wanted<?> wanted() {
        Holdfast client = methods.client(method);
        return Wanted.of(client, method.locks(client, target, arguments));
    }

    /** The same, each lock of which is asked for in another way. */
    Wanted<?> as(UnaryOperator<DistributedLock> way, Wanted<?> wanted) {
        return wanted.each(methods.client(method), way);
    }

    /**
     * How a call asks that does not block: by an actor of its own, since its thread is somebody else's a moment later, who would
     * enter what this call holds.
     */
    UnaryOperator<DistributedLock> byItself() {
        String actor = actor();
        return lock -> lock.withDefaultActor(actor);
    }

    /** The lock of a method that has one, asked for by this call alone. */
    DistributedLock lockOfItsOwn() {
        return byItself()
                .apply(method.locks(methods.client(method), target, arguments).get(0));
    }

    private String actor() {
        String name = method.method.getName();
        return name.substring(0, Math.min(name.length(), LONGEST_NAME)) + "#" + CALLS.incrementAndGet();
    }

    /** What is done once, in place of under a lock; asked for by this call alone if it does not block. */
    Once once(OnceWork work) {
        Once once = method.once(work, methods.client(method), target, arguments);
        return method.end == LockedMethod.End.STAGE ? once.withDefaultActor(actor()) : once;
    }

    /**
     * A wait for the lock begins.
     *
     * @param parent to which observation it belongs; null for that of the present thread
     */
    WaitObserver.Observed observed(DistributedLock lock, @Nullable Object parent) {
        return observer.begin(method, lock, parent);
    }

    /** Runs the method. What it throws is passed on as it is. */
    @Nullable
    Object run(List<Lease> leases, WaitObserver.Observed wait) throws Exception {
        begun = true;
        wait.obtained(leases.get(0));
        // A clone, since a subscription may come when the call has long returned, and more than one may come.
        ProxyMethodInvocation own =
                (ProxyMethodInvocation) invocation.invocableClone(method.withLease(arguments, leases.get(0)));
        try {
            // Advice further inside may look for the invocation of its thread, which need not be the caller's.
            return CurrentLease.during(leases, () -> ExposeInvocationInterceptor.INSTANCE.invoke(own));
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("neither an exception nor an error: " + e, e);
        }
    }

    /** Runs a method that returns a stage. */
    @SuppressWarnings("unchecked") // that is what the method returns
    CompletionStage<@Nullable Object> runStage(List<Lease> leases, WaitObserver.Observed wait) {
        try {
            Object stage = run(leases, wait);
            return stage == null
                    ? CompletableFuture.failedFuture(new NullPointerException(method + " returned null"))
                    : (CompletionStage<@Nullable Object>) stage;
        } catch (Exception | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** As {@link LockedMethod#instead}. */
    @Nullable
    Object instead(LockNotObtainedException why) throws Exception {
        return method.instead(target, arguments, why);
    }

    /** Whether the method was run. */
    boolean hasBegun() {
        return begun;
    }
}
