package io.holdfast.internal.safety;

import io.holdfast.Holder;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Withdrawals;
import io.holdfast.internal.wire.Announced;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts.RevokeWord;
import io.holdfast.internal.wire.LockScripts.State;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
public final class EndedHolders {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The requests of this client. */
    public interface Waiters extends Withdrawals.Observer {
        /** Whether one of them stands in the queue of a lock. */
        boolean waitsFor(Keys keys);
    }

    private record Seen(Keys keys, Holder holder) {}

    private final Kit kit;
    private final Server server;
    private final EmbeddedServer share;
    private final Waiters waiters;
    /** Who was last said to hold a lock that is waited for, by key of the hold. */
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();

    private final Announced looking = new Announced();

    public EndedHolders(Kit kit, Server server, EmbeddedServer share, Waiters waiters) {
        this.kit = kit;
        this.server = server;
        this.share = share;
        this.waiters = waiters;
    }

    /** A reply has told who holds a lock. */
    public void observe(Keys keys, State state) {
        Holder holder = state.holder().orElse(null);
        if (holder == null || !mayHaveEnded(holder) || !waiters.waitsFor(keys)) {
            seen.remove(keys.hold());
            return;
        }
        seen.put(keys.hold(), new Seen(keys, holder));
        looking.announce(() -> kit.background(this::look));
    }

    /** Not a lock that rests: it is to stay taken whatever becomes of its last holder. */
    private boolean mayHaveEnded(Holder holder) {
        return !holder.resting() && !holder.client().equals(kit.ids.client());
    }

    private void look() {
        looking.begins();
        if (kit.isClosed()) {
            return;
        }
        for (Seen each : List.copyOf(seen.values())) {
            if (!waiters.waitsFor(each.keys())) {
                seen.remove(each.keys().hold(), each);
            } else if (share.hasEnded(each.holder().client())
                    && seen.remove(each.keys().hold(), each)) {
                // If this is not answered, the next reply tells of the holder again.
                release(each.keys(), each.holder(), released -> {});
            }
        }
        if (!seen.isEmpty()) {
            looking.announce(() -> kit.schedule(LOOK_EVERY_NANOS, () -> kit.background(this::look)));
        }
    }

    /**
     * Looks once whether a holder has ended, and releases its hold if so.
     *
     * @param then told, on some thread, whether the hold is gone now
     */
    public void look(Keys keys, Holder holder, Consumer<Boolean> then) {
        if (!mayHaveEnded(holder)) {
            then.accept(false);
            return;
        }
        kit.background(() -> {
            if (share.hasEnded(holder.client())) {
                release(keys, holder, then);
            } else {
                then.accept(false);
            }
        });
    }

    private void release(Keys keys, Holder holder, Consumer<Boolean> then) {
        LOG.log(
                System.Logger.Level.INFO,
                () -> LogText.lock(keys.name()) + ": its holder, " + holder.describe()
                        + ", has ended without a release");
        long sent = kit.nanoTime();
        server.adminScripts.revoke(keys, holder, false, Duration.ZERO, (revoked, failure) -> {
            if (revoked != null) {
                waiters.observe(keys, revoked.state(), sent);
            }
            then.accept(revoked != null && revoked.word() != RevokeWord.OTHER);
        });
    }
}
