package io.holdfast.lettuce;

import io.holdfast.spi.Reply;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Reply} from what the protocol parser finds. RESP3's types become what RESP2 would have sent: a double a
 * text, a boolean 1 or 0, a set or a map (key, value, key, value, …) a list. An error inside a list makes the whole reply
 * an error, because a {@link Reply} cannot hold one and a text in its place would read like a success.
 *
 * <p>The parser announces a list with its length, then calls {@link #complete} once after each element and once after the
 * list itself, with the number of lists that are still open around it.
 */
final class ReplyOutput extends CommandOutput<String, String, Reply> {
    /** The one status that Lettuce's parser swallows; its transactions are built on that. */
    private static final Reply SWALLOWED = Reply.of("QUEUED");

    /** Longer lists grow as they arrive: the announced length comes from outside. */
    private static final int INITIAL_CAPACITY_LIMIT = 64;

    /** Doubles up to this size hold whole numbers exactly: 2^53. */
    private static final double EXACT_LIMIT = 9_007_199_254_740_992d;

    private record Level(boolean isNull, List<Reply> elements) {
        Reply toReply() {
            return isNull ? Reply.ofNull() : Reply.of(elements);
        }
    }

    /** The lists that have not ended. Most replies are none. */
    private @Nullable ArrayDeque<Level> open;

    private @Nullable Reply element;

    ReplyOutput() {
        super(StringCodec.UTF8, Reply.ofNull());
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        element = bytes == null ? Reply.ofNull() : Reply.of(text(bytes));
    }

    /** A decoder would make a text of two bytes for each character first. */
    private static String text(ByteBuffer bytes) {
        byte[] octets = new byte[bytes.remaining()];
        bytes.get(octets);
        return new String(octets, StandardCharsets.UTF_8);
    }

    @Override
    public void set(long integer) {
        element = Reply.of(integer);
    }

    @Override
    public void set(double number) {
        element = Reply.of(text(number));
    }

    @Override
    public void set(boolean value) {
        element = Reply.of(value ? 1 : 0);
    }

    @Override
    public void multi(int count) {
        if (open == null) {
            open = new ArrayDeque<>();
        }
        open.push(new Level(count < 0, new ArrayList<>(Math.max(0, Math.min(count, INITIAL_CAPACITY_LIMIT)))));
    }

    @Override
    public void complete(int depth) {
        Reply finished;
        if (open != null && open.size() > depth) {
            finished = open.pop().toReply();
        } else {
            finished = element == null ? SWALLOWED : element;
            element = null;
        }
        Level around = open == null ? null : open.peek();
        if (around == null) {
            output = finished;
        } else {
            around.elements().add(finished);
        }
    }

    private static String text(double number) {
        if (Double.isNaN(number)) {
            return "nan";
        }
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        return number == Math.rint(number) && Math.abs(number) <= EXACT_LIMIT
                ? Long.toString((long) number)
                : Double.toString(number);
    }
}
