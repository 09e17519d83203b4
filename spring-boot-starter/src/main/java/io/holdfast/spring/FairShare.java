package io.holdfast.spring;

import io.holdfast.LockOptions;
import java.lang.reflect.Method;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** Of which group the requests of a method are, and with which weight, as an annotation says. */
final class FairShare {
    private final NameTemplate group;
    private final @Nullable NameTemplate weight; // null for 1

    private FairShare(NameTemplate group, @Nullable NameTemplate weight) {
        this.group = group;
        this.weight = weight;
    }

    /**
     * Reads what an annotation says; null if it names no group.
     *
     * @throws IllegalArgumentException if it is wrong; the message says what
     */
    static @Nullable FairShare of(
            Locked annotation, Method method, BeanFactory beans, UnaryOperator<String> placeholders) {
        if (annotation.group().isEmpty()) {
            if (!annotation.groupWeight().isEmpty()) {
                throw new IllegalArgumentException("it has a groupWeight, and no group");
            }
            return null;
        }
        FairShare share = new FairShare(
                new NameTemplate("group", annotation.group(), method, beans, placeholders),
                annotation.groupWeight().isEmpty()
                        ? null
                        : new NameTemplate("groupWeight", annotation.groupWeight(), method, beans, placeholders));
        var unused = share.sample().apply(LockOptions.defaults());
        return share;
    }

    /** What a call asks with. */
    UnaryOperator<LockOptions> of(Object target, @Nullable Object[] arguments) {
        String name = group.name(target, arguments);
        int number = weight == null ? 1 : number(weight.name(target, arguments));
        return options -> options.withGroup(name, number);
    }

    /** What calls ask with, as far as that can be known before one. */
    UnaryOperator<LockOptions> sample() {
        int number = weight == null || !weight.isFixed() ? 1 : number(weight.sample());
        return options -> options.withGroup(group.sample(), number);
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "groupWeight is '" + text + "', must be a number from 1 to " + LockOptions.MAX_GROUP_WEIGHT, e);
        }
    }
}
