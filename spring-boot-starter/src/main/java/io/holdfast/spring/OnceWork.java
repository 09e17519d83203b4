package io.holdfast.spring;

import io.holdfast.Once;
import io.holdfast.OnceResult;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a method is done once, in place of under a lock.
 *
 * @param terms what the annotation says of it
 * @param results what becomes of results; null if calls that do not run it result in nothing
 */
record OnceWork(UnaryOperator<Once> terms, @Nullable Results results) {
    /**
     * Results that are recorded for all calls.
     *
     * @param type of the results
     * @param converter null for results that are nothing
     */
    record Results(LockedMethod method, Type type, @Nullable Supplier<ResultConverter> converter) {
        String write(@Nullable Object result) throws Exception {
            if (result == null) {
                return "";
            }
            String text = Objects.requireNonNull(converter).get().write(result, type);
            if (text.isEmpty()) {
                throw new IllegalStateException("the ResultConverter turned the result of " + method
                        + " into an empty text, which stands for null");
            }
            return text;
        }

        @Nullable
        Object read(String name, String text) {
            if (text.isEmpty()) {
                return null;
            }
            try {
                return Objects.requireNonNull(converter).get().read(text, type);
            } catch (Exception e) {
                throw new IllegalStateException(
                        "what is recorded for '" + name + "' is no result of " + method + ", which returns "
                                + type.getTypeName()
                                + ". Release the record to have the method run again, or give a new"
                                + " kind of result another name",
                        e);
            }
        }
    }

    /** The text to record for what a run returned. */
    String text(@Nullable Object returned) throws Exception {
        return results == null ? "" : results.write(returned);
    }

    /**
     * What a call returns that has not run the method.
     *
     * @param nothing if results are not recorded
     */
    @Nullable
    Object elsewhere(Once once, OnceResult result, @Nullable Object nothing) {
        if (results != null) {
            return results.read(once.name(), result.orElseThrow());
        }
        if (result instanceof OnceResult.Unknown unknown) {
            throw unknown.cause();
        }
        return nothing;
    }
}
