package io.holdfast.jedis;

import io.holdfast.spi.Reply;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.KeyValue;

/** Turns what Jedis has read into replies. Connections of a pool may speak RESP3: its types take their RESP2 shape. */
final class Replies {
    private Replies() {}

    /**
     * Converts.
     *
     * @throws JedisDataException if the reply is a list that contains an error
     */
    static Reply of(@Nullable Object read) {
        if (read == null) {
            return Reply.ofNull();
        }
        if (read instanceof byte[] bytes) {
            return Reply.of(text(bytes));
        }
        if (read instanceof Long number) {
            return Reply.of(number);
        }
        if (read instanceof List<?> list) {
            List<Reply> elements = new ArrayList<>(list.size());
            for (Object element : list) {
                if (element instanceof KeyValue<?, ?> entry) {
                    elements.add(of(entry.getKey()));
                    elements.add(of(entry.getValue()));
                } else {
                    elements.add(of(element));
                }
            }
            return Reply.of(elements);
        }
        if (read instanceof JedisDataException error) {
            throw error;
        }
        if (read instanceof Boolean flag) {
            return Reply.of(flag ? 1 : 0);
        }
        if (read instanceof Double number) {
            return Reply.of(text(number));
        }
        if (read instanceof BigInteger number) {
            return Reply.of(number.toString());
        }
        throw new IllegalStateException("Jedis has read a " + read.getClass().getName());
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String text(double number) {
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        long whole = (long) number;
        return whole == number ? Long.toString(whole) : Double.toString(number);
    }
}
