package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * The method of a bean runs under a lock, which is released when it has ended: outside of its transaction, and so after the
 * commit.
 *
 * <pre>{@code
 * @Locked("invoice/{#id}")
 * @Transactional
 * public Receipt book(String id) { … }
 * }</pre>
 *
 * <p><b>When it has ended.</b> If it returns a {@link java.util.concurrent.CompletionStage}, when that completes; the lock is
 * waited for without blocking, and the method runs on a thread of the client. If it returns a {@code Mono}, a {@code Flux} or
 * another type that Spring can adapt to them, each subscription asks for the lock, runs the method, and releases the lock when
 * what it returned ends or is cancelled. A {@code suspend} function of Kotlin has ended when it returns or throws, or when its caller is
 * cancelled; the lock is waited for without blocking. Otherwise when it returns.
 *
 * <p><b>If the lease is lost</b> while the method runs, a transaction that it has begun in its thread does not commit: it is
 * rolled back, and the call throws {@link io.holdfast.LeaseLostException}. If it ends without a transaction, the call throws
 * that too, with its result. What a {@code Mono} or {@code Flux} does is cancelled, and so is a
 * {@code suspend} function, whose caller gets that exception.
 *
 * <p><b>If it is not known</b> whether the lock was granted ({@link io.holdfast.ServerUnreachableException}), the method does not run.
 *
 * <p><b>The lease</b>, and with it the fencing token, is given to the method in a parameter of the type
 * {@link io.holdfast.Lease} for which the caller passes null, and is {@link CurrentLease#get()} in its thread. In a
 * {@code Mono} or {@code Flux} it is in the context, under the key {@code Lease.class}.
 *
 * <p><b>What fails the start of the application:</b> a name that cannot be computed, a private, final or static method, a
 * return type whose end cannot be seen. A call from within the bean itself ({@code this.book(id)}) is not seen by Spring, and
 * runs without the lock: call {@link io.holdfast.DistributedLock#call} there.
 *
 * <p>Durations are {@code 10s}, {@code 5m}, {@code PT10S} and the like; an empty one is what the properties
 * {@code holdfast.lock} and {@code holdfast.locks} say for the lock's name. All texts may have placeholders, {@code ${…}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(LockedReflection.class)
public @interface Locked {
    /**
     * The lock's name: text, with SpEL expressions in braces and placeholders. {@code #id} is the parameter {@code id}, for
     * which the class has to be compiled with {@code -parameters}; {@code #p0} is the first one in any case. Each expression
     * has to result in a text, number, enum or other plain value; null or nothing fails the call. There is no default: a name
     * made of those of class and method would be another one after the next refactoring.
     *
     * <p>Several names are several locks, of which the method has all, or it does not run; see {@link io.holdfast.LockSet}. The wait counts for all
     * of them together. Names that turn out the same are one lock. {@link CurrentLease#all()} has their leases. Not for a {@code Mono} or
     * {@code Flux}, nor with {@link #fenced()}.
     */
    String[] value();

    /**
     * What is asked for under the name: the lock that is held alone, or one side of a read/write lock, which is another lock, though of
     * the same name. See {@link io.holdfast.DistributedReadWriteLock}.
     */
    Access access() default Access.EXCLUSIVE;

    /**
     * In place of a lock, permits of a semaphore: {@code 1/5} runs the method if no more than five of these are out then, {@code 2/5} takes
     * two of them. See {@link io.holdfast.DistributedSemaphore}.
     */
    String permits() default "";

    /**
     * The group of the request, such as a tenant, among which the lock or the permits are shared fairly: a text as that of {@link #value()}.
     * A part that is null or empty fails the call. See {@link io.holdfast.LockOptions#withGroup(String, int)}, which says what a group goes
     * together with; what contradicts it fails the start. Empty for no group.
     */
    String group() default "";

    /**
     * How much of the lock the group gets, beside a group of weight 1: a text as that of {@link #value()} which results in a number from 1
     * to 100. Any other number fails the call. Empty for 1. Only with {@link #group()}.
     */
    String groupWeight() default "";

    /** How long to wait for the lock: a duration, {@code 0} for not at all, or {@code forever}. */
    String waitLimit() default "";

    /** How long the lease lasts without renewal; see {@link io.holdfast.LockOptions#withLeaseDuration}. */
    String leaseDuration() default "";

    /** When renewal stops, although the method runs; see {@link io.holdfast.LockOptions#withMaxScopedHold}. */
    String maxScopedHold() default "";

    /** Until when the lock stays taken at least; see {@link io.holdfast.LockOptions#withMinHold}. */
    String minHold() default "";

    /**
     * How long before the end of the lease the thread of the method is interrupted; see
     * {@link io.holdfast.LockOptions#withInterruptBefore}. For methods that block only.
     */
    String interruptBefore() default "";

    /**
     * What the call does if the lock is not free, or not in time: after {@link #waitLimit()}, also where it skips.
     */
    IfTaken ifTaken() default IfTaken.THROW;

    /**
     * The name of a method of the same class that is called then, and whose result the call has: with the same parameters, and, if it wants to
     * know why, a last one of the type {@link io.holdfast.LockNotObtainedException}. Not for a {@code Mono} or {@code Flux}, which has operators for that.
     */
    String fallback() default "";

    /**
     * Whether the method's transaction begins with the check of a {@link io.holdfast.fencing.JdbcFence} (the bean of that type,
     * or the default one) for the lock's name, so that it fails if a newer holder has been there. Needs {@code holdfast-fencing},
     * one {@code DataSource}, and {@code @Transactional} at the method; for methods that block only.
     */
    boolean fenced() default false;

    /** The name of the bean of the type {@link io.holdfast.Holdfast}, where there are several. */
    String client() default "";

    /** What is asked for under a name. */
    enum Access {
        /** The lock of that name, which is held alone. */
        EXCLUSIVE,
        /** The read/write lock of that name, beside other readers. */
        READ,
        /** The read/write lock of that name, alone. */
        WRITE
    }
}
