package io.holdfast.jedis;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.args.Rawable;

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

    /** The command's name and its last word: of a subscription, what its acknowledgement repeats. */
    private final String name;

    private final String last;

    /** A command that is written before this one, and whose reply does not count. */
    final @Nullable CommandArguments prelude;

    Request(List<String> words, Waiter waiter) {
        this(List.of(), words, waiter);
    }

    /** @param prelude empty for none */
    Request(List<String> prelude, List<String> words, Waiter waiter) {
        byte[][] before = bytes(prelude);
        byte[][] encoded = bytes(words);
        this.prelude = prelude.isEmpty() ? null : new Words(before);
        this.arguments = new Words(encoded);
        this.bytes = size(before) + size(encoded);
        this.waiter = waiter;
        this.name = words.get(0);
        this.last = words.get(words.size() - 1);
    }

    /** Whether this is a subscription, or the end of one, that the server acknowledges with these words. */
    boolean isAcknowledgedBy(String kind, String channel) {
        return name.equalsIgnoreCase(kind) && last.equals(channel);
    }

    private static byte[][] bytes(List<String> words) {
        byte[][] bytes = new byte[words.size()][];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = words.get(i).getBytes(StandardCharsets.UTF_8);
        }
        return bytes;
    }

    private static int size(byte[][] words) {
        int size = 0;
        for (byte[] word : words) {
            size += word.length + OVERHEAD;
        }
        return words.length == 0 ? 0 : size + OVERHEAD;
    }

    /** Words as they are. Jedis would copy each of them, and keep each in an object of its own. */
    private static final class Words extends CommandArguments {
        private final byte[][] words;

        Words(byte[][] words) {
            super(() -> words[0]);
            this.words = words;
        }

        @Override
        public int size() {
            return words.length;
        }

        @Override
        public Iterator<Rawable> iterator() {
            return new Each(words);
        }
    }

    /** One word after the other. Jedis writes each before it asks for the next. */
    private static final class Each implements Iterator<Rawable>, Rawable {
        private final byte[][] words;
        private int next;

        Each(byte[][] words) {
            this.words = words;
        }

        @Override
        public boolean hasNext() {
            return next < words.length;
        }

        @Override
        public Rawable next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            next++;
            return this;
        }

        @Override
        public byte[] getRaw() {
            return words[next - 1];
        }
    }
}
