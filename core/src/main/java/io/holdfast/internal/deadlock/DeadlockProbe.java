package io.holdfast.internal.deadlock;

import io.holdfast.WaitCycle;
import io.holdfast.internal.deadlock.Deadlocks.Actor;
import io.holdfast.internal.deadlock.Deadlocks.Picture;
import io.holdfast.internal.deadlock.Deadlocks.Standing;
import io.holdfast.internal.deadlock.SnapshotCollector.Snapshot;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the deadlocks around one lock, on behalf of somebody who is in none: by what clients have written down of their waits, and
 * without writing anything. As long as it looks as if there were one it looks again, until each client in it has looked at its own
 * waits in between: then it was there all the time between two pictures.
 */
public final class DeadlockProbe {
    private static final Duration AGAIN = Duration.ofMillis(250);

    private final Kit kit;
    private final Server server;
    private final String lock;
    private final Set<String> roots;
    private final long end;
    private final CompletableFuture<List<WaitCycle>> found = new CompletableFuture<>();
    private @Nullable Snapshot first; // one round at a time

    private DeadlockProbe(Kit kit, Server server, String lock, Set<String> roots, Duration atMost) {
        this.kit = kit;
        this.server = server;
        this.lock = lock;
        this.roots = roots;
        this.end = kit.nanoTime() + atMost.toNanos();
    }

    /**
     * Looks; completes within little more than the time, unless the client is closed.
     *
     * @param lock the key of the hold
     * @param roots ids of the clients that have it or wait for it
     * @param atMost how long to look again
     */
    public static CompletableFuture<List<WaitCycle>> of(
            Kit kit, Server server, String lock, Set<String> roots, Duration atMost) {
        DeadlockProbe probe = new DeadlockProbe(kit, server, lock, roots, atMost);
        probe.look();
        return probe.found;
    }

    private void look() {
        SnapshotCollector.begin(
                server,
                roots,
                seen -> kit.background(() -> {
                    try {
                        judge(seen);
                    } catch (RuntimeException | Error e) {
                        found.completeExceptionally(e);
                        throw e;
                    }
                }));
    }

    private void judge(Snapshot seen) {
        Snapshot before = first;
        if (before != null) {
            Picture common = before.commonWith(seen);
            List<Set<Actor>> proven = around(common);
            if (!proven.isEmpty()) {
                found.complete(cycles(new Deadlocks(common), proven, seen));
                return;
            }
        }
        List<Set<Actor>> apparent = around(seen.picture());
        if (apparent.isEmpty() || kit.nanoTime() - end >= 0 || kit.isClosed()) {
            found.complete(List.of());
            return;
        }
        if (before == null || !around(before.picture()).equals(apparent)) {
            first = seen;
        }
        kit.schedule(AGAIN.toNanos(), this::look);
    }

    /** Those that are in a deadlock, where one of them has the lock or wants it. */
    private List<Set<Actor>> around(Picture picture) {
        return new Deadlocks(picture)
                .knots().stream()
                        .filter(knot -> knot.stream().anyMatch(actor -> isAbout(picture, actor)))
                        .toList();
    }

    private boolean isAbout(Picture picture, Actor actor) {
        Standing standing = picture.actors().get(actor);
        return standing != null
                && (standing.wants().stream().anyMatch(wants -> wants.lock().equals(lock))
                        || standing.keeps().stream()
                                .anyMatch(keeps -> keeps.lock().equals(lock)));
    }

    private List<WaitCycle> cycles(Deadlocks deadlocks, List<Set<Actor>> knots, Snapshot seen) {
        List<WaitCycle> cycles = new ArrayList<>();
        for (Set<Actor> knot : knots) {
            Actor from = knot.stream()
                    .filter(actor -> isAbout(seen.picture(), actor))
                    .findFirst()
                    .orElseThrow();
            cycles.add(seen.shown(deadlocks, deadlocks.cycle(from), kit.options.prefix()));
        }
        return cycles;
    }
}
