package io.holdfast;

import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The values of one set of options. Immutable. {@link LockOptions} and the other sets declare each option once, by their
 * {@link Kind}. This class has what all sets have in common: reading and changing a value, equality, and the text.
 */
final class Options {
    /**
     * One option, declared in a constant. It is a record, because the JVM treats the fields of a record in a constant as
     * constants too: reading an option is reading an element of an array.
     *
     * @param optional whether it may be null
     * @param callers whether it is an object of the caller's, whose text is not shown: it may contain a password
     */
    record Option<V>(int index, String name, @Nullable V byDefault, boolean optional, boolean callers) {}

    /** The options of one type of set, in the order in which a text shows them. */
    static final class Kind {
        private final List<Option<?>> declared = new ArrayList<>();

        /** Declares an option that always has a value. */
        <V> Option<V> option(String name, V byDefault) {
            return declare(new Option<>(declared.size(), name, byDefault, false, false));
        }

        /** Declares an option that may be null, which means that there is none. */
        <V> Option<V> optional(String name, @Nullable V byDefault) {
            return declare(new Option<>(declared.size(), name, byDefault, true, false));
        }

        /** Declares an object of the caller's, or null; a text shows only that it is present. */
        <V> Option<V> callers(String name, @Nullable V byDefault) {
            return declare(new Option<>(declared.size(), name, byDefault, true, true));
        }

        private <V> Option<V> declare(Option<V> option) {
            declared.add(option);
            return option;
        }

        /** Returns the set with the default of each declared option. */
        Options defaults() {
            @Nullable Object[] values = new Object[declared.size()];
            for (Option<?> option : declared) {
                values[option.index] = option.byDefault;
            }
            return new Options(List.copyOf(declared), values);
        }
    }

    private final List<Option<?>> declared;
    private final @Nullable Object[] values;
    private int hash; // 0 until it is asked for; threads that meet here compute the same

    private Options(List<Option<?>> declared, @Nullable Object[] values) {
        this.declared = declared;
        this.values = values;
    }

    /** Returns the value of an option; null only if the option is optional. */
    @SuppressWarnings("unchecked") // it is the option's default, or came in by with()
    <V> V get(Option<V> option) {
        return (V) values[option.index];
    }

    /** Returns a copy with another value of one option. */
    <V> Options with(Option<V> option, @Nullable V value) {
        if (value == null && !option.optional) {
            throw new NullPointerException(option.name + " is null");
        }
        @Nullable Object[] changed = values.clone();
        changed[option.index] = value;
        return new Options(declared, changed);
    }

    /** Returns a copy with a duration between two bounds, or null if the option is optional. */
    Options with(Option<Duration> option, @Nullable Duration value, Duration least, Duration most) {
        return with(option, value == null ? null : Require.between(option.name, value, least, most));
    }

    /** Returns a copy with a number between two bounds. */
    Options with(Option<Integer> option, int value, int least, int most) {
        return with(option, Require.between(option.name, value, least, most));
    }

    /** Returns a copy with zero, or a duration from a millisecond to the given maximum. */
    Options withZeroOrUpTo(Option<Duration> option, Duration value, Duration most) {
        return with(option, Require.zeroOrUpTo(option.name, value, most));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof Options that && Arrays.equals(values, that.values));
    }

    @Override
    public int hashCode() {
        if (hash == 0) {
            hash = Arrays.hashCode(values);
        }
        return hash;
    }

    /** Returns these options, and all that differ from the defaults, by their names. */
    String text(String type, Option<?>... always) {
        List<String> shown = new ArrayList<>();
        for (Option<?> option : declared) {
            Object value = values[option.index];
            boolean wanted = Stream.of(always).anyMatch(one -> one.index == option.index);
            if (wanted || !Objects.equals(value, option.byDefault)) {
                if (value instanceof Boolean yes) {
                    shown.add(option.name + (yes ? " on" : " off"));
                } else {
                    shown.add(option.callers ? option.name : option.name + " " + LogText.text(String.valueOf(value)));
                }
            }
        }
        return type + "[" + String.join(", ", shown) + "]";
    }
}
