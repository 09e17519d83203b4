package io.holdfast.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.util.ClassUtils;

/** Changes the contexts of tests with {@link HoldfastTest}. Only loaded by Spring's tests. */
final class TestContexts implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        if (!TestContextAnnotationUtils.hasAnnotation(testClass, HoldfastTest.class)) {
            return null;
        }
        if (!ClassUtils.isPresent("io.holdfast.testkit.LeaseControl", TestContexts.class.getClassLoader())) {
            throw new IllegalStateException(testClass.getName()
                    + " has @HoldfastTest, but io.holdfast:holdfast-testkit is not on the class path: add it to the tests'"
                    + " dependencies");
        }
        return new InMemory();
    }

    /** Equal to all of its kind: contexts that differ in nothing else are shared by tests. */
    private record InMemory() implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            context.addBeanFactoryPostProcessor(new TestBeans());
        }
    }
}
