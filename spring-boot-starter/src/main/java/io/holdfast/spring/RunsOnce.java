package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * The method runs once, although several instances call it at about the same time: the first of them runs it, and the
 * others skip it, also those that come when it has ended: in the same slot of time ({@link #per()}), or until {@link #minHold()} is over. One
 * of the two is given. For scheduled methods.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 2 * * *")
 * @RunsOnce(value = "nightly-report", per = "day")
 * public void report() { … }
 * }</pre>
 *
 * <p>A {@link Locked} that does not wait, and skips; all that is said there holds.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Locked(value = "", waitLimit = "0", ifTaken = IfTaken.SKIP)
public @interface RunsOnce {
    /** The lock's name; see {@link Locked#value()}. */
    @AliasFor(annotation = Locked.class, attribute = "value")
    String value();

    /**
     * Once in each slot of time, by the server's clock: a duration such as {@code 1h}, or {@code day}, of the default time zone of this
     * JVM. That it ran is recorded when it has returned: a method that throws is run again by the next call in the same slot. See
     * {@link io.holdfast.Once#per}. A method that returns a {@code Mono} or {@code Flux} has no slots, and one that is called within a
     * transaction is refused: the record would be there before that commits.
     */
    String per() default "";

    /**
     * How often the method runs at most for one slot while it throws, or its process dies; 0 for any number, up to 1,000. Then it is given up:
     * calls skip it, as if it had run. See {@link io.holdfast.Once#withTries}.
     */
    int tries() default 0;

    /**
     * The time from the start of a run in which no other instance runs the method, even if the run ends earlier. Choose more
     * than the difference of the instances' clocks, and less than the time to the next run.
     */
    @AliasFor(annotation = Locked.class, attribute = "minHold")
    String minHold() default "";

    /** How long the lease lasts without renewal: after so long another instance may run it if this one has died. */
    @AliasFor(annotation = Locked.class, attribute = "leaseDuration")
    String leaseDuration() default "";

    /** The name of the bean of the type {@link io.holdfast.Holdfast}, where there are several. */
    @AliasFor(annotation = Locked.class, attribute = "client")
    String client() default "";
}
