package io.holdfast.lettuce;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.pubsub.PubSubOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One command on its way through Lettuce, which calls {@link #complete} on the event loop when the reply is there.
 *
 * <p>A call is done as soon as its outcome is known, whoever decides it. Lettuce looks at {@link #isDone} before each
 * write, also when it repeats what a broken connection left behind: so ending a call is what keeps it from being repeated.
 */
final class Call<T> extends io.lettuce.core.protocol.Command<String, String, T> implements CompleteableCommand<T> {
    /**
     * A command name that Lettuce need not know.
     *
     * @param shown what Lettuce takes it for
     */
    private record Keyword(String word, String shown) implements ProtocolKeyword {
        @Override
        public byte[] getBytes() {
            return word.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String toString() {
            return shown;
        }
    }

    /**
     * {@code SUNSUBSCRIBE} over RESP2, where Lettuce allows it not while there are subscriptions of other sorts. There it
     * does not look at the names of commands otherwise; over RESP3 it does.
     */
    static final ProtocolKeyword DISGUISED_SUNSUBSCRIBE = new Keyword("SUNSUBSCRIBE", "UNSUBSCRIBE");

    /** Carriage return and line feed. */
    private static final int LINE_END = '\r' << 8 | '\n';

    private static final long NOT_WRITTEN = -1;

    /** Told on the event loop of what Lettuce does with a call. */
    interface Course {
        /** Lettuce has put it last among those that it will complete, and writes it. */
        void written();

        /**
         * Lettuce has completed it, and no longer counts on it.
         *
         * @param error of the server, or null
         * @return whether nothing more is expected of this call
         */
        boolean taken(@Nullable String error);
    }

    /** All that is written, the name first; empty if Lettuce's own arguments are. */
    private final List<String> words;

    private final String where;
    private final @Nullable Course course;
    private final CompletableFuture<T> outcome = new CompletableFuture<>();
    private volatile @Nullable Epoch epoch;

    /** Among those that were written in its epoch. Used on the event loop only. */
    private long place = NOT_WRITTEN;

    private Call(
            ProtocolKeyword name,
            CommandOutput<String, String, T> output,
            @Nullable CommandArgs<String, String> arguments,
            List<String> words,
            String where,
            @Nullable Course course) {
        super(name, output, arguments);
        this.words = words;
        this.where = where;
        this.course = course;
    }

    /** Any command. */
    static Call<Reply> of(Command command, String where) {
        List<String> words = command.words();
        return new Call<>(new Keyword(words.get(0), words.get(0)), new ReplyOutput(), null, words, where, null);
    }

    /**
     * A command that subscribes or unsubscribes, for one channel. Lettuce counts one reply per command, so one command must
     * not name several channels. What Lettuce completes it with is not its outcome; that comes by {@link #acknowledge} or
     * {@link #reject}.
     *
     * @param course told what becomes of it
     */
    static Call<String> of(ProtocolKeyword type, String channel, String where, Course course) {
        return new Call<>(
                type,
                new PubSubOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).addKey(channel),
                List.of(),
                where,
                course);
    }

    CompletableFuture<T> outcome() {
        return outcome;
    }

    /** The calls among which this one is counted until it is done. */
    void countedIn(Epoch among) {
        epoch = among;
    }

    /** Ends this call without an answer, if it is not done. */
    void fail(String reason, @Nullable Throwable cause) {
        // Built only when needed: most calls of an ending epoch are done or never fail, and a stack trace is dear.
        if (!outcome.isDone()) {
            leave();
            outcome.completeExceptionally(
                    DriverException.unknown(where + ": no answer to " + getType() + ", " + reason, cause));
        }
    }

    /** The server has done it. */
    void acknowledge(T value) {
        leave();
        outcome.complete(value);
    }

    /** The server has answered with an error. */
    void reject(String error) {
        leave();
        outcome.completeExceptionally(DriverException.rejected(error));
    }

    @Override
    public void encode(ByteBuf buffer) {
        Epoch among = epoch;
        if (course != null) {
            course.written();
        } else if (among != null) {
            place = among.written();
        }
        if (words.isEmpty()) {
            super.encode(buffer);
        } else {
            write(buffer, words);
        }
    }

    /** An array of bulk strings. Lettuce's own arguments would be an object for each word, and a copy of its bytes. */
    private static void write(ByteBuf buffer, List<String> words) {
        writeHead(buffer, '*', words.size());
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            byte[] bytes =
                    word.getBytes(StandardCharsets.UTF_8); // Netty's own would go through the text twice, by character
            writeHead(buffer, '$', bytes.length);
            buffer.writeBytes(bytes);
            buffer.writeShort(LINE_END);
        }
    }

    private static void writeHead(ByteBuf buffer, char type, int length) {
        buffer.writeByte(type);
        if (length < 10) {
            buffer.writeByte('0' + length);
        } else if (length < 100) {
            buffer.writeByte('0' + length / 10);
            buffer.writeByte('0' + length % 10);
        } else {
            ByteBufUtil.writeAscii(buffer, Integer.toString(length));
        }
        buffer.writeShort(LINE_END);
    }

    @Override
    public void complete() {
        if (course != null) {
            if (course.taken(output.hasError() ? output.getError() : null)) {
                leave();
                outcome.complete(null);
            }
            return;
        }
        Epoch among = epoch;
        if (among != null && !among.isNext(place)) {
            fail("the answer may have gone to another call", null);
            return;
        }
        try {
            leave();
            if (output.hasError()) {
                reject(output.getError());
            } else {
                outcome.complete(output.get());
            }
        } catch (RuntimeException | Error e) {
            // It must not reach Lettuce, which would let the next call have it.
            doubt(e);
        }
    }

    /**
     * Lettuce ends a call in this way for many reasons: it was not written, it took too long, the connection broke. But if
     * anything else than Lettuce's own exceptions was thrown while something was read, then Lettuce tells the oldest call,
     * whoever was concerned, takes it out of its queue, and goes on with the next one: from then on all answers go astray.
     */
    @Override
    public boolean completeExceptionally(Throwable failure) {
        if (!(failure instanceof RedisException || failure instanceof CancellationException)) {
            doubt(failure);
        }
        leave();
        return outcome.completeExceptionally(Failures.of(failure, where + ": no answer to " + getType()));
    }

    @Override
    public void cancel() {
        completeExceptionally(new CancellationException("cancelled"));
    }

    @Override
    public boolean isDone() {
        return outcome.isDone();
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public void onComplete(Consumer<? super T> action) {
        onComplete((value, failure) -> {
            if (failure == null) {
                action.accept(value);
            }
        });
    }

    @Override
    public void onComplete(BiConsumer<? super T, Throwable> action) {
        var unused = outcome.whenComplete(action);
    }

    private void doubt(Throwable cause) {
        Epoch among = epoch;
        if (among != null) {
            among.doubt(cause);
        }
    }

    private void leave() {
        Epoch among = epoch;
        if (among != null) {
            among.forget(this);
        }
    }
}
