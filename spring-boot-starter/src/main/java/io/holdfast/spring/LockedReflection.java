package io.holdfast.spring;

import java.lang.reflect.Method;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** What a native image has to keep of a method with an annotation: itself, and the one that is called instead. */
final class LockedReflection extends SimpleReflectiveProcessor {
    @Override
    protected void registerMethodHint(ReflectionHints hints, Method method) {
        super.registerMethodHint(hints, method);
        Locked annotation = AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
        if (annotation == null || annotation.fallback().isEmpty()) {
            return;
        }
        for (Method other : ReflectionUtils.getAllDeclaredMethods(method.getDeclaringClass())) {
            if (other.getName().equals(annotation.fallback())) {
                hints.registerMethod(other, ExecutableMode.INVOKE);
            }
        }
    }
}
