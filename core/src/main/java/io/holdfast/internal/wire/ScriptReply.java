package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.spi.Reply;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What a script has replied: words, or a list. Its accessors throw unchecked exceptions if the reply is not as its header says. */
public final class ScriptReply {
    private static final int[] NO_WORDS = {};

    /** The elements of a list; null if the reply is words. */
    private final @Nullable List<Reply> list;

    /** The words, which stay one text: few of them are asked for, and most of those as numbers. */
    private final String text;

    /** Where each word ends. */
    private final int[] ends;

    private final int size;
    private final long timeMicros;

    private ScriptReply(Reply reply, long timeMicros) {
        this.list = reply.isList() ? reply.asList() : null;
        this.text = list == null ? reply.asString() : "";
        this.ends = list == null ? ends(text) : NO_WORDS;
        this.size = list == null ? ends.length : list.size();
        this.timeMicros = timeMicros;
    }

    /** Without what stands behind each reply. */
    private ScriptReply(ScriptReply whole) {
        this.list = whole.list;
        this.text = whole.text;
        this.ends = whole.ends;
        this.size = whole.size - 2;
        this.timeMicros = whole.number(size);
    }

    /** What a call was replied, without the time and the call's number, which stand behind it; null if that is another number. */
    static @Nullable ScriptReply of(Reply reply, String number) {
        if (reply.isNull()) {
            return null;
        }
        ScriptReply whole = new ScriptReply(reply, 0);
        return whole.size > 1 && whole.endsWith(number) ? new ScriptReply(whole) : null;
    }

    private boolean endsWith(String number) {
        if (list != null) {
            return list.get(size - 1).toString().equals(number);
        }
        int begin = begin(size - 1);
        return text.length() - begin == number.length() && text.startsWith(number, begin);
    }

    private static int[] ends(String text) {
        int words = 1;
        for (int blank = text.indexOf(' '); blank >= 0; blank = text.indexOf(' ', blank + 1)) {
            words++;
        }
        int[] ends = new int[words];
        int end = -1;
        for (int i = 0; i < words - 1; i++) {
            end = text.indexOf(' ', end + 1);
            ends[i] = end;
        }
        ends[words - 1] = text.length();
        return ends;
    }

    private int begin(int at) {
        return at == 0 ? 0 : ends[at - 1] + 1;
    }

    /** The server's time. */
    public long timeMicros() {
        return timeMicros;
    }

    /** Whether it begins with this word. */
    boolean says(String word) {
        return text(0).equals(word);
    }

    /** The word that it begins with. */
    <W extends Enum<W>> W word(Class<W> words) {
        return Enum.valueOf(words, text(0));
    }

    int size() {
        return size;
    }

    String text(int at) {
        Objects.checkIndex(at, size);
        return list == null ? text.substring(begin(at), ends[at]) : list.get(at).asString();
    }

    long number(int at) {
        Objects.checkIndex(at, size);
        return list == null
                ? Long.parseLong(text, begin(at), ends[at], 10)
                : list.get(at).asLong();
    }

    int count(int at) {
        return (int) number(at);
    }

    boolean flag(int at) {
        return number(at) == 1;
    }

    /** Decodes each element, given its index. */
    <T> List<T> each(BiFunction<Integer, ScriptReply, T> decode) {
        List<Reply> elements = list;
        if (elements == null) {
            throw new IllegalStateException("expected a list but the server answered " + text);
        }
        return all(i -> decode.apply(i, new ScriptReply(elements.get(i), timeMicros)));
    }

    /** What is made of each element or word, given its index. */
    <T> List<T> all(IntFunction<T> made) {
        return IntStream.range(0, size).mapToObj(made).toList();
    }

    /** The holder, from the six words that {@code tellHold} in held.lua has put here, last of all, if somebody holds the lock. */
    Optional<Holder> holder(int at) {
        return holds(at)
                ? Optional.of(ClientLabel.holder(text(at + 1), number(at + 2), number(at + 3), text(at + 5)))
                : Optional.empty();
    }

    /** The rest of the same hold; 0 if there is none. */
    long remainingMillis(int at) {
        return holds(at) ? Math.max(0, number(at)) : 0;
    }

    /** How long after this reply the same hold is over; negative if there is none, or if it never is. */
    long overNanos(int at) {
        return holds(at) && number(at) >= 0 ? expiryNanos(number(at)) : -1;
    }

    /**
     * How long after this reply a key is gone, of which the server says that it expires in so many milliseconds. It counts whole
     * ones of its clock, and has the key until the last of them is over.
     */
    long expiryNanos(long millis) {
        return ((millis + 1) * 1_000 - timeMicros % 1_000) * 1_000;
    }

    /** The term of the same hold; 0 if there is none. */
    long leaseDurationMillis(int at) {
        return holds(at) ? number(at + 4) : 0;
    }

    private boolean holds(int at) {
        return size() > at;
    }
}
