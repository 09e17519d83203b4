package io.holdfast.jedis;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
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

    Request(List<String> words, Waiter waiter) {
        byte[] name = words.get(0).getBytes(StandardCharsets.UTF_8);
        CommandArguments encoded = new CommandArguments(() -> name);
        int size = OVERHEAD + name.length + OVERHEAD;
        for (String word : words.subList(1, words.size())) {
            byte[] argument = word.getBytes(StandardCharsets.UTF_8);
            encoded.add(argument);
            size += argument.length + OVERHEAD;
        }
        this.arguments = encoded;
        this.bytes = size;
        this.waiter = waiter;
    }
}
