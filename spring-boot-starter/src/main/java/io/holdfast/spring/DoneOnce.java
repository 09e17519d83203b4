package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs the annotated method once for a name, among all instances; every call returns the result of that run. The first call
 * runs the method, and calls that come meanwhile wait for its end. Later calls return the recorded result, for as long as it is
 * {@linkplain #keep() kept}. The name is an idempotency key.
 *
 * <pre>{@code
 * @DoneOnce("invoice/{#id}")
 * public Receipt send(String id) { … }
 * }</pre>
 *
 * <p>The application's {@link ResultConverter} writes the result as text, which is recorded on the server. It has at most 16,384
 * characters when encoded for a URL. A method that throws leaves no record, and the next call runs it. This does not make
 * effects happen exactly once; see {@link io.holdfast.Once}.
 *
 * <p>A call fails with {@link io.holdfast.LockTimeoutException} if another run took longer than {@link #waitLimit()}. It fails
 * with {@link io.holdfast.ServerUnreachableException} if the server does not answer. In both cases the method did not run. A
 * call within a transaction is refused, because the record would exist before the transaction commits. The method returns its
 * result or a {@code CompletionStage} of it; it must not return a {@code Mono} or {@code Flux}.
 *
 * <p>This is a {@link Locked} with a record. Everything that is said there about names, durations and the lease applies.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Locked("")
public @interface DoneOnce {
    /** The name for which the method runs once, including the part that distinguishes calls; see {@link Locked#value()}. */
    @AliasFor(annotation = Locked.class, attribute = "value")
    String value();

    /** How long the result is kept, from the end of the run; afterwards the method can run again. */
    String keep() default "24h";

    /**
     * The maximum number of runs for one name while the method throws, or its process dies: 1 to 1,000, or 0 for no limit. After
     * that many runs, calls fail with {@link io.holdfast.LockRefusedException} until the record of this has expired. See
     * {@link io.holdfast.Once#withTries}.
     */
    int tries() default 0;

    /** How long to wait for another run to end: a duration, {@code 0} not to wait, or {@code forever}. */
    @AliasFor(annotation = Locked.class, attribute = "waitLimit")
    String waitLimit() default "";

    /** How long the lease lasts without renewal: if this instance dies, another may run the method after this time. */
    @AliasFor(annotation = Locked.class, attribute = "leaseDuration")
    String leaseDuration() default "";

    /**
     * The time after which renewal stops, even if the method still runs; see {@link io.holdfast.LockOptions#withMaxScopedHold}.
     */
    @AliasFor(annotation = Locked.class, attribute = "maxScopedHold")
    String maxScopedHold() default "";

    /** The name of the bean of the type {@link io.holdfast.Holdfast}, if there are several. */
    @AliasFor(annotation = Locked.class, attribute = "client")
    String client() default "";
}
