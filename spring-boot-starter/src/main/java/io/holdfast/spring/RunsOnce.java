package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs the annotated method once, although several instances call it at about the same time. The first instance runs it, and
 * the others skip it. Calls that come after its end skip it, too: in the same slot of time ({@link #per()}), or until
 * {@link #minHold()} is over. Give one of these two. For scheduled methods.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 2 * * *")
 * @RunsOnce(value = "nightly-report", per = "day")
 * public void report() { … }
 * }</pre>
 *
 * <p>This is a {@link Locked} that does not wait, and skips. Everything that is said there applies.
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
     * The slot of time in which the method runs once, by the server's clock: a duration such as {@code 1h}, or {@code day}, which
     * is a day of this JVM's default time zone. The run is recorded when the method has returned. If it throws, the next call in
     * the same slot runs it again. See {@link io.holdfast.Once#per}. A method that returns a {@code Mono} or {@code Flux} cannot
     * have slots. A call within a transaction is refused, because the record would exist before the transaction commits.
     */
    String per() default "";

    /**
     * The maximum number of runs for one slot while the method throws, or its process dies: 1 to 1,000, or 0 for no limit. After
     * that many runs, calls skip the method, as if it had run. Has no effect without {@link #per()}. See
     * {@link io.holdfast.Once#withTries}.
     */
    int tries() default 0;

    /**
     * The time from the start of a run in which no other instance runs the method, even if the run ends earlier. It should be
     * longer than the difference of the instances' clocks, and shorter than the time to the next run.
     */
    @AliasFor(annotation = Locked.class, attribute = "minHold")
    String minHold() default "";

    /** How long the lease lasts without renewal: if this instance dies, another may run the method after this time. */
    @AliasFor(annotation = Locked.class, attribute = "leaseDuration")
    String leaseDuration() default "";

    /** The name of the bean of the type {@link io.holdfast.Holdfast}, if there are several. */
    @AliasFor(annotation = Locked.class, attribute = "client")
    String client() default "";
}
