package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs the annotated method of a bean under a lock. The lock is released when the method has ended: outside of its
 * transaction, and so after the commit.
 *
 * <pre>{@code
 * @Locked("invoice/{#id}")
 * @Transactional
 * public Receipt book(String id) { … }
 * }</pre>
 *
 * <p><b>The end of the method</b> depends on what it returns:
 * <ul>
 *   <li>A {@link java.util.concurrent.CompletionStage}: it ends when the stage completes. The call waits for the lock without
 *       blocking. The method runs on a thread of the client, or of the executor that the property
 *       {@code holdfast.annotations.executor} names. With {@code @Async}, the thread of the asynchronous call waits and runs
 *       the method.
 *   <li>A {@code Mono}, a {@code Flux} or another type that Spring can adapt to them: each subscription requests the lock, runs
 *       the method, and releases the lock when the returned publisher ends or is cancelled.
 *   <li>A {@code suspend} function of Kotlin ends when it returns or throws, or when its caller is cancelled. The call waits for
 *       the lock without blocking.
 *   <li>Any other method ends when it returns or throws.
 * </ul>
 *
 * <p><b>If the lease is lost</b> while the method runs, a transaction that it has begun in its thread is rolled back, and the
 * call throws {@link io.holdfast.LeaseLostException}. If the method ends without a transaction, the call throws that exception,
 * too, with the method's result. A {@code Mono} or {@code Flux} is cancelled. A {@code suspend} function is cancelled, and its
 * caller gets that exception.
 *
 * <p><b>If the outcome is unknown</b> ({@link io.holdfast.ServerUnreachableException}), the method does not run.
 *
 * <p><b>The lease</b>, and with it the fencing token, is passed to the method in a parameter of the type
 * {@link io.holdfast.Lease}, for which the caller passes null. In the method's thread, {@link CurrentLease#get()} returns it. In
 * a {@code Mono} or {@code Flux} it is in the context, under the key {@code Lease.class}.
 *
 * <p><b>The application does not start</b> if a name cannot be computed, if the method is private, final or static, or if it has
 * a return type whose end cannot be observed. Spring does not see a call from within the bean itself
 * ({@code this.book(id)}), which runs without the lock: call {@link io.holdfast.DistributedLock#call} there.
 *
 * <p>Durations have forms such as {@code 10s}, {@code 5m} and {@code PT10S}. If one is empty, the properties
 * {@code holdfast.lock} and {@code holdfast.locks} give the value for the lock's name. All texts except {@link #fallback()} may
 * contain placeholders, {@code ${…}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(LockedReflection.class)
public @interface Locked {
    /**
     * The lock's name: a text that may contain placeholders, and SpEL expressions in braces. {@code #id} is the parameter
     * {@code id}; for that the class must be compiled with {@code -parameters}. {@code #p0} is always the first parameter. Each
     * expression must result in a text, number, enum or other plain value; if the result is null or empty, the call fails. There
     * is no default, because a name made from class and method would change with a refactoring.
     *
     * <p>Several names are several locks. The method runs only if all of them are obtained; see {@link io.holdfast.LockSet}. The
     * wait is for all of them together. If two names are equal once they are computed, they are one lock.
     * {@link CurrentLease#all()} returns the leases. Several names are not allowed for a {@code Mono} or {@code Flux}, for a
     * {@code suspend} function, for a method with a parameter for the lease, nor with {@link #fenced()}.
     */
    String[] value();

    /**
     * The kind of lock: the exclusive lock, or one side of a read/write lock. These are different locks, even if they have the
     * same name. See {@link io.holdfast.DistributedReadWriteLock}.
     */
    Access access() default Access.EXCLUSIVE;

    /**
     * Permits of a semaphore instead of a lock. {@code 1/5} takes one permit of a semaphore with a limit of five permits, and
     * {@code 2/5} takes two. See {@link io.holdfast.DistributedSemaphore}.
     */
    String permits() default "";

    /**
     * The group of the request, such as a tenant: a text as for {@link #value()}; empty for no group. The lock or the permits are
     * shared fairly among groups. If an expression is null or empty, the call fails. If another option cannot be combined with a
     * group (see {@link io.holdfast.LockOptions#withGroup(String, int)}), the application does not start.
     */
    String group() default "";

    /**
     * The share of the lock that the group gets, relative to a group of weight 1: a text as for {@link #value()}. It must result
     * in a number from 1 to 100. If it does not, the call fails, or the application does not start if the text has no
     * expression. Empty for 1. Only with {@link #group()}.
     */
    String groupWeight() default "";

    /** How long to wait for the lock: a duration, {@code 0} not to wait, or {@code forever}. */
    String waitLimit() default "";

    /** How long the lease lasts without renewal; see {@link io.holdfast.LockOptions#withLeaseDuration}. */
    String leaseDuration() default "";

    /**
     * The time after which renewal stops, even if the method still runs; see {@link io.holdfast.LockOptions#withMaxScopedHold}.
     */
    String maxScopedHold() default "";

    /** The minimum time for which the lock stays taken; see {@link io.holdfast.LockOptions#withMinHold}. */
    String minHold() default "";

    /**
     * How long before the end of the lease the thread of the method is interrupted; see
     * {@link io.holdfast.LockOptions#withInterruptBefore}. Only for methods that block.
     */
    String interruptBefore() default "";

    /**
     * The outcome of the call if the lock was not free in time. {@link IfTaken#SKIP}, too, first waits for
     * {@link #waitLimit()}.
     */
    IfTaken ifTaken() default IfTaken.THROW;

    /**
     * The name of a method of the same class that is called if the lock was not free in time, where {@link IfTaken#SKIP} would
     * skip; the call returns its result. It has the same parameters, and may have a last one of the type
     * {@link io.holdfast.LockNotObtainedException}, which gives the reason. Not for a {@code Mono} or {@code Flux}, which has
     * operators for that, nor for a {@code suspend} function.
     */
    String fallback() default "";

    /**
     * Whether the method's transaction begins with the check of a {@link io.holdfast.fencing.JdbcFence} for the lock's name, so
     * that it fails if a newer holder has checked before. The fence is the bean of that type, or the default one. Needs
     * {@code holdfast-fencing}, one {@code DataSource}, and {@code @Transactional} at the method. Only for methods that block.
     */
    boolean fenced() default false;

    /** The name of the bean of the type {@link io.holdfast.Holdfast}, if there are several. */
    String client() default "";

    /** The kind of lock that a name stands for. */
    enum Access {
        /** The exclusive lock of that name. */
        EXCLUSIVE,
        /** The read lock of the read/write lock of that name, which other readers may hold at the same time. */
        READ,
        /** The write lock of the read/write lock of that name, which is held alone. */
        WRITE
    }
}
