package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.ProxyRules;
import io.holdfast.spring.DoneOnce;
import io.holdfast.spring.Locked;
import io.holdfast.spring.RunsOnce;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The guide's rule finds calls that pass no proxy, whichever annotation the method has. */
final class SelfCallTest {
    static class OfLocked {
        @Locked("a")
        public void work() {}

        void all() {
            work();
        }
    }

    static class OfRunsOnce {
        @RunsOnce(value = "a", minHold = "1m")
        public void work() {}

        void all() {
            this.work();
        }
    }

    static class OfDoneOnce {
        @DoneOnce("a")
        public void work() {}

        void all() {
            this.work();
        }
    }

    static class OfOthers {
        @Locked("a")
        public void work() {}

        void all(OfLocked other) {
            other.work();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfLocked.class, OfRunsOnce.class, OfDoneOnce.class, OfOthers.class})
    void rule_callWithinTheBean_isFound(Class<?> bean) {
        boolean found = ProxyRules.no_classes_should_directly_call_other_methods_declared_in_the_same_class_that(
                        CanBeAnnotated.Predicates.metaAnnotatedWith(Locked.class))
                .evaluate(new ClassFileImporter().importClasses(bean, OfLocked.class))
                .getFailureReport()
                .getDetails()
                .stream()
                .anyMatch(line -> line.contains(bean.getSimpleName() + ".all("));
        assertEquals(bean != OfOthers.class, found);
    }
}
