package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * The method runs once for a name, among all instances, and every call returns what that run returned: the first call runs it, those
 * that come meanwhile wait for its end, and later ones have the record, for as long as that is {@linkplain #keep() kept}. An idempotency key.
 *
 * <pre>{@code
 * @DoneOnce("invoice/{#id}")
 * public Receipt send(String id) { … }
 * }</pre>
 *
 * <p>The result is recorded on the server as text, of at most 16,384 characters when encoded for a URL, by the {@link ResultConverter} of the
 * application. A method that throws leaves no record, and the next call runs it. See {@link io.holdfast.Once}, also for what this is not:
 * effects that happen exactly once.
 *
 * <p>A call fails with {@link io.holdfast.LockTimeoutException} if another was at it for longer than {@link #waitLimit()}, and with
 * {@link io.holdfast.ServerUnreachableException} if the server does not say whether it was done; the method was not run then. A method
 * that is called within a transaction is refused: the record would be there before that commits. The method returns its result, or a
 * {@code CompletionStage} of it, and no {@code Mono} or {@code Flux}.
 *
 * <p>A {@link Locked} with a record; all that is said there of names, durations and the lease holds.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Locked("")
public @interface DoneOnce {
    /** The name under which it is done once, with the part that distinguishes this call from others; see {@link Locked#value()}. */
    @AliasFor(annotation = Locked.class, attribute = "value")
    String value();

    /** For how long the result is kept from the end of the run; the method can run again afterwards. */
    String keep() default "24h";

    /**
     * How often the method runs at most for one name while it throws, or its process dies; 0 for any number, up to 1,000. Then it is given up:
     * calls fail with {@link io.holdfast.LockRefusedException}, until the record of that is over. See {@link io.holdfast.Once#withTries}.
     */
    int tries() default 0;

    /** How long to wait for another that is at it: a duration, {@code 0} for not at all, or {@code forever}. */
    @AliasFor(annotation = Locked.class, attribute = "waitLimit")
    String waitLimit() default "";

    /** How long the lease lasts without renewal: after so long another instance may run it if this one has died. */
    @AliasFor(annotation = Locked.class, attribute = "leaseDuration")
    String leaseDuration() default "";

    /** When renewal stops, although the method runs; see {@link io.holdfast.LockOptions#withMaxScopedHold}. */
    @AliasFor(annotation = Locked.class, attribute = "maxScopedHold")
    String maxScopedHold() default "";

    /** The name of the bean of the type {@link io.holdfast.Holdfast}, where there are several. */
    @AliasFor(annotation = Locked.class, attribute = "client")
    String client() default "";
}
