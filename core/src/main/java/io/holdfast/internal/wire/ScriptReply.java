package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * What a script has replied. Its accessors throw unchecked exceptions if the reply is not as its header says.
 *
 * @param elements without what stands behind each reply: the time, and the call's number
 * @param timeMicros the server's time
 */
public record ScriptReply(List<Reply> elements, long timeMicros) {
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

    /** Decodes each element, which is a list, given its index. */
    <T> List<T> each(BiFunction<Integer, ScriptReply, T> decode) {
        List<T> decoded = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            decoded.add(decode.apply(i, new ScriptReply(elements.get(i).asList(), timeMicros)));
        }
        return decoded;
    }

    /** The holder, from the five elements that {@code tellHold} in hold.lua has put here; empty if nobody holds the lock. */
    Optional<Holder> holder(int at) {
        return text(at).isEmpty()
                ? Optional.empty()
                : Optional.of(Label.holder(text(at), number(at + 1), number(at + 2), text(at + 4)));
    }

    /** The rest of the same hold; 0 if there is none. */
    long remainingMillis(int at) {
        return text(at).isEmpty() ? 0 : number(at + 3);
    }
}
