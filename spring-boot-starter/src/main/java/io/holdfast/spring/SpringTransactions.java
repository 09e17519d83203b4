package io.holdfast.spring;

import io.holdfast.Lease;
import java.lang.reflect.Method;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Spring's transactions of a thread. Only loaded where they are there. */
final class SpringTransactions implements ActiveTransactions {
    private final AnnotationTransactionAttributeSource attributes = new AnnotationTransactionAttributeSource(false);

    @Override
    public boolean isActive() {
        // What is called after its end still finds it, and can change nothing of it any more.
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    @Override
    public boolean isApart(Method method, Class<?> type) {
        TransactionAttribute attribute = attributes.getTransactionAttribute(method, type);
        return attribute != null
                && (attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                        || attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
    }

    @Override
    public boolean isBegun(Method method, Class<?> type) {
        return attributes.getTransactionAttribute(method, type) != null;
    }

    @Override
    public boolean isOf(Advisor advisor) {
        return advisor.getAdvice() instanceof TransactionInterceptor;
    }

    @Override
    public void keep(Lease lease) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                lease.requireValid();
            }

            @Override
            public void afterCompletion(int status) {
                lease.release();
            }
        });
    }

    /**
     * Has every transaction manager ask before a commit whether the leases of its thread are valid. What is thrown there has
     * the transaction rolled back. Not by a bean of the listener's type: only managers that Boot makes would be given it.
     */
    static final class CommitGuard implements BeanPostProcessor, TransactionExecutionListener {
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof ConfigurableTransactionManager manager) {
                manager.addListener(this);
            }
            return bean;
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            CurrentLease.requireAllValid();
        }
    }
}
