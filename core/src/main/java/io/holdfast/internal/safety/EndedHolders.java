package io.holdfast.internal.safety;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.OneShot;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Releases what clients hold whose processes have ended, on the embedded server, where that can be seen.
 *
 * <p>Replies tell who holds the locks that this client waits for. Whether these holders have ended is looked at four times
 * a second; that asks no server. Of a lock that several may hold, replies tell one holder only: the next look after a
 * reply asks the server for all. A hold is released by its token: it ends that hold or none, and that hold has nobody any more
 * whom it could be taken from.
 *
 * <p>A look reads files, so it runs in the background, and not on the threads of deadlines and replies.
 */
public final class EndedHolders {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The requests of this client. */
    public interface Waiters extends Withdrawals.Observer {
        /** Whether one of them stands in the queue of a lock. */
        boolean waitsFor(Keys keys);
    }

    /**
     * A lock that is waited for.
     *
     * @param holders who was last said to hold it, and may have ended; null if the server is to be asked
     */
    private record Seen(Keys keys, @Nullable List<Holder> holders) {}

    private final Kit kit;
    private final Server server;
    private final EmbeddedServer share;
    private final Waiters waiters;
    /** By key of the hold. */
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
        List<Holder> told = state.holder().filter(this::mayHaveEnded).stream().toList();
        boolean several = keys.kind().isLine() && state.holder().isPresent();
        if ((told.isEmpty() && !several) || !waiters.waitsFor(keys)) {
            seen.remove(keys.hold());
            return;
        }
        seen.put(keys.hold(), new Seen(keys, several ? null : told));
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
                continue;
            }
            Optional<Holder> gone = ended(each.holders());
            // If the release is not answered, the next reply tells of the holder again.
            if (each.holders() == null) {
                ask(each);
            } else if (gone.isPresent() && seen.remove(each.keys().hold(), each)) {
                release(each.keys(), gone.get(), released -> {});
            }
        }
        if (!seen.isEmpty()) {
            looking.announce(() -> kit.schedule(LOOK_EVERY_NANOS, () -> kit.background(this::look)));
        }
    }

    /** Asks once: if there is no answer, the next reply makes it ask again. */
    private void ask(Seen unknown) {
        String hold = unknown.keys().hold();
        Seen asked = new Seen(unknown.keys(), List.of());
        if (seen.replace(hold, unknown, asked)) {
            var unused = holders(unknown.keys()).thenAccept(known -> {
                if (known.isEmpty()) {
                    seen.remove(hold, asked);
                } else {
                    seen.replace(hold, asked, new Seen(unknown.keys(), known));
                }
            });
        }
    }

    /** Those that hold it at present, first the ones whose holds end first, and may have ended. */
    private CompletableFuture<List<Holder>> holders(Keys keys) {
        return server.lookAsync(keys)
                .thenApply(lock -> lock.shares().stream()
                        .map(LockInfo.Share::holder)
                        .filter(this::mayHaveEnded)
                        .toList());
    }

    private Optional<Holder> ended(@Nullable List<Holder> holders) {
        return holders == null
                ? Optional.empty()
                : holders.stream().filter(one -> share.hasEnded(one.client())).findFirst();
    }

    /**
     * Looks once whether a holder has ended, and releases its hold if so.
     *
     * @param holder who was said to hold it, perhaps with others
     * @param then told, on some thread, whether the hold is gone now
     */
    public void look(Keys keys, Holder holder, Consumer<Boolean> then) {
        CompletableFuture<List<Holder>> known = keys.kind().isLine()
                ? holders(keys)
                : CompletableFuture.completedFuture(
                        Stream.of(holder).filter(this::mayHaveEnded).toList());
        OneShot.after(
                known,
                (holders, failure) -> kit.background(() ->
                        ended(holders).ifPresentOrElse(gone -> release(keys, gone, then), () -> then.accept(false))));
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
