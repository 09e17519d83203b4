package io.holdfast;

import io.holdfast.QueueScripts.State;
import io.holdfast.SteeringScripts.RevokeWord;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Releases what clients hold whose processes have ended, on the embedded server, where that can be seen.
 *
 * <p>Replies tell who holds the locks that this client waits for. Whether these holders have ended is looked at four times
 * a second; that asks no server. A hold is released by its token: it ends that hold or none, and that hold has nobody any
 * more whom it could be taken from.
 *
 * <p>A look reads files, so it runs where the user's callbacks do, and not on the threads of deadlines and replies.
 */
final class EndedHolders {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private record Seen(Keys keys, Holder holder) {}

    private final Client client;
    private final EmbeddedServer server;
    /** Who was last said to hold a lock that is waited for, by key of the hold. */
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();

    private final AtomicBoolean looking = new AtomicBoolean();

    EndedHolders(Client client, EmbeddedServer server) {
        this.client = client;
        this.server = server;
    }

    /** A reply has told who holds a lock. */
    void observe(Keys keys, State state) {
        Holder holder = state.holder().orElse(null);
        if (holder == null || !mayHaveEnded(holder) || !client.waitingRoom.waitsFor(keys)) {
            seen.remove(keys.hold());
            return;
        }
        seen.put(keys.hold(), new Seen(keys, holder));
        if (looking.compareAndSet(false, true)) {
            client.execute(this::look);
        }
    }

    /** Not a lock that rests: it is to stay taken whatever becomes of its last holder. */
    private boolean mayHaveEnded(Holder holder) {
        return !holder.resting() && !holder.client().equals(client.ids.client());
    }

    private void look() {
        looking.set(false);
        if (client.isClosed()) {
            return;
        }
        for (Seen each : List.copyOf(seen.values())) {
            if (!client.waitingRoom.waitsFor(each.keys())) {
                seen.remove(each.keys().hold(), each);
            } else if (server.hasEnded(each.holder().client())
                    && seen.remove(each.keys().hold(), each)) {
                // If this is not answered, the next reply tells of the holder again.
                release(each.keys(), each.holder(), released -> {});
            }
        }
        if (!seen.isEmpty() && looking.compareAndSet(false, true)) {
            client.timers.schedule(LOOK_EVERY_NANOS, () -> client.execute(this::look));
        }
    }

    /**
     * Looks once whether a holder has ended, and releases its hold if so.
     *
     * @param then told, on some thread, whether the hold is gone now
     */
    void look(Keys keys, Holder holder, Consumer<Boolean> then) {
        if (!mayHaveEnded(holder)) {
            then.accept(false);
            return;
        }
        client.execute(() -> {
            if (server.hasEnded(holder.client())) {
                release(keys, holder, then);
            } else {
                then.accept(false);
            }
        });
    }

    private void release(Keys keys, Holder holder, Consumer<Boolean> then) {
        LOG.log(
                System.Logger.Level.INFO,
                () -> Shown.lock(keys.name()) + ": its holder, " + holder.inWords() + ", has ended without a release");
        long sent = client.ticker.nanoTime();
        client.steeringScripts.revoke(keys, holder.token(), false, Duration.ZERO, (revoked, failure) -> {
            if (revoked != null) {
                client.waitingRoom.observe(keys, revoked.state(), sent);
            }
            then.accept(revoked != null && revoked.word() != RevokeWord.OTHER);
        });
    }
}
