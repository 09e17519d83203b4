package io.holdfast.spring;

import io.holdfast.fencing.JdbcFence;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Checks the fence first in the transaction of a fenced method. Only loaded where fences and Spring's JDBC are there. */
final class FenceInterceptor implements MethodInterceptor {
    private final ListableBeanFactory beans;
    private final LockedMethods methods;

    FenceInterceptor(ListableBeanFactory beans, LockedMethods methods) {
        this.beans = beans;
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "a bean without a target");
        LockedMethod method = methods.of(invocation.getMethod(), AopUtils.getTargetClass(target));
        if (method != null && method.fenced) {
            check(method);
        }
        return invocation.proceed();
    }

    private void check(LockedMethod method) {
        DataSource database = beans.getBean(DataSource.class);
        JdbcFence fence = beans.getBeanProvider(JdbcFence.class).getIfAvailable(JdbcFence::defaults);
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(method + " is fenced, but no transaction is active");
        }
        Connection connection = DataSourceUtils.getConnection(database);
        try {
            if (!DataSourceUtils.isConnectionTransactional(connection, database)) {
                throw new IllegalStateException(method
                        + " is fenced, but its transaction does not belong to the data source: the fence must be checked"
                        + " in the transaction that writes");
            }
            fence.check(connection, CurrentLease.get());
        } catch (SQLException e) {
            DataAccessException known = new SQLExceptionSubclassTranslator().translate("check of a fence", null, e);
            throw known == null ? new UncategorizedSQLException("check of a fence", null, e) : known;
        } finally {
            DataSourceUtils.releaseConnection(connection, database);
        }
    }
}
