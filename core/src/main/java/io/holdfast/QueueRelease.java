package io.holdfast;

import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of an owner of the queue engine.
 *
 * @param tombstone how long copies of its acquire that come later are refused; zero if none can come
 * @param shortestHold how long the lock rests since it was granted
 * @param mayHold whether it was granted, or may have been
 */
record QueueRelease(Client client, Keys keys, String owner, Duration tombstone, Duration shortestHold, boolean mayHold)
        implements TakeBack.Release {
    @Override
    public Object id() {
        return owner;
    }

    @Override
    public String key() {
        return keys.hold();
    }

    @Override
    public TakeBack.Release after(TakeBack.Release earlier) {
        return earlier instanceof QueueRelease before
                ? new QueueRelease(
                        client,
                        keys,
                        owner,
                        longer(tombstone, before.tombstone),
                        longer(shortestHold, before.shortestHold),
                        mayHold || before.mayHold)
                : this;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    @Override
    public void send(BiConsumer<@Nullable ReleaseResult, @Nullable DriverException> answer) {
        long sent = client.nanoTime();
        client.queueScripts.release(keys, owner, tombstone, shortestHold, (reply, failure) -> {
            answer.accept(reply == null ? null : reply.result(), failure);
            if (reply != null) {
                client.waitingRoom.observe(keys, reply.state(), sent);
            }
        });
    }
}
