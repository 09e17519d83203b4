package io.holdfast.jedis;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;

/** A command as bytes, and who waits for its reply. */
final class Request {
    /** Told once, by a thread of the driver unless the request could not even be queued. */
    interface Waiter {
        void replied(Reply reply);

        void failed(DriverException failure);
    }

    /** Length prefix and line ends of one word, rounded up. */
    private static final int OVERHEAD = 16;

    final CommandArguments arguments;
    final int bytes;
    final Waiter waiter;

    /** A command that is written before this one, and whose reply does not count. */
    final @Nullable CommandArguments prelude;

    Request(List<String> words, Waiter waiter) {
        this(List.of(), words, waiter);
    }

    /** @param prelude empty for none */
    Request(List<String> prelude, List<String> words, Waiter waiter) {
        this.prelude = prelude.isEmpty() ? null : encode(prelude);
        this.arguments = encode(words);
        this.bytes = size(prelude) + size(words);
        this.waiter = waiter;
    }

    private static CommandArguments encode(List<String> words) {
        byte[] name = words.get(0).getBytes(StandardCharsets.UTF_8);
        CommandArguments encoded = new CommandArguments(() -> name);
        for (String word : words.subList(1, words.size())) {
            encoded.add(word.getBytes(StandardCharsets.UTF_8));
        }
        return encoded;
    }

    private static int size(List<String> words) {
        int size = 0;
        for (String word : words) {
            size += word.getBytes(StandardCharsets.UTF_8).length + OVERHEAD;
        }
        return words.isEmpty() ? 0 : size + OVERHEAD;
    }
}
