package io.holdfast.spring;

import io.holdfast.Attempt;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockNotObtainedException;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.StaleTokenException;
import java.time.Duration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * The lock is somebody else's: 409, and 429 if as many wait as may. The server of locks does not answer, or refuses: 503. With
 * {@code Retry-After} where it helps. Who holds a lock is nothing for callers.
 */
@RestControllerAdvice
@Order // after those of the application
final class Problems {
    private static final Duration LONGEST = Duration.ofMinutes(1);

    @ExceptionHandler
    ResponseEntity<ProblemDetail> notObtained(LockNotObtainedException e) {
        Attempt.Reason reason = e.reason();
        if (reason == Attempt.Reason.QUEUE_FULL) {
            return problem(HttpStatus.TOO_MANY_REQUESTS, "Too many requests already wait for this", 1, e);
        } else if (reason == Attempt.Reason.QUARANTINE || reason == Attempt.Reason.TOO_FEW_REPLICAS) {
            return problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks are unavailable at present", 1, e);
        }
        Duration left = e.contention().remaining();
        Duration wait = left.compareTo(LONGEST) > 0 ? LONGEST : left;
        boolean again = reason.isBusy() && reason != Attempt.Reason.DROPPED;
        return problem(
                HttpStatus.CONFLICT,
                "Another request is at work on this",
                again ? Math.max(1, wait.toSeconds()) : 0,
                e);
    }

    @ExceptionHandler({ServerUnreachableException.class, ServerRefusedException.class})
    ResponseEntity<ProblemDetail> unavailable(HoldfastException e) {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks are unavailable at present", 1, e);
    }

    @ExceptionHandler({LeaseLostException.class, StaleTokenException.class})
    ResponseEntity<ProblemDetail> lost(HoldfastException e) {
        return problem(HttpStatus.CONFLICT, "Another request has worked on this meanwhile", 0, e);
    }

    /** @param retryAfter in seconds; 0 for never */
    private static ResponseEntity<ProblemDetail> problem(
            HttpStatus status, String title, long retryAfter, HoldfastException e) {
        ProblemDetail problem = ProblemDetail.forStatus(status);
        problem.setTitle(title);
        problem.setProperty("code", e.code());
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(status);
        if (retryAfter > 0) {
            answer.header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfter));
        }
        return answer.body(problem);
    }
}
