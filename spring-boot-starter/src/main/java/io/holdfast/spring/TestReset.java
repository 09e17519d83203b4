package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.testkit.LeaseControl;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** After each test with {@link HoldfastTest}, the next one finds no locks. Only loaded by Spring's tests. */
final class TestReset implements TestExecutionListener, Ordered {
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE; // what comes last before a test comes first after it
    }

    @Override
    public void afterTestMethod(TestContext test) {
        if (TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), HoldfastTest.class)
                && test.hasApplicationContext()) {
            Reset.of(test.getApplicationContext());
        }
    }

    /** Names the testkit, which only such tests need. */
    private static final class Reset {
        static void of(ApplicationContext context) {
            LeaseControl control = context.getBean(LeaseControl.class);
            context.getBeanProvider(Holdfast.class).stream()
                    .findFirst()
                    .ifPresent(client -> TestBeans.reset(control, client));
        }
    }
}
