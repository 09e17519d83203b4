package io.holdfast.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server's answer: nothing, a whole number, a text (bulk or status, UTF-8) or a list of replies. Immutable.
 *
 * <p>The accessors throw {@link IllegalStateException} if the reply is of another kind than the requested one.
 */
public final class Reply {
    private static final Reply NULL = new Reply(null);

    private final @Nullable Object value;

    private Reply(@Nullable Object value) {
        this.value = value;
    }

    /** Returns the null reply. */
    public static Reply ofNull() {
        return NULL;
    }

    /** Returns a reply that is a number. */
    public static Reply of(long value) {
        return new Reply(value);
    }

    /** Returns a reply that is a text. */
    public static Reply of(String value) {
        return new Reply(value);
    }

    /** Returns a reply that is a list of replies. The list is copied. */
    public static Reply of(List<Reply> value) {
        return new Reply(List.copyOf(value));
    }

    /** Returns whether the server answered with nothing. */
    public boolean isNull() {
        return value == null;
    }

    /** Returns whether this is a list. */
    public boolean isList() {
        return value instanceof List<?>;
    }

    /** Returns the number; a text that is a decimal number counts as one. */
    public long asLong() {
        if (value instanceof Long number) {
            return number;
        }
        if (value instanceof String text) {
            try {
                return Long.parseLong(text);
            } catch (NumberFormatException e) {
                throw wrong("a number", e);
            }
        }
        throw wrong("a number", null);
    }

    /** Returns the text; a number is given in decimal. */
    public String asString() {
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof Long number) {
            return number.toString();
        }
        throw wrong("a text", null);
    }

    /** Returns the elements of a list. */
    @SuppressWarnings("unchecked") // only of(List<Reply>) puts a list here
    public List<Reply> asList() {
        if (value instanceof List<?> list) {
            return (List<Reply>) list;
        }
        throw wrong("a list", null);
    }

    private IllegalStateException wrong(String expected, @Nullable Throwable cause) {
        return new IllegalStateException("expected " + expected + " but the server answered " + this, cause);
    }

    @Override
    public String toString() {
        return String.valueOf(value);
    }
}
