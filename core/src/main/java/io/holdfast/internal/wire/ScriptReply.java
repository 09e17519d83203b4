package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * What a script has replied: words, or a list. Its accessors throw unchecked exceptions if the reply is not as its header says.
 *
 * @param elements without what stands behind each reply: the time, and the call's number
 * @param timeMicros the server's time
 */
public record ScriptReply(List<Reply> elements, long timeMicros) {
    /** The words of a text, with one blank between two; the elements of a list. */
    static List<Reply> elements(Reply reply) {
        if (reply.isList()) {
            return reply.asList();
        }
        String text = reply.asString();
        List<Reply> words = new ArrayList<>(16);
        int from = 0;
        for (int blank = text.indexOf(' '); blank >= 0; blank = text.indexOf(' ', from)) {
            words.add(Reply.of(text.substring(from, blank)));
            from = blank + 1;
        }
        words.add(Reply.of(text.substring(from)));
        return words;
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
        return elements.size();
    }

    String text(int at) {
        return elements.get(at).asString();
    }

    long number(int at) {
        return elements.get(at).asLong();
    }

    int count(int at) {
        return (int) number(at);
    }

    boolean flag(int at) {
        return number(at) == 1;
    }

    /** Decodes each element, given its index. */
    <T> List<T> each(BiFunction<Integer, ScriptReply, T> decode) {
        List<T> decoded = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            decoded.add(decode.apply(i, new ScriptReply(elements(elements.get(i)), timeMicros)));
        }
        return decoded;
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
