package io.holdfast.spring;

import io.holdfast.Lease;
import java.lang.reflect.Method;
import org.springframework.aop.Advisor;

/** The transaction of the present thread, if there can be any. */
interface ActiveTransactions {
    /** Where there is no Spring that has transactions. */
    ActiveTransactions NONE = new ActiveTransactions() {
        @Override
        public boolean isActive() {
            return false;
        }

        @Override
        public boolean isApart(Method method, Class<?> type) {
            return false;
        }

        @Override
        public boolean isBegun(Method method, Class<?> type) {
            return false;
        }

        @Override
        public boolean isOf(Advisor advisor) {
            return false;
        }

        @Override
        public void keep(Lease lease) {
            throw new IllegalStateException("no transaction is active");
        }
    };

    /** Whether one is active. */
    boolean isActive();

    /** Whether a method leaves the active one aside, as one with a transaction of its own does. */
    boolean isApart(Method method, Class<?> type);

    /** Whether a method begins one by its annotation, or goes on with the active one. */
    boolean isBegun(Method method, Class<?> type);

    /** Whether it is this advice that begins and ends them. */
    boolean isOf(Advisor advisor);

    /** Releases a lease when the active one has ended; it does not commit if the lease is lost. */
    void keep(Lease lease);
}
