package io.holdfast.spring;

import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockNotObtainedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.StaleTokenException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.support.PersistenceExceptionTranslator;

/**
 * What locks tell, in the words of Spring's data access: all of them are a {@link ConcurrencyFailureException} but that the server did not
 * answer. Spring asks it for the exceptions of repositories ({@code @Repository}); others can ask it by themselves.
 */
final class ExceptionTranslation implements PersistenceExceptionTranslator {
    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException e) {
        if (e instanceof LockNotObtainedException) {
            return new CannotAcquireLockException(e.getMessage(), e);
        } else if (e instanceof LeaseLostException) {
            return new PessimisticLockingFailureException(e.getMessage(), e);
        } else if (e instanceof StaleTokenException) {
            return new OptimisticLockingFailureException(e.getMessage(), e); // a newer one has been there
        } else if (e instanceof ServerUnreachableException) {
            return new QueryTimeoutException(e.getMessage(), e); // transient: to be tried again
        }
        return e instanceof HoldfastException ? new ConcurrencyFailureException(e.getMessage(), e) : null;
    }
}
